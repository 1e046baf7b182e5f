package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.imports.ArchivedCapture;
import dev.orbweaver.imports.CaptureSource;
import dev.orbweaver.imports.SeedSources;
import dev.orbweaver.imports.SourceSpec;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.seeds.SeedEntry;
import dev.orbweaver.internal.seeds.SeedList;
import dev.orbweaver.internal.seeds.SeedListWriter;
import dev.orbweaver.internal.seeds.SeedOutput;
import dev.orbweaver.internal.seeds.SeedSource;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Seed lists that are read before a crawl has its directory: the first URL of one may name the
 * directory. They are in a temporary directory until they are added to the crawl.
 */
final class PendingSeeds implements AutoCloseable {

    static final String OPTION = "--seed-from";

    static final String IMPORT_CAPTURES = "--import-captures";

    private static final int TOO_MANY_REQUESTS = 429;

    /** Rejected entries of a source that are printed; the others are counted. */
    private static final int REJECTED_SHOWN = 20;

    private final Terminal terminal;
    private final boolean quiet;
    private final Path temporary;

    private PendingSeeds(Terminal terminal, boolean quiet, Path temporary) {
        this.terminal = terminal;
        this.quiet = quiet;
        this.temporary = temporary;
    }

    static PendingSeeds create(Terminal terminal, boolean quiet) throws IOException {
        return new PendingSeeds(terminal, quiet, Files.createTempDirectory("orbweaver-seeds-"));
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
        try (var sources = new SeedSources(config, temporary, System.in)) {
            for (var spec : specs) {
                var source = sources.open(spec);
                announce("reading " + source.description());
                var rejected = new AtomicLong();
                var visited = importCaptures && isArchive(spec);
                var lines =
                        SeedList.addCopy(
                                temporary,
                                label(spec, importCaptures),
                                out -> {
                                    var report = new Report(spec.toString(), out, rejected);
                                    if (visited && source instanceof CaptureSource archive) {
                                        report.readVisited(archive);
                                    } else {
                                        report.readFrom(source);
                                    }
                                });
                announce(
                        "%s: %s%s"
                                .formatted(
                                        spec,
                                        Numbers.count(lines, visited ? "capture" : "URL"),
                                        rejected.get() == 0
                                                ? ""
                                                : ", "
                                                        + Numbers.count(rejected.get())
                                                        + " entries rejected"));
            }
        }
    }

    private static boolean isArchive(SourceSpec spec) {
        return switch (spec.type()) {
            case WARC, WACZ, CDXJ -> true;
            case SITEMAP, FEED, CT, COMMON_CRAWL, WAYBACK, CSV, JSONL, TXT, PARQUET, TRANCO ->
                    false;
        };
    }

    private static String label(SourceSpec spec, boolean importCaptures) {
        return importCaptures && isArchive(spec)
                ? SeedList.capturesLabel(spec.toString())
                : spec.toString();
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
        var _ = SeedList.addCopy(temporary, label, content);
    }

    boolean hasLists() throws IOException {
        return !SeedList.of(temporary).isEmpty();
    }

    /** Returns the first URL of the lists. */
    Optional<String> firstUrl() throws IOException {
        for (var list : SeedList.of(temporary)) {
            try (var lines = Files.lines(list.file())) {
                var first = lines.map(SeedsFile::urlOf).flatMap(Optional::stream).findFirst();
                if (first.isPresent()) {
                    return first;
                }
            }
        }
        return Optional.empty();
    }

    /** Returns the sources of which a crawl has no list yet. */
    static List<SourceSpec> missing(List<SourceSpec> specs, Path crawl, boolean importCaptures)
            throws IOException {
        var lists = SeedList.of(crawl);
        return specs.stream()
                .filter(
                        spec ->
                                lists.stream()
                                        .noneMatch(list -> list.isOf(label(spec, importCaptures))))
                .toList();
    }

    /**
     * Returns the lists, and a long file, as they are sent to a fleet.
     *
     * @param file of {@code --seeds}, if it was given
     */
    List<Fleet.SeedFile> seedFiles(Optional<SeedsFile> file) throws IOException {
        var files = new ArrayList<Fleet.SeedFile>();
        for (var list : SeedList.of(temporary)) {
            files.add(new Fleet.SeedFile(list.nameWithoutNumber(), list.file()));
        }
        file.flatMap(SeedsFile::longFile)
                .ifPresent(path -> files.add(new Fleet.SeedFile("file.list", path)));
        return files;
    }

    /** Returns the directory of the lists, until this is closed. */
    Path directory() {
        return temporary;
    }

    /** Adds the lists to a crawl. */
    void addTo(Path crawl) throws IOException {
        for (var list : SeedList.of(temporary)) {
            list.moveTo(crawl);
        }
    }

    @Override
    public void close() throws IOException {
        try (var files = Files.walk(temporary)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Writes the entries of a source to a list, and prints its progress. */
    private final class Report implements SeedOutput {

        private final String source;
        private final SeedListWriter out;
        private final AtomicLong rejected;

        private Report(String source, SeedListWriter out, AtomicLong rejected) {
            this.source = source;
            this.out = out;
            this.rejected = rejected;
        }

        private void readFrom(SeedSource from) throws InterruptedException {
            try {
                from.read(this);
            } catch (IOException e) {
                terminal.warn(source + ": " + ErrorReporter.message(e, ""));
            }
        }

        private void readVisited(CaptureSource from) throws InterruptedException {
            try {
                from.readCaptures(new VisitedOutput(this));
            } catch (IOException e) {
                terminal.warn(source + ": " + ErrorReporter.message(e, ""));
            }
        }

        @Override
        public void add(SeedEntry entry) throws IOException {
            out.entry(entry);
        }

        @Override
        public void reject(long line, String text, String reason) {
            if (rejected.incrementAndGet() <= REJECTED_SHOWN) {
                terminal.warn("%s, entry %d: %s".formatted(source, line, reason));
            }
        }

        @Override
        public void progress(String what) {
            announce(source + ": " + what);
        }
    }

    /**
     * Writes captures as visited. A response that a crawl would retry does not count, so that the
     * URL is fetched when a page links to it.
     */
    private record VisitedOutput(Report report) implements CaptureSource.CaptureOutput {

        @Override
        public void add(ArchivedCapture capture) throws IOException {
            if (capture.status() < 500 && capture.status() != TOO_MANY_REQUESTS) {
                report.out.line(capture.url().replace('\t', ' '), "visited");
            }
        }

        @Override
        public void reject(long record, String text, String reason) {
            report.reject(record, text, reason);
        }

        @Override
        public void progress(String what) {
            report.progress(what);
        }
    }
}
