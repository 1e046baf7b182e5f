package dev.orbweaver.imports.crawls;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.imports.crawls.ImportState.Counts;
import dev.orbweaver.imports.crawls.ImportState.PartState;
import dev.orbweaver.imports.crawls.ImportState.Stage;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.ExclusionList;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.ImportTarget;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.model.HostPattern;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Imports the crawl of another program into a directory, to be continued with {@code resume}, or
 * into a job of a fleet.
 *
 * <p>Each part is read into a seed list, and the list is then loaded into the frontier. After a
 * kill the next run continues: a list at its last checkpoint, the frontier at the line after the
 * last stored one. The counts before a list is loaded are stored, so what the list changed is known
 * exactly, however often the import was killed. Only at the end it becomes a crawl.
 */
public final class CrawlImport {

    /** Host patterns are collected in memory. */
    private static final int EXCLUDED_MAX = 1_000_000;

    /** A request longer ago is left out: usual delays are seconds. */
    private static final Duration LAST_REQUEST_MAX_AGE = Duration.ofDays(1);

    private static final int LAST_REQUESTS_AT_ONCE = 10_000;

    private final CrawlImporter importer;
    private final ImportDestination destination;
    private final Path directory;
    private final InstantSource clock;
    private final Consumer<String> progress;
    private ImportState state;

    /**
     * @param config settings of the crawl, with {@code only-seed-lists}
     * @param directory where lists, rejected rows and the state of the import are stored
     * @param progress receives a short sentence many times a second
     */
    public CrawlImport(
            CrawlImporter importer,
            CrawlConfig config,
            ImportDestination destination,
            Path directory,
            InstantSource clock,
            Consumer<String> progress) {
        this.importer = importer;
        this.destination = destination;
        this.directory = directory;
        this.clock = clock;
        this.progress = progress;
        this.state =
                ImportState.start(importer.source(), destination.description(), settings(config));
    }

    private static String settings(CrawlConfig config) {
        var values = config.settingValues();
        return YamlFile.toJson(values.filter(key -> !values.table().isSecret(key)));
    }

    /** Imports what is missing. Returns the same report again if nothing is missing. */
    public ImportReport run() throws IOException, InterruptedException {
        prepare();
        if (isComplete()) {
            return report();
        }
        try (var loader = destination.open(state.id())) {
            readState(); // Another process may have written it until the directory was locked.
            var number = 0;
            for (var part : importer.parts()) {
                number++;
                importPart(part, list(number, part.name()), loader);
            }
            importHosts(loader);
            loader.finish();
        }
        return report();
    }

    /** Returns what identifies the import in its destination. */
    public String id() {
        return state.id();
    }

    private boolean isComplete() throws IOException {
        return destination.isComplete(state.id(), !state.parts().isEmpty());
    }

    /**
     * Creates the directory, or checks that it has a part of this import.
     *
     * @throws IOException if it has anything else, with what to do
     */
    public void prepare() throws IOException {
        if (ImportState.read(directory).isPresent()) {
            readState();
        } else if (Files.exists(directory) && !isEmpty(directory)) {
            throw new IOException(
                    StoredCrawl.isCrawl(directory)
                            ? directory
                                    + " contains a crawl that was not imported; choose another"
                                    + " directory with --out"
                            : directory + " is not empty; choose another directory with --out");
        } else {
            state.write(directory);
        }
    }

