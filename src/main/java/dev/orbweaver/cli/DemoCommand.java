package dev.orbweaver.cli;

import dev.orbweaver.cli.Failure.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Settings;
import dev.orbweaver.config.Values;
import dev.orbweaver.lab.LabDns;
import dev.orbweaver.lab.LabServer;
import dev.orbweaver.lab.Quirk;
import dev.orbweaver.lab.ServerSettings;
import dev.orbweaver.lab.SimulatedWeb;
import dev.orbweaver.lab.WebSpec;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** {@code orbweaver demo}: a small web on this machine, and a crawl of it. No network is needed. */
final class DemoCommand implements Command {

    private static final long SEED = 1;
    private static final Duration TTL = Duration.ofMinutes(5);

    private final Terminal terminal;

    private DemoCommand(Terminal terminal) {
        this.terminal = terminal;
    }

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
        var folder = Folders.out(arguments, "demo");
        var web = SimulatedWeb.of(WebSpec.demo(SEED).without(Quirk.ROBOTS_UNREACHABLE));
        var quiet = arguments.hasMatchedOption(Options.QUIET);
        try (var server = serve(web, port);
                var dns = LabDns.start(web, 0, TTL)) {
            say(
                    quiet,
                    "%d hosts with %d pages are served on loopback: robots.txt, sitemaps,"
                            .formatted(web.hostCount(), web.pageCount()));
            say(quiet, "redirects, slow, broken and dead ones. Delays and retries are shortened.");
            var code = new CrawlRun(terminal, quiet, false).run(config(web, server, dns), folder);
            tellWhatNext(quiet, folder);
            return code;
        }
    }

    private static LabServer serve(SimulatedWeb web, int port) throws IOException {
        try {
            return LabServer.start(web, ServerSettings.defaults().withPort(port));
        } catch (IOException e) {
            throw new UsageException(
                    Failure.sentence(e) + "; choose another with --port, or leave it out");
        }
    }

    private static int port(String text) {
        if (!text.matches("\\d{1,5}") || Integer.parseInt(text) > 65_535) {
            throw new UsageException("--port takes a number from 0 to 65535, not '" + text + "'");
        }
        return Integer.parseInt(text);
    }

    private static CrawlConfig config(SimulatedWeb web, LabServer server, LabDns dns)
            throws ConfigException {
        var nameServer = dns.address();
        return CrawlConfig.read(
                new Values(Modules.SETTINGS)
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

    private void tellWhatNext(boolean quiet, Path folder) {
        say(quiet, "");
        say(quiet, "Try next:");
        say(quiet, "  ./orbweaver status %-20s where the crawl stands".formatted(folder));
        say(quiet, "  head -3 %-31s a line for every URL settled".formatted(folder + "/pages.log"));
        say(
                quiet,
                "  ./orbweaver crawl https://example.com/ --max-pages 100 --contact"
                        + " you@example.com");
    }

    private void say(boolean quiet, String line) {
        if (!quiet) {
            terminal.out().println(line);
        }
    }
}
