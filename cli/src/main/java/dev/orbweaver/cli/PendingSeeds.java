package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.imports.ArchivedCapture;
import dev.orbweaver.imports.CaptureSource;
import dev.orbweaver.imports.SeedSources;
import dev.orbweaver.imports.SourceException;
import dev.orbweaver.imports.SourceSpec;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.robots.Sitemap;
import dev.orbweaver.internal.seeds.RejectedLines;
import dev.orbweaver.internal.seeds.SeedEntry;
import dev.orbweaver.internal.seeds.SeedLine;
import dev.orbweaver.internal.seeds.SeedList;
import dev.orbweaver.internal.seeds.SeedListWriter;
import dev.orbweaver.internal.seeds.SeedOutput;
import dev.orbweaver.internal.seeds.SeedSource;
import dev.orbweaver.internal.url.CrawlUrls;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Seed lists that are read before a crawl has its directory: the first URL of one may name the
 * directory. They are in a temporary directory until they are added to the crawl.
 *
 * <p>The label of a list says what it was read from, and whether the source failed before its end.
 * So a command that starts a crawl again reads only sources that have more for it.
 */
final class PendingSeeds implements AutoCloseable {

    static final String OPTION = "--seed-from";

    static final String IMPORT_CAPTURES = "--import-captures";

    private static final int TOO_MANY_REQUESTS = 429;

    /** An entry of a sitemap is one hop from the start of a crawl that finds it. */
    private static final int SITEMAP_POINTS = -10;

    /** Rejected entries of a source that are printed; a file has all of them. */
    private static final int REJECTED_SHOWN = 20;

    private final Terminal terminal;
    private final boolean quiet;
    private final Optional<Path> crawl;
    private Optional<PendingDirectory> temporary = Optional.empty();

    /**
     * @param crawl the directory of the crawl, which need not exist; empty for a crawl that has
     *     none on this machine
     */
    PendingSeeds(Terminal terminal, boolean quiet, Optional<Path> crawl) {
        this.terminal = terminal;
        this.quiet = quiet;
        this.crawl = crawl;
    }

    static OptionSpec option() {
        return Options.list(
                OPTION,
                "SOURCE",
                "also start at the URLs that a source lists, such as sitemap:https://example.com/,"
                    + " feed:URL, common-crawl:example.com, csv:FILE#column=url; docs/seeding.md"
                    + " has all of them; repeatable");
    }

    static OptionSpec importCapturesOption() {
        return Options.toggle(
                IMPORT_CAPTURES,
                "the URLs of the archives of --seed-from (warc:, wacz:, cdxj:) count as visited"
                        + " and are not fetched again");
    }

    /** Parses the sources that a user has named. */
    static List<SourceSpec> specs(ParseResult arguments) throws ConfigException {
        var specs = new ArrayList<SourceSpec>();
        for (var text : arguments.matchedOptionValue(OPTION, List.<String>of())) {
            specs.add(SourceSpec.parse(text));
        }
        return specs;
    }

    /**
     * Reads sources one after the other. A source that fails is reported, and the entries that were
     * read before are kept.
     *
     * @param importCaptures whether the URLs of archives count as visited
     */
    void read(List<SourceSpec> specs, CrawlConfig config, boolean importCaptures)
            throws ConfigException, IOException, InterruptedException {
        if (specs.isEmpty()) {
            return;
        }
        try (var sources = new SeedSources(config, directory(), System.in)) {
            for (var spec : specs) {
                read(spec, sources.open(spec), config, importCaptures && isArchive(spec));
            }
            // The crawl may begin with a host that was requested just now.
            sources.awaitTurns();
        }
    }

    private void read(SourceSpec spec, SeedSource source, CrawlConfig config, boolean visited)
            throws IOException, InterruptedException {
        announce("reading " + source.description());
        var rejections = directory().resolve("rejected.tsv");
        long lines;
        try (var rejected = RejectedLines.of(rejections)) {
            var report = new Report(spec, config.urls(), rejected);
            lines =
                    SeedList.addCopy(
                            directory(),
                            () -> label(spec, visited, report.isPartial),
                            out -> {
                                if (visited && source instanceof CaptureSource archive) {
                                    report.run(() -> archive.readCaptures(report.captures(out)));
                                } else {
                                    report.run(() -> source.read(report.urls(out)));
                                }
                            });
            announce(
                    "%s: %s%s"
                            .formatted(
                                    spec,
                                    Numbers.count(lines, visited ? "capture" : "URL"),
                                    report.rejectedCount == 0
                                            ? ""
                                            : ", "
                                                    + Numbers.count(report.rejectedCount)
                                                    + " entries rejected"));
        }
        if (Files.exists(rejections)) {
            var _ = Files.move(rejections, SeedList.of(directory()).getLast().sourceRejections());
        }
    }