    private static boolean isEmpty(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            return files.findAny().isEmpty();
        }
    }

    private void readState() throws IOException {
        var stored = ImportState.read(directory).orElse(state);
        if (!stored.source().equals(state.source())) {
            throw new IOException(
                    "%s contains an import from %s; choose another directory with --out"
                            .formatted(directory, stored.source()));
        }
        if (!stored.destination().equals(state.destination())) {
            throw new IOException(
                    "%s contains an import to %s; choose another directory with --out"
                            .formatted(
                                    directory,
                                    stored.destination().isEmpty()
                                            ? "this directory"
                                            : stored.destination()));
        }
        if (!stored.settings().equals(state.settings())
                && !destination.isComplete(stored.id(), !stored.parts().isEmpty())) {
            throw new IOException(
                    "the import in %s was begun with other settings; repeat them, or delete the directory and start again"
                            .formatted(directory));
        }
        state = stored;
    }

    private void save(ImportState changed) throws IOException {
        changed.write(directory);
        state = changed;
    }

    private Path list(int number, String part) {
        return directory
                .resolve(DirectoryLayout.SEEDS)
                .resolve("%06d-%s.list".formatted(number, part));
    }

    private void importPart(CrawlImporter.Part part, Path list, ImportTarget loader)
            throws IOException, InterruptedException {
        var name = part.name();
        if (state.part(name).stage() == Stage.READING) {
            read(part, list, loader);
        }
        if (state.part(name).stage() == Stage.LOADING) {
            var unfinished = unfinished(list);
            if (Files.exists(unfinished)) { // Stored as read, but killed before it was renamed.
                Files.move(unfinished, list, StandardCopyOption.ATOMIC_MOVE);
            }
            load(name, list, loader);
        }
    }

    private static Path unfinished(Path list) {
        return list.resolveSibling(list.getFileName() + ".part");
    }

    private void read(CrawlImporter.Part part, Path list, ImportTarget loader)
            throws IOException, InterruptedException {
        var name = part.name();
        var unfinished = unfinished(list);
        var at = state.part(name);
        if (at.bytes() > 0 && (!Files.exists(unfinished) || Files.size(unfinished) < at.bytes())) {
            at = PartState.START; // The disk lost the list's end; read it again.
        }
        var begin = at;
        try (var file =
                ListFile.open(
                        unfinished,
                        begin.rows(),
                        begin.bytes(),
                        (rows, bytes, key) -> {
                            save(state.with(name, begin.at(rows, bytes, key)));
                            progress.accept("%s: %,d rows read".formatted(name, rows));
                        })) {
            part.read(begin.key(), file);
            file.finish();
            save(
                    state.with(
                            name,
                            state.part(name)
                                    .read(
                                            file.rows(),
                                            part.countRows(),
                                            Counts.of(loader.ledger()))));
        }
    }

    private void load(String name, Path list, ImportTarget loader)
            throws IOException, InterruptedException {
        loader.load(at -> progress.accept("%s: %,d lines loaded".formatted(name, at.lines())));
        var part = state.part(name);
        var lines = loader.position(list.getFileName().toString()).lines();
        if (lines != part.rows()) {
            throw new IOException(
                    "%s has %,d lines, but %,d rows were written to it; delete %s and start again"
                            .formatted(list, lines, part.rows(), directory));
        }
        save(state.with(name, part.done(Counts.of(loader.ledger()))));
    }

    private void importHosts(ImportTarget loader) throws IOException, InterruptedException {
        progress.accept("hosts");
        var hosts = new HostImport(loader, clock.instant());
        var rows = importer.readHosts(hosts);
        hosts.saveLastRequests();
        loader.exclude(hosts.excluded);
        save(state.with(hosts.counts(importer.countHosts(), rows)));
    }

    private static final class HostImport implements CrawlImporter.HostOutput {

        private final ImportTarget loader;
        private final Instant now;
        private final Set<HostPattern> excluded = new HashSet<>();
        private final Map<String, Instant> lastRequests = new HashMap<>();
        private long robots;
        private long expiredRobots;
        private long omittedRobots;
        private long invalid;

        private HostImport(ImportTarget loader, Instant now) {
            this.loader = loader;
            this.now = now;
        }

        @Override
        public void excluded(String domain) throws IOException {
            ExclusionList.pattern("." + domain).ifPresentOrElse(excluded::add, () -> invalid++);
            if (excluded.size() > EXCLUDED_MAX) {
                throw new IOException(
                        "more than %,d domains are excluded; crawl with --include or --scope instead"
                                .formatted(EXCLUDED_MAX));
            }
        }

        @Override
        public void lastRequest(String host, Instant at) throws IOException {
            if (at.isAfter(now.minus(LAST_REQUEST_MAX_AGE))) {
                lastRequests.put(host, at);
                if (lastRequests.size() >= LAST_REQUESTS_AT_ONCE) {
                    saveLastRequests();
                }
            }
        }

        private void saveLastRequests() throws IOException {
            loader.saveLastRequests(lastRequests, now);
            lastRequests.clear();
        }

        @Override
        public void robots(String host, String text, Instant expires) throws IOException {
            if (ExclusionList.pattern(host).isEmpty()) {
                invalid++;
            } else if (!expires.isAfter(now)) {
                expiredRobots++;
            } else {
                var bytes = text.getBytes(UTF_8);
                var saved = loader.saveRobots("https://" + host, bytes, expires, now);
                if (loader.saveRobots("http://" + host, bytes, expires, now) || saved) {
                    robots++;
                } else {
                    omittedRobots++;
                }
            }
        }

        private ImportReport.Hosts counts(long sourceRows, long rows) {
            return new ImportReport.Hosts(
                    sourceRows,
                    rows,
                    excluded.size(),
                    robots,
                    expiredRobots,
                    omittedRobots,
                    invalid);
        }
    }

    private ImportReport report() {
        var parts = new ArrayList<ImportReport.Part>();
        state.parts()
                .forEach(
                        (name, part) ->
                                parts.add(
                                        new ImportReport.Part(
                                                name,
                                                part.sourceRows(),
                                                part.loaded().accepted(),
                                                part.loaded().duplicate(),
                                                part.loaded().refused())));
        return new ImportReport(parts, state.hosts());
    }
}
