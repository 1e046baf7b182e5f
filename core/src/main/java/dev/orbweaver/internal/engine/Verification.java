package dev.orbweaver.internal.engine;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.crawl.RobotsLog;
import dev.orbweaver.internal.directory.DirectoryFrontier;
import dev.orbweaver.internal.directory.FrontierLocation;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.Findings;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.disk.CommittedLengthsFile;
import dev.orbweaver.internal.frontier.disk.FrontierCheck;
import dev.orbweaver.internal.sink.OutputCheck;
import dev.orbweaver.internal.sink.OutputRecovery;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.model.CommittedLength;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * Checks every file of the directory of a crawl, job, service or fleet worker without changing any.
 * Of a running crawl only what is committed is checked.
 */
public final class Verification {

    /** Texts that only the program writes. */
    private static final Set<String> GENERATED_FILES =
            Set.of(
                    DirectoryLayout.TOMBSTONES,
                    DirectoryLayout.COMPACTION_PLAN,
                    DirectoryLayout.MOVED_FILES,
                    DirectoryLayout.RESPONSE_COUNTS,
                    DirectoryLayout.TRAPS,
                    DirectoryLayout.REPORT,
                    DirectoryLayout.PROGRESS,
                    DirectoryLayout.HISTORY,
                    DirectoryLayout.JOB,
                    DirectoryLayout.NEXT_JOB,
                    DirectoryLayout.NEXT_SCHEDULE,
                    DirectoryLayout.FLEET,
                    DirectoryLayout.WORKER);

    /** Texts that users edit too. */
    private static final Set<String> EDITABLE_FILES =
            Set.of(
                    DirectoryLayout.SETTINGS,
                    DirectoryLayout.SECRETS,
                    DirectoryLayout.EXCLUDED_HOSTS);

    private static final CrawlConfig DEFAULTS = defaults();

    private final Disk disk = new RealDisk();
    private final Findings findings;

    private final Settings table;

    private Verification(Settings table, Findings findings) {
        this.table = table;
        this.findings = findings;
    }

    /** How many bytes a check of a directory reads, about; for showing progress. */
    public static long bytesToCheck(Path directory, Settings table) throws IOException {
        var disk = new RealDisk();
        var bytes = 0L;
        for (var crawl : crawls(directory)) {
            bytes += OutputCheck.bytesToRead(committedLengths(crawl, table));
        }
        var frontier = directory.resolve(DirectoryLayout.FRONTIER);
        return Files.isDirectory(frontier) ? bytes + FrontierCheck.bytes(disk, frontier) : bytes;
    }

    private static List<CommittedLength> committedLengths(Path crawl, Settings table) {
        try {
            return new DirectoryFrontier(crawl, config(crawl, table))
                    .committedLengths()
                    .orElse(List.of());
        } catch (IOException | UncheckedIOException e) {
            return List.of(); // Reported by the check itself.
        }
    }

    /** Checks a directory, which must be one of Orbweaver's. */
    public static void run(Path directory, Settings table, Findings findings) throws IOException {
        var verification = new Verification(table, findings);
        for (var crawl : crawls(directory)) {
            verification.checkCrawl(crawl);
        }
        if (!StoredCrawl.isCrawl(directory)) {
            verification.checkTexts(directory);
            verification.checkTexts(directory.resolve(DirectoryLayout.SCHEDULES));
        }
        var frontier = FrontierLocation.of(directory).frontier();
        if (Files.isDirectory(frontier)) {
            var config = config(crawls(directory).stream().findFirst().orElse(directory), table);
            FrontierCheck.run(
                    new RealDisk(),
                    frontier,
                    config.politeness(),
                    DirectoryFrontier.diskSettings(config),
                    isRunning(directory),
                    Instant.now(),
                    findings);
        }
    }

    /** The crawl in a directory, or those of its jobs. */
    private static List<Path> crawls(Path directory) throws IOException {
        var jobs = directory.resolve(DirectoryLayout.JOBS);
        if (StoredCrawl.isCrawl(directory) || !Files.isDirectory(jobs)) {
            return List.of(directory);
        }
        try (var each = Files.list(jobs)) {
            return each.filter(Files::isDirectory).sorted().toList();
        }
    }