    private static boolean isArchive(SourceSpec spec) {
        return switch (spec.type()) {
            case WARC, WACZ, CDXJ -> true;
            case SITEMAP, FEED, CT, COMMON_CRAWL, WAYBACK, CSV, JSONL, TXT, PARQUET, TRANCO ->
                    false;
        };
    }

    private static String label(SourceSpec spec, boolean visited, boolean partial) {
        var text = (partial ? "partial-" : "") + spec;
        return visited ? SeedList.capturesLabel(text) : text;
    }

    /** Checks that there is an archive whose captures can be imported. */
    static void requireArchive(List<SourceSpec> specs) {
        if (specs.stream().noneMatch(PendingSeeds::isArchive)) {
            throw new UsageException(
                    IMPORT_CAPTURES
                            + " needs an archive: --seed-from warc:FILE, wacz:FILE or cdxj:FILE");
        }
    }

    private void announce(String text) {
        if (!quiet) {
            terminal.printError(text);
        }
    }

    /** Copies lines of standard input, or anything else that cannot be read again. */
    void addCopy(String label, SeedList.Content content) throws IOException, InterruptedException {
        var _ = SeedList.addCopy(directory(), label, content);
    }

    boolean hasLists() throws IOException {
        return !lists().isEmpty();
    }

    private List<SeedList> lists() throws IOException {
        return temporary.isPresent() ? SeedList.of(temporary.get().path()) : List.of();
    }

    /** Returns the first URL of the lists that may be fetched at once. */
    Optional<String> firstUrl() throws IOException {
        for (var list : lists()) {
            try (var lines = Files.lines(list.file())) {
                var first = SeedsFile.firstUrl(lines);
                if (first.isPresent()) {
                    return first;
                }
            }
        }
        return Optional.empty();
    }

    /** Returns the sources that a crawl has not read to the end yet. */
    List<SourceSpec> missing(List<SourceSpec> specs, Path of, boolean importCaptures)
            throws IOException {
        var known = SeedList.of(of);
        var missing = new ArrayList<SourceSpec>();
        for (var spec : specs) {
            var visited = importCaptures && isArchive(spec);
            var whole = known.stream().filter(list -> list.isOf(label(spec, visited, false)));
            var list = whole.findFirst();
            if (list.isEmpty()) {
                missing.add(spec);
                continue;
            }
            try (var lines = Files.lines(list.get().file())) {
                announce(
                        "%s: already read (%s)"
                                .formatted(
                                        spec,
                                        Numbers.count(lines.count(), visited ? "capture" : "URL")));
            }
        }
        return missing;
    }

    /**
     * Returns the lists, and a long file, as they are sent to a fleet.
     *
     * @param file of {@code --seeds}, if it was given
     */
    List<Fleet.SeedFile> seedFiles(Optional<SeedsFile> file) throws IOException {
        var files = new ArrayList<Fleet.SeedFile>();
        for (var list : lists()) {
            files.add(new Fleet.SeedFile(list.nameWithoutNumber(), list.file()));
            keepRejections(list);
        }
        file.flatMap(SeedsFile::longFile)
                .ifPresent(path -> files.add(new Fleet.SeedFile("file.list", path)));
        return files;
    }

    /** Moves what a source rejected to the current directory: a job of a fleet has no other. */
    private void keepRejections(SeedList list) throws IOException {
        var rejections = list.sourceRejections();
        if (Files.exists(rejections)) {
            var target = Path.of(rejections.getFileName().toString());
            announce(
                    "rejected entries: "
                            + Files.move(rejections, target, StandardCopyOption.REPLACE_EXISTING));
        }
    }

