package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Seed;
import dev.orbweaver.internal.directory.DirectoryFrontier;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.seeds.RemovedSeeds;
import dev.orbweaver.internal.seeds.SeedLine;
import dev.orbweaver.model.CrawlUrl;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** {@code orbweaver seed DIR URL...}: adds URLs to a crawl, also a running one, or removes them. */
record SeedCommand(Terminal terminal) implements Command {

    static final String REMOVE = "--remove";
    private static final String PRIORITY = "--priority";
    private static final String NOT_BEFORE = "--not-before";
    private static final int URLS_FROM = 1;

    static CommandSpec spec(Terminal terminal) {
        var spec =
                new SeedCommand(terminal)
                        .describe(
                                "seed",
                                "Add URLs to a crawl, or remove them before they are fetched.",
                                "A running crawl sees the change within seconds; otherwise it is"
                                        + " effective when the crawl is resumed. URLs that the"
                                        + " crawl has seen are not fetched again.");
        spec.addPositional(Options.directory());
        addOptions(spec);
        spec.addOption(Options.quiet());
        return spec;
    }

    /** Adds what names URLs to add. */
    static void addOptions(CommandSpec spec) {
        spec.addPositional(Options.parameters(URLS_FROM, "0..*", "URL", "the URLs"));
        spec.addOption(
                Options.text(
                        SeedsFile.OPTION,
                        "FILE",
                        "read URLs from FILE, one per line (-: standard input); # starts a comment"
                                + " line"));
        spec.addOption(PendingSeeds.option());
        spec.addOption(
                Options.text(
                        PRIORITY,
                        "N",
                        "priority of the URLs among those of their host: 0 to 100, or a difference"
                                + " such as +20"));
        spec.addOption(
                Options.text(
                        NOT_BEFORE,
                        "TIME",
                        "earliest time to fetch the URLs, such as 2026-12-01T06:00:00Z"));
        spec.addOption(Options.toggle(REMOVE, "remove the URLs: they are not fetched any more"));
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        var directory = Directories.fromArgument(arguments);
        var config = Directories.settings(directory);
        var quiet = arguments.hasMatchedOption(Options.QUIET);
        if (DirectoryFrontier.isFleetPart(directory)) {
            throw new UsageException(
                    directory
                            + " is a worker's part of a fleet job; add URLs with '"
                            + CommandHint.of("fleet", "seed", "JOB", "URL")
                            + "'");
        }
        if (arguments.hasMatchedOption(REMOVE)) {
            var urls = removed(arguments);
            RemovedSeeds.add(directory, urls);
            report("removed %s; %s", urls.size(), directory, quiet);
            return ExitCode.COMPLETE.code();
        }
        try (var pending = new PendingSeeds(terminal, quiet, Optional.of(directory))) {
            var added = add(arguments, config, pending, terminal);
            if (added.file().isPresent()) {
                added.file().get().addTo(directory, terminal);
            }
            pending.addTo(directory);
            report("added %s; %s", added.urls(), directory, quiet);
        }
        return ExitCode.COMPLETE.code();
    }

    /** Returns the URLs that a user removes; fails if there are none. */
    static List<CrawlUrl> removed(ParseResult arguments) {
        for (var option : List.of(SeedsFile.OPTION, PendingSeeds.OPTION, PRIORITY, NOT_BEFORE)) {
            if (arguments.hasMatchedOption(option)) {
                throw new UsageException("--remove takes URLs as arguments only, not " + option);
            }
        }
        var urls = urls(arguments);
        if (urls.isEmpty()) {
            throw new UsageException("no URL given; expected URL");
        }
        return urls;
    }

    /**
     * What a user adds to a crawl.
     *
     * @param urls the number of URLs that were given by themselves
     * @param file of {@code --seeds}
     */
    record Added(int urls, Optional<SeedsFile> file) {}

    /** Reads what a user adds into lists; a long file is not read. */
    static Added add(
            ParseResult arguments, CrawlConfig config, PendingSeeds pending, Terminal terminal)
            throws ConfigException, IOException, InterruptedException {
        var urls = urls(arguments);
        var specs = PendingSeeds.specs(arguments);
        var fromFile = arguments.hasMatchedOption(SeedsFile.OPTION);
        if (urls.isEmpty() && specs.isEmpty() && !fromFile) {
            throw new UsageException(
                    "no URL given; expected URL, --seeds FILE or --seed-from SOURCE");
        }
        var fields = fields(arguments);
        var count = urls.size();
        if (!urls.isEmpty()) {
            pending.addCopy(
                    "urls",
                    out -> {
                        for (var url : urls) {
                            out.line(url.text(), fields);
                        }
                    });
        }
        var file = Optional.<SeedsFile>empty();
        if (fromFile) {
            var read =
                    SeedsFile.read(
                            arguments.matchedOptionValue(SeedsFile.OPTION, ""), false, pending);
            file = Optional.of(read);
            if (read.isLong() && fields.length > 0) {
                throw new UsageException(
                        "--priority and --not-before are for lists of at most %s lines; write them into the lines of the list, after a tab"
                                .formatted(Numbers.count(SeedsFile.SHORT_MAX)));
            }
            var listed = read.lines(false, terminal);
            if (!read.isLong()) {
                count += listed.size();
                pending.addCopy(
                        "file",
                        out -> {
                            for (var line : listed) {
                                out.line(line, fields);
                            }
                        });
            }
        }
        pending.read(specs, config, false);
        return new Added(count, file);
    }

    private static List<CrawlUrl> urls(ParseResult arguments) {
        return parse(arguments.matchedPositionalValue(URLS_FROM, List.of()));
    }

    private void report(String text, int urls, Path directory, boolean quiet) throws IOException {
        if (!quiet) {
            var when =
                    StoredCrawl.isRunning(directory)
                            ? "the running crawl sees the change within seconds"
                            : "effective with the next " + CommandHint.of("resume", directory);
            terminal.print(
                    text.formatted(urls == 0 ? "the lists" : Numbers.count(urls, "URL"), when));
        }
    }

    private static List<CrawlUrl> parse(List<String> texts) {
        var urls = new ArrayList<CrawlUrl>();
        for (var text : texts) {
            if (Seed.hasCredentials(text)) {
                throw new UsageException("a URL must not contain a user name or password");
            }
            urls.add(
                    Seed.read(text, SeedsFile.URLS)
                            .map(Seed::url)
                            .orElseThrow(() -> new UsageException(Seed.problem(text))));
        }
        return urls;
    }

    /** Returns the fields of the lines of a list, checked as the crawl will read them. */
    private static String[] fields(ParseResult arguments) {
        var fields =
                Stream.of(PRIORITY, NOT_BEFORE)
                        .filter(arguments::hasMatchedOption)
                        .map(
                                option ->
                                        option.substring(2)
                                                + "="
                                                + arguments.matchedOptionValue(option, ""))
                        .toArray(String[]::new);
        var line = "https://example.com/\t" + String.join("\t", fields);
        if (SeedLine.parse(line, SeedsFile.URLS) instanceof SeedLine.Malformed(var reason)) {
            throw new UsageException(reason);
        }
        return fields;
    }
}
