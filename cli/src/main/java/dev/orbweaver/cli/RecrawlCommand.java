package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Quantities;
import dev.orbweaver.internal.config.RevisitPlan;
import dev.orbweaver.internal.engine.DueRevisits;
import dev.orbweaver.internal.engine.ListedChanges;
import dev.orbweaver.internal.engine.RecrawlList;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.sink.PageLogEntry;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** {@code orbweaver recrawl DIR}: visits the pages of a crawl again. */
record RecrawlCommand(Terminal terminal) implements Command {

    private static final String ALL = "--all";
    private static final String URLS = "--urls";
    private static final String OLDER_THAN = "--older-than";
    private static final String NEWER_IN_SITEMAPS = "--newer-in-sitemaps";
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
        spec.addOption(
                Options.toggle(
                        NEWER_IN_SITEMAPS,
                        "visit sitemaps and feeds, then the URLs that changed since their last"
                                + " visit by the dates in them"));
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
                List.of(ALL, URLS, OLDER_THAN, NEWER_IN_SITEMAPS).stream()
                        .filter(arguments::hasMatchedOption)
                        .toList();
        if (given.size() > 1) {
            throw new UsageException(
                    "%s and %s exclude each other; give one of them"
                            .formatted(given.get(0), given.get(1)));
        }
        var directory = Directories.fromArgument(arguments);
        var config = CrawlConfig.read(ResumeCommand.values(arguments, directory, terminal));
        var changed = ResumeCommand.givenSetting(arguments);
        if (changed.isPresent() && StoredCrawl.isRunning(directory)) {
            throw new UsageException(
                    "%s is running, so %s would have no effect; leave it out, or stop the crawl first"
                            .formatted(directory, changed.get()));
        }
        var limit =
                RecrawlList.limitReached(
                        config.crawl().limits(),
                        new StoredCrawl(directory, config).stats().ledger());
        if (limit.isPresent()) {
            throw new UsageException(
                    "%s has reached %s, so it would end before it visits a page again; raise the limit with --set"
                            .formatted(directory, limit.get()));
        }
        if (arguments.hasMatchedOption(NEWER_IN_SITEMAPS)) {
            return visitNewerInSitemaps(arguments, config, directory);
        }
        if (arguments.hasMatchedOption(URLS)) {
            return visitListed(arguments, config, directory);
        }
        var scheduled =
                given.isEmpty()
                        ? new StoredCrawl(directory, config).dueRevisits()
                        : Optional.<DueRevisits>empty();
        if (scheduled.isEmpty()) {
            return visit(arguments, config, directory, wanted(arguments));
        }
        RecrawlList.Counts counts;
        try (var due = scheduled.get()) {
            counts = RecrawlList.add(pages(directory), due);
        }
        return visit(arguments, config, directory, counts);
    }

    private int visit(
            ParseResult arguments,
            CrawlConfig config,
            Path directory,
            Predicate<PageLogEntry> wanted)
            throws ConfigException, IOException, InterruptedException {
        return visit(arguments, config, directory, RecrawlList.add(pages(directory), wanted));
    }

    private int visit(
            ParseResult arguments, CrawlConfig config, Path directory, RecrawlList.Counts counts)
            throws ConfigException, IOException, InterruptedException {
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

    private int visitListed(ParseResult arguments, CrawlConfig config, Path directory)
            throws ConfigException, IOException, InterruptedException {
        var listed = ListedUrls.read(arguments.matchedOptionValue(URLS, ""), config.urls());
        var counts = RecrawlList.add(pages(directory), listed);
        var missing = listed.missing();
        if (missing.isPresent() && !arguments.hasMatchedOption(Options.QUIET)) {
            terminal.warn(missing.get());
        }
        return visit(arguments, config, directory, counts);
    }

    /** Visits sitemaps and feeds, and then the pages that have changed by their dates. */
    private int visitNewerInSitemaps(ParseResult arguments, CrawlConfig config, Path directory)
            throws ConfigException, IOException, InterruptedException {
        if (config.revisit().isContinuous()) {
            throw new UsageException(
                    "%s runs until it is stopped (revisit=%s), so %s cannot select pages after its sitemaps; give %s TIME instead, or add --set revisit=never"
                            .formatted(
                                    directory,
                                    config.settingValues().last(RevisitPlan.KEY).orElse(""),
                                    NEWER_IN_SITEMAPS,
                                    OLDER_THAN));
        }
        if (StoredCrawl.isRunning(directory)) {
            throw new UsageException(
                    ("%s visits sitemaps before it selects pages, and %s is running; stop the crawl"
                                    + " first, or give %s")
                            .formatted(NEWER_IN_SITEMAPS, directory, OLDER_THAN));
        }
        var since = Instant.now();
        var code = visit(arguments, config, directory, ListedChanges::isList);
        if (code != ExitCode.COMPLETE.code()) {
            return code;
        }
        var newer = ListedChanges.read(pages(directory));
        // Both lists are of one recrawl, which began with the first one.
        return visit(
                arguments,
                config,
                directory,
                RecrawlList.add(pages(directory), newer::isNewerThan, Optional.of(since)));
    }

    private static CrawlPages pages(Path directory) throws ConfigException, IOException {
        return Directories.pages(List.of(directory.toString()));
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

    private static Predicate<PageLogEntry> wanted(ParseResult arguments) {
        if (arguments.hasMatchedOption(ALL)) {
            return _ -> true;
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
}
