package dev.orbweaver.cli;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.explain.ExplanationJson;
import dev.orbweaver.internal.explain.ExplanationText;
import dev.orbweaver.internal.explain.UrlExplanation;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.UncheckedIOException;

/** {@code orbweaver why DIR URL}: what became of a URL, and why. */
record WhyCommand(Terminal terminal) implements Command {

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new WhyCommand(terminal)
                        .describe(
                                "why",
                                "Tell what became of a URL in the crawl in a folder, and why.",
                                "It may be running or not. Told are: where the URL was first found,"
                                        + " the rules of scope and robots.txt that decide about it,"
                                        + " where it is now, and what was tried. For a URL that was"
                                        + " turned away all stored pages are read.",
                                "");
        spec.addPositional(Options.directory());
        spec.addPositional(Options.parameter(1, "URL", "the URL to ask about"));
        spec.addOption(Options.toggle(Options.JSON, "print one JSON object"));
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var directory = Directories.fromArgument(arguments);
        var asked = arguments.matchedPositionalValue(1, "");
        var config = Directories.settings(directory);
        if (new CrawlDirectory(directory, config).isTakenDown(asked)) {
            terminal.print(
                    arguments.hasMatchedOption(Options.JSON)
                            ? "{\"state\":\"taken-down\"}"
                            : "taken down by ./orbweaver forget: nothing is shown of it,"
                                    + " and it is not asked for again");
            return ExitCode.COMPLETE.code();
        }
        try {
            var urlExplanation =
                    new CrawlDirectory(directory, config)
                            .explain(asked)
                            .orElseThrow(
                                    () ->
                                            new UsageException(
                                                    "'" + asked + "' is not an http or https URL"));
            print(terminal, arguments, asked, urlExplanation);
        } catch (UncheckedIOException e) {
            throw new IOException(e.getMessage(), e);
        }
        return ExitCode.COMPLETE.code();
    }

    /** Prints an explanation as text or, with {@code --json}, as JSON. */
    static void print(
            Terminal terminal,
            ParseResult arguments,
            String requestedUrl,
            UrlExplanation urlExplanation) {
        if (arguments.hasMatchedOption(Options.JSON)) {
            terminal.data()
                    .println(
                            JsonMapper.shared()
                                    .writerWithDefaultPrettyPrinter()
                                    .writeValueAsString(
                                            ExplanationJson.of(requestedUrl, urlExplanation)));
        } else {
            ExplanationText.lines(urlExplanation).forEach(terminal.out()::println);
        }
    }
}
