package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.engine.StoredCrawl;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.util.List;

/** {@code orbweaver forget DIR URL|HOST}: takes down URLs or hosts. */
record ForgetCommand(Terminal terminal) implements Command {

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new ForgetCommand(terminal)
                        .describe(
                                "forget",
                                "Take down URLs or whole hosts.",
                                "Exports, queries and sinks no longer contain them, and the crawl"
                                        + " does not request them again; a running crawl applies it"
                                        + " within a second. 'compact' then removes their"
                                        + " records from the files.");
        spec.addPositional(Options.directory());
        spec.addPositional(
                Options.parameters(
                        1,
                        "1..*",
                        "URL|HOST",
                        "https://example.com/page, or example.com for the whole host"));
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var directory = Directories.fromArgument(arguments);
        var crawl = new StoredCrawl(directory, Directories.settings(directory));
        var urls = crawl.config().urls();
        List<String> texts = arguments.matchedPositionalValue(1, List.of());
        texts.forEach(text -> check(text, crawl)); // Checks all arguments before the first change.
        var lines = 0L;
        for (var text : texts) {
            var url = urls.parse(text);
            lines +=
                    url.isPresent()
                            ? crawl.takeDown(url.get())
                            : crawl.takeDownHost(host(text, crawl));
        }
        terminal.print(
                "%s of the page log hidden; to remove %s: %s"
                        .formatted(
                                lines == 1 ? "1 line" : Numbers.count(lines) + " lines",
                                lines == 1 ? "it" : "them",
                                CommandHint.of("compact", directory)));
        return ExitCode.COMPLETE.code();
    }

    private static void check(String text, StoredCrawl crawl) {
        if (crawl.config().urls().parse(text).isEmpty()) {
            var _ = host(text, crawl);
        }
    }

    private static String host(String text, StoredCrawl crawl) {
        return crawl.parseHost(text)
                .orElseThrow(
                        () ->
                                new UsageException(
                                        "'%s' is neither an http or https URL nor a host name; expected one without port or *"
                                                .formatted(text)));
    }
}
