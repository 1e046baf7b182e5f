package dev.orbweaver.cli;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.url.CrawlUrls;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.util.List;

/** {@code orbweaver forget DIR URL|HOST}: takes something down. */
record ForgetCommand(Terminal terminal) implements Command {

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new ForgetCommand(terminal)
                        .describe(
                                "forget",
                                "Take URLs or whole hosts down.",
                                "From then on no export, query or sink shows them, and a crawl"
                                        + " does not ask for them again, a running one within a"
                                        + " second. compact removes their records.",
                                "");
        spec.addPositional(Options.directory());
        spec.addPositional(
                Options.parameters(
                        1,
                        "1..*",
                        "URL|HOST",
                        "https://example.com/page, or example.com for all of it"));
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var directory = Directories.fromArgument(arguments);
        var config = Directories.settings(directory);
        var urls = config.urls();
        List<String> texts = arguments.matchedPositionalValue(1, List.of());
        texts.forEach(text -> check(text, urls)); // All of them are right before one is done.
        var lines = 0L;
        for (var text : texts) {
            var url = urls.parse(text);
            lines +=
                    url.isPresent()
                            ? new CrawlDirectory(directory, config).takeDown(url.get())
                            : new CrawlDirectory(directory, config).takeDownHost(host(text, urls));
        }
        terminal.print(
                "%s of the page log no longer shown; to remove %s: ./orbweaver compact %s"
                        .formatted(
                                lines == 1 ? "1 line" : Numbers.count(lines) + " lines",
                                lines == 1 ? "it" : "them",
                                directory));
        return ExitCode.COMPLETE.code();
    }

    private static void check(String text, CrawlUrls urls) {
        if (urls.parse(text).isEmpty()) {
            var _ = host(text, urls);
        }
    }

    private static boolean withPort(String text) {
        return text.indexOf(':') >= 0 && !text.endsWith("]");
    }

    private static String host(String text, CrawlUrls urls) {
        if (text.matches("[^/?#@\\\\\\s]+")) {
            var url = urls.parse("http://" + text + "/");
            var plain = url.filter(it -> it.authority().equals(it.host()) && !withPort(text));
            if (plain.isPresent() && text.indexOf('*') < 0) {
                return plain.get().host();
            }
        }
        throw new UsageException(
                "'%s' is neither an http or https URL nor the name of one host, without port or *"
                        .formatted(text));
    }
}
