package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Quantities;
import dev.orbweaver.internal.engine.DueRevisits;
import dev.orbweaver.internal.engine.RecrawlList;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Fingerprint;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** {@code orbweaver recrawl DIR}: visits the pages of a crawl again. */
record RecrawlCommand(Terminal terminal) implements Command {

    private static final String ALL = "--all";
    private static final String URLS = "--urls";
    private static final String OLDER_THAN = "--older-than";
    private static final Duration DEFAULT_AGE = Duration.ofDays(1);

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new RecrawlCommand(terminal)
                        .describe(
                                "recrawl",
                                "Visit the pages of a crawl again.",
                                "Servers are asked for what changed since the last visit: an"
                                        + " unchanged page costs no transfer and becomes a revisit"
                                        + " record. New links are followed. A running crawl visits"
                                        + " the pages itself.");
        spec.addPositional(Options.directory());
        spec.addOption(Options.toggle(ALL, "visit all URLs of the crawl"));
        spec.addOption(
                Options.text(
                        OLDER_THAN,
                        "TIME",
                        "visit URLs whose last visit is at least this long ago, such as 12h or 7d"
                                + " (default: those that are due, or 1d without --revisit)"));
        spec.addOption(
                Options.text(URLS, "FILE", "visit the URLs in FILE, one per line, that it has"));
        ResumeCommand.addSinks(spec);
        spec.addOption(Options.set("delay=2s to be slower than before"));
        spec.addOption(Options.quiet());
        spec.addOption(Options.json());
        spec.addOption(ProcessMetrics.option());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        var given =
                List.of(ALL, URLS, OLDER_THAN).stream()
                        .filter(arguments::hasMatchedOption)
                        .toList();
        if (given.size() > 1) {
            throw new UsageException(
                    "%s and %s exclude each other; give one of them"
                            .formatted(given.get(0), given.get(1)));
        }
        var directory = Directories.fromArgument(arguments);
        var config = CrawlConfig.read(ResumeCommand.values(arguments, directory, terminal));
        var counts = add(arguments, config, directory, given.isEmpty());
        if (!arguments.hasMatchedOption(Options.QUIET)) {
            terminal.printError(message(counts));
        }
        if (StoredCrawl.isRunning(directory)) {
            return ExitCode.COMPLETE.code();
        }
        return counts.listed() + counts.pending() == 0
                ? ExitCode.COMPLETE.code()
                : CrawlRun.of(arguments, terminal).run(config, directory);
    }

    private static RecrawlList.Counts add(
            ParseResult arguments, CrawlConfig config, Path directory, boolean onlyDue)
            throws ConfigException, IOException, InterruptedException {
        var pages = Directories.pages(List.of(directory.toString()));
        var scheduled =
                onlyDue
                        ? new StoredCrawl(directory, config).dueRevisits()
                        : Optional.<DueRevisits>empty();
        if (scheduled.isEmpty()) {
            return RecrawlList.add(pages, wanted(arguments, config.urls()));
        }
        try (var due = scheduled.get()) {
            return RecrawlList.add(pages, due);
        }
    }

    private static String message(RecrawlList.Counts counts) {
        var pending =
                counts.pending() == 0
                        ? ""
                        : "; %s of an earlier recrawl had no response yet"
                                .formatted(Numbers.count(counts.pending(), "URL"));
        return counts.listed() == 0
                ? "nothing to visit again" + pending
                : "visiting %s again%s".formatted(Numbers.count(counts.listed(), "URL"), pending);
    }

    private static Predicate<PageLogEntry> wanted(ParseResult arguments, CrawlUrls urls)
            throws IOException {
        if (arguments.hasMatchedOption(ALL)) {
            return _ -> true;
        }
        if (arguments.hasMatchedOption(URLS)) {
            var keys = keys(arguments.matchedOptionValue(URLS, ""), urls);
            return entry ->
                    urls.parse(entry.url()).filter(url -> keys.contains(url.key())).isPresent();
        }
        var age = age(arguments);
        var latest = Instant.now().minus(age);
        return entry -> !entry.time().isAfter(latest);
    }

    private static Duration age(ParseResult arguments) {
        if (!arguments.hasMatchedOption(OLDER_THAN)) {
            return DEFAULT_AGE;
        }
        var text = arguments.matchedOptionValue(OLDER_THAN, "");
        return Quantities.duration(text)
                .orElseThrow(
                        () ->
                                new UsageException(
                                        "--older-than '%s' is not a time; expected such as 12h or 7d"
                                                .formatted(text)));
    }

    private static Set<Fingerprint> keys(String file, CrawlUrls urls) throws IOException {
        var path = Directories.parse(file);
        if (!Files.isReadable(path)) {
            throw new UsageException("cannot read --urls %s".formatted(file));
        }
        var keys = new HashSet<Fingerprint>();
        try (var lines = Files.lines(path)) {
            lines.map(String::strip)
                    .filter(line -> !line.isEmpty() && line.charAt(0) != '#')
                    .forEach(
                            line ->
                                    keys.add(
                                            urls.parse(line)
                                                    .orElseThrow(
                                                            () ->
                                                                    new UsageException(
                                                                            "'%s' in %s is not an http or https URL"
                                                                                    .formatted(
                                                                                            line,
                                                                                            file)))
                                                    .key()));
        }
        return keys;
    }
}
