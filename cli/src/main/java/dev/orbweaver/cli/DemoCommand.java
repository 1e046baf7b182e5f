package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.SettingValues;
import dev.orbweaver.config.Settings;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.ServerSettings;
import dev.orbweaver.testkit.SimulatedDns;
import dev.orbweaver.testkit.SimulatedWeb;
import dev.orbweaver.testkit.SimulatedWebServer;
import dev.orbweaver.testkit.WebSpec;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** {@code orbweaver demo}: a small web on this machine, and a crawl of it. No network is needed. */
record DemoCommand(Terminal terminal) implements Command {

    private static final long SEED = 1;
    private static final Duration TTL = Duration.ofMinutes(5);

    static CommandSpec spec(Terminal terminal) {
        var command = new DemoCommand(terminal);
        var spec =
                command.describe(
                        "demo",
                        "Crawl a simulated web of some sixty hosts on this machine, without any"
                                + " network.",
                        "");
        spec.addOption(
                Options.text(
                        Options.OUT,
                        "DIR",
                        "the folder for everything; default: a new one named demo"));
        spec.addOption(
                Options.text("--port", "N", "the port to serve it on; default: any free one"));
        spec.addOption(Options.quiet());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        var port = port(arguments.matchedOptionValue("--port", "0"));
        var directory = Directories.outputDirectory(arguments, "demo");
        var web = SimulatedWeb.of(WebSpec.demo(SEED).without(Quirk.ROBOTS_UNREACHABLE));
        var quiet = arguments.hasMatchedOption(Options.QUIET);
        try (var server = serve(web, port);
                var dns = SimulatedDns.start(web, 0, TTL)) {
            print(
                    quiet,
                    "%d hosts with %d pages are served on loopback: robots.txt, sitemaps,"
                            .formatted(web.hostCount(), web.pageCount()));
            print(
                    quiet,
                    "redirects, slow, broken and dead ones. Delays and retries are shortened.");
            var code =
                    new CrawlRun(terminal, quiet, false).run(config(web, server, dns), directory);
            printNextSteps(quiet, directory);
            return code;
        }
    }

    private static SimulatedWebServer serve(SimulatedWeb web, int port) throws IOException {
        try {
            return SimulatedWebServer.start(web, ServerSettings.defaults().withPort(port));
        } catch (IOException e) {
            throw new UsageException(
                    ErrorReporter.message(e) + "; choose another with --port, or leave it out");
        }
    }

    private static int port(String text) {
        if (!text.matches("\\d{1,5}") || Integer.parseInt(text) > 65_535) {
            throw new UsageException("--port takes a number from 0 to 65535, not '" + text + "'");
        }
        return Integer.parseInt(text);
    }

    private static CrawlConfig config(SimulatedWeb web, SimulatedWebServer server, SimulatedDns dns)
            throws ConfigException {
        var nameServer = dns.address();
        return CrawlConfig.read(
                new SettingValues(Modules.SETTINGS)
                        .put(Settings.SEEDS, List.of(web.hubUrl(server.port())))
                        .put("scope", "any")
                        .put(
                                "dns",
                                nameServer.getAddress().getHostAddress()
                                        + ":"
                                        + nameServer.getPort())
                        .put("allow-private", "true")
                        .put("contact", "https://example.org/demo")
                        .put("delay", "50ms")
                        .put("delay-ip", "10ms")
                        .put("retry-delay", "500ms")
                        .put("error-backoff", "50ms")
                        .put("patience", "5s"));
    }

    private void printNextSteps(boolean quiet, Path directory) {
        print(quiet, "");
        print(quiet, "Try next:");
        print(quiet, "  ./orbweaver status %-20s where the crawl stands".formatted(directory));
        print(
                quiet,
                "  head -3 %-31s a line for every URL settled".formatted(directory + "/pages.log"));
        print(
                quiet,
                "  ./orbweaver crawl https://example.com/ --max-pages 100 --contact"
                        + " you@example.com");
    }

    private void print(boolean quiet, String line) {
        if (!quiet) {
            terminal.print(line);
        }
    }
}