    /** Returns the directory of the lists, until this is closed. */
    Path directory() throws IOException {
        if (temporary.isEmpty()) {
            temporary = Optional.of(PendingDirectory.create(crawl));
        }
        return temporary.get().path();
    }

    /** Adds the lists to a crawl. */
    void addTo(Path target) throws IOException {
        for (var list : lists()) {
            move(list, target);
        }
    }

    /** Adds the lists that a crawl does not have: the same command may start it again. */
    void addNewTo(Path target) throws IOException {
        var known = SeedList.of(target);
        for (var list : lists()) {
            if (!list.isAmong(known)) {
                move(list, target);
            }
        }
    }

    private void move(SeedList list, Path target) throws IOException {
        var rejections = list.moveTo(target).sourceRejections();
        if (Files.exists(rejections)) {
            announce("rejected entries: " + rejections);
        }
    }

    @Override
    public void close() throws IOException {
        if (temporary.isPresent()) {
            temporary.get().close();
        }
    }

    private interface Reading {
        void run() throws IOException, InterruptedException;
    }

    /** Writes the entries of a source to a list, and prints its progress. */
    private final class Report {

        private final SourceSpec spec;
        private final CrawlUrls urls;
        private final RejectedLines rejected;
        private final Instant now = InstantSource.system().instant();
        private long rejectedCount;
        private boolean isPartial;

        private Report(SourceSpec spec, CrawlUrls urls, RejectedLines rejected) {
            this.spec = spec;
            this.urls = urls;
            this.rejected = rejected;
        }

        /** Runs a source; entries that it has passed on before it fails are kept. */
        private void run(Reading reading) throws InterruptedException {
            try {
                reading.run();
            } catch (IOException e) {
                isPartial = !(e instanceof SourceException source && source.isAtLimit());
                terminal.warn(spec + ": " + ErrorReporter.message(e, ""));
            }
        }

        private boolean isUrl(long number, String text) throws IOException {
            var problem = SeedLine.problem(text, urls);
            if (problem.isPresent()) {
                reject(number, text, problem.get());
            }
            return problem.isEmpty();
        }

        private void reject(long number, String text, String reason) throws IOException {
            rejected.add(number, reason, text);
            if (++rejectedCount <= REJECTED_SHOWN) {
                terminal.warn("%s, entry %d: %s".formatted(spec, number, reason));
            }
        }

        private void progress(String what) {
            announce(spec + ": " + what);
        }

        private SeedOutput urls(SeedListWriter out) {
            return new SeedOutput() {
                @Override
                public void add(long number, SeedEntry entry) throws IOException {
                    if (isUrl(number, entry.url())) {
                        out.entry(entry, points(entry));
                    }
                }

                @Override
                public void reject(long number, String text, String reason) throws IOException {
                    Report.this.reject(number, text, reason);
                }

                @Override
                public void progress(String what) {
                    Report.this.progress(what);
                }
            };
        }

        /** Entries of sitemaps get the priority that they have when the crawl finds them itself. */
        private int points(SeedEntry entry) {
            return switch (spec.type()) {
                case SITEMAP, FEED ->
                        new Sitemap.Entry(entry.url(), entry.lastModified(), entry.priority())
                                        .points(now)
                                + SITEMAP_POINTS;
                case CT,
                        COMMON_CRAWL,
                        WAYBACK,
                        WARC,
                        WACZ,
                        CDXJ,
                        CSV,
                        JSONL,
                        TXT,
                        PARQUET,
                        TRANCO ->
                        0;
            };
        }

        /**
         * Captures count as visited. A response that a crawl would retry does not count, so that
         * the URL is fetched when a page links to it.
         */
        private CaptureSource.CaptureOutput captures(SeedListWriter out) {
            return new CaptureSource.CaptureOutput() {
                @Override
                public void add(long number, ArchivedCapture capture) throws IOException {
                    if (capture.status() < 500
                            && capture.status() != TOO_MANY_REQUESTS
                            && isUrl(number, capture.url())) {
                        out.line(capture.url(), "visited");
                    }
                }

                @Override
                public void reject(long number, String text, String reason) throws IOException {
                    Report.this.reject(number, text, reason);
                }

                @Override
                public void progress(String what) {
                    Report.this.progress(what);
                }
            };
        }
    }
}
