package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.Seed;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.explain.ExplanationJson;
import dev.orbweaver.internal.explain.ExplanationText;
import dev.orbweaver.internal.explain.UrlExplanation;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.UncheckedIOException;

/** {@code orbweaver why DIR URL}: explains the state of a URL. */
record WhyCommand(Terminal terminal) implements Command {

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new WhyCommand(terminal)
                        .describe(
                                "why",
                                "Explain why a URL was or was not fetched.",
                                "Shows where the URL was first found, the rules of scope and"
                                        + " robots.txt that apply, its state and its requests. The"
                                        + " crawl may be running. For a refused URL all stored"
                                        + " pages are read, which may take a while.");
        spec.addPositional(Options.directory());
        spec.addPositional(Options.parameter(1, "URL", "the URL to explain"));
        spec.addOption(Options.toggle(Options.JSON, "print one JSON object"));
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var directory = Directories.fromArgument(arguments);
        var url = arguments.matchedPositionalValue(1, "");
        var config = Directories.settings(directory);
        if (new StoredCrawl(directory, config).isTakenDown(url)) {
            terminal.print(
                    arguments.hasMatchedOption(Options.JSON)
                            ? "{\"state\":\"taken-down\"}"
                            : "taken down with 'forget': hidden from all output and not"
                                    + " requested again");
            return ExitCode.COMPLETE.code();
        }
        try {
            var urlExplanation =
                    new StoredCrawl(directory, config)
                            .explain(url)
                            .orElseThrow(() -> new UsageException(Seed.problem(url)));
            print(terminal, arguments, url, urlExplanation);
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
