package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
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

/** {@code orbweaver demo}: crawls a simulated web on this machine. No network is needed. */
record DemoCommand(Terminal terminal) implements Command {

    private static final long SEED = 1;
    private static final Duration TTL = Duration.ofMinutes(5);

    static CommandSpec spec(Terminal terminal) {
        var command = new DemoCommand(terminal);
        var spec =
                command.describe(
                        "demo",
                        "Crawl a simulated web on this machine; needs no network.",
                        "The simulated web has about 60 hosts with all kinds of problems.");
        spec.addOption(
                Options.text(
                        Options.OUT, "DIR", "output directory (default: a new one named demo)"));
        spec.addOption(
                Options.text("--port", "N", "port of the simulated web (default: any free port)"));
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
                    "%d hosts with %d pages are served on loopback, with robots.txt, sitemaps,"
                            .formatted(web.hostCount(), web.pageCount()));
            print(
                    quiet,
                    "redirects, slow, broken and dead hosts. Delays and retries are shortened.");
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
                    ErrorReporter.message(e, "") + "; choose another with --port, or omit --port");
        }
    }

    private static int port(String text) {
        if (!text.matches("\\d{1,5}") || Integer.parseInt(text) > 65_535) {
            throw new UsageException(
                    "--port: expected a number from 0 to 65535, not '" + text + "'");
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
                                "dns-server",
                                nameServer.getAddress().getHostAddress()
                                        + ":"
                                        + nameServer.getPort())
                        .put("allow-private", "true")
                        .put("contact", "https://example.org/demo")
                        .put("delay", "50ms")
                        .put("delay-ip", "10ms")
                        .put("retry-delay", "500ms")
                        .put("error-backoff", "50ms")
                        .put("max-idle-wait", "5s"));
    }

    private void printNextSteps(boolean quiet, Path directory) {
        print(quiet, "");
        print(quiet, "Try next:");
        print(quiet, "  %-39s status of the crawl".formatted(CommandHint.of("status", directory)));
        print(
                quiet,
                "  head -3 %-31s one line per fetched URL".formatted(directory + "/pages.log"));
        print(
                quiet,
                "  "
                        + CommandHint.of("crawl", "https://example.com/", "--max-pages", 100)
                        + " --contact you@example.com");
    }

    private void print(boolean quiet, String line) {
        if (!quiet) {
            terminal.print(line);
        }
    }
}