    /** Whether a process works there, or on the frontier that the directory shares with others. */
    private static boolean isRunning(Path directory) throws IOException {
        var frontier = FrontierLocation.of(directory).frontier().toAbsolutePath().getParent();
        return StoredCrawl.isRunning(directory)
                || (frontier != null && StoredCrawl.isRunning(frontier));
    }

    private void checkCrawl(Path crawl) throws IOException {
        var running = isRunning(crawl);
        checkTexts(crawl);
        checkTexts(SinkStatus.directory(crawl));
        checkTexts(crawl.resolve(DirectoryLayout.DEPENDENTS));
        config(crawl, table, findings);
        CommittedLengthsFile.check(disk, crawl, findings);
        RobotsLog.check(disk, crawl, running, findings);
        checkOutputs(crawl, running);
        if (Files.isDirectory(crawl.resolve(DirectoryLayout.RECOVERED))) {
            findings.note(
                    crawl.resolve(DirectoryLayout.RECOVERED),
                    "has output whose commits were lost; delete it when it is not needed");
        }
    }

    private void checkOutputs(Path crawl, boolean running) throws IOException {
        try {
            var marks = new DirectoryFrontier(crawl, config(crawl, table)).committedLengths();
            if (marks.isPresent()) {
                OutputCheck.run(disk, crawl, marks.get(), findings);
                if (!running && !Files.exists(crawl.resolve(DirectoryLayout.COMPACTION_PLAN))) {
                    OutputRecovery.check(disk, crawl, marks.get(), findings);
                }
            } else {
                findings.damage(crawl, "there is no frontier, so nothing says what was committed");
            }
        } catch (AtomicFile.DamagedException e) {
            // Reported with the texts.
        } catch (IOException | UncheckedIOException e) {
            findings.damage(crawl, "the outputs were not checked: " + e.getMessage());
        }
    }

    /** An empty file is that of a handler that has not acknowledged anything. */
    private void checkPosition(Path file) throws IOException {
        var bytes = Files.readAllBytes(file);
        if (bytes.length > 0 && !PositionFile.isIntact(bytes)) {
            findings.damage(
                    file, "the position does not match its checksum; delivery would start again");
        }
    }

    private void checkTexts(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return;
        }
        for (var file : disk.list(directory)) {
            var name = file.getFileName().toString();
            var ofSinks = directory.endsWith(DirectoryLayout.SINKS);
            var ofSchedules =
                    directory.endsWith(DirectoryLayout.SCHEDULES) && name.endsWith(".json");
            var generated =
                    ofSinks
                            || ofSchedules
                            || directory.endsWith(DirectoryLayout.DEPENDENTS)
                            || GENERATED_FILES.contains(name);
            try {
                if (ofSinks && name.endsWith(PositionFile.SUFFIX)) {
                    checkPosition(file);
                } else if (EDITABLE_FILES.contains(name)
                        && AtomicFile.verifiedText(disk.read(file)).isEmpty()) {
                    findings.note(file, "was edited, or is damaged, since the program wrote it");
                } else if (generated && AtomicFile.verifiedText(disk.read(file)).isEmpty()) {
                    findings.damage(file, "the text does not match its checksum");
                }
            } catch (NoSuchFileException gone) {
                // A running crawl has replaced or removed it.
            }
        }
    }

    /** The settings of a crawl, or defaults that suffice to read its files. */
    static CrawlConfig config(Path crawl, Settings table) {
        try {
            return StoredCrawl.open(crawl, table).config();
        } catch (ConfigException e) {
            return DEFAULTS; // Enough to read files; the settings are reported by their own check.
        }
    }

    private static CrawlConfig defaults() {
        try {
            return CrawlConfig.of("http://example.com/");
        } catch (ConfigException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void config(Path crawl, Settings table, Findings findings) {
        try {
            var _ = StoredCrawl.open(crawl, table).config();
        } catch (ConfigException e) {
            findings.damage(crawl.resolve(DirectoryLayout.SETTINGS), e.summary());
        }
    }
}
