package dev.orbweaver;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.ExclusionList;
import dev.orbweaver.config.Settings;
import dev.orbweaver.crawl.AnswerCounts;
import dev.orbweaver.crawl.RobotsLog;
import dev.orbweaver.disk.Disk;
import dev.orbweaver.disk.Findings;
import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.disk.WholeFile;
import dev.orbweaver.frontier.disk.FrontierCheck;
import dev.orbweaver.frontier.disk.MarksFile;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.sink.CommittedOutputs;
import dev.orbweaver.sink.Compaction;
import dev.orbweaver.sink.MovedFiles;
import dev.orbweaver.sink.OutputCheck;
import dev.orbweaver.sink.StoreStatus;
import dev.orbweaver.sink.TombstoneFile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * Checks every file of a directory: of a crawl, of a job, or of a service or fleet worker with all
 * its jobs. Nothing is changed, and of a running crawl only what is committed is looked at.
 */
public final class Verification {

    /** The name of a fleet worker, in its directory. */
    public static final String WORKER_FILE = "worker";

    /** Texts that only the program writes. */
    private static final Set<String> TEXTS =
            Set.of(
                    TombstoneFile.FILE,
                    Compaction.PLAN,
                    MovedFiles.FILE,
                    AnswerCounts.FILE,
                    RunningCrawl.TRAPS_FILE,
                    Summary.FILE,
                    LiveFigures.FILE,
                    FrontierPlace.JOB_FILE,
                    FrontierPlace.NEXT_JOB_FILE,
                    FrontierPlace.FLEET_FILE,
                    WORKER_FILE);

    /** Texts that users edit too. */
    private static final Set<String> EDITED =
            Set.of(SettingsFiles.FILE, SettingsFiles.SECRETS, ExclusionList.FILE);

    private static final CrawlConfig DEFAULTS = defaults();

    private final Disk disk = new RealDisk();
    private final Findings findings;

    private final Settings table;

    private Verification(Settings table, Findings findings) {
        this.table = table;
        this.findings = findings;
    }

    /** How many bytes a check of a directory reads, about; for showing progress. */
    public static long bytes(Path folder, Settings table) throws IOException {
        var disk = new RealDisk();
        var bytes = 0L;
        for (var crawl : crawls(folder)) {
            bytes += OutputCheck.bytes(marks(crawl, table));
        }
        var frontier = folder.resolve(FrontierPlace.FRONTIER);
        return Files.isDirectory(frontier) ? bytes + FrontierCheck.bytes(disk, frontier) : bytes;
    }

    private static List<FileMark> marks(Path crawl, Settings table) {
        try {
            return new CrawlDirectory(crawl, config(crawl, table)).marks().orElse(List.of());
        } catch (IOException | UncheckedIOException e) {
            return List.of(); // Reported by the check itself.
        }
    }

    /** Checks a directory, which must be one of Orbweaver's. */
    public static void run(Path folder, Settings table, Findings findings) throws IOException {
        var verification = new Verification(table, findings);
        for (var crawl : crawls(folder)) {
            verification.crawl(crawl);
        }
        if (!CrawlDirectory.isCrawl(folder)) {
            verification.texts(folder);
        }
        var frontier = FrontierPlace.of(folder).frontier();
        if (Files.isDirectory(frontier)) {
            var config = config(crawls(folder).stream().findFirst().orElse(folder), table);
            FrontierCheck.run(
                    new RealDisk(),
                    frontier,
                    config.politeness(),
                    CrawlDirectory.diskSettings(config),
                    isRunning(folder),
                    Instant.now(),
                    findings);
        }
    }

    /** The crawl in a directory, or those of its jobs. */
    private static List<Path> crawls(Path folder) throws IOException {
        var jobs = folder.resolve(FrontierPlace.JOBS);
        if (CrawlDirectory.isCrawl(folder) || !Files.isDirectory(jobs)) {
            return List.of(folder);
        }
        try (var each = Files.list(jobs)) {
            return each.filter(Files::isDirectory).sorted().toList();
        }
    }

    /** Whether a process works there, or on the frontier that the directory shares with others. */
    private static boolean isRunning(Path folder) throws IOException {
        var frontier = FrontierPlace.of(folder).frontier().toAbsolutePath().getParent();
        return CrawlDirectory.isRunning(folder)
                || (frontier != null && CrawlDirectory.isRunning(frontier));
    }

    private void crawl(Path crawl) throws IOException {
        var running = isRunning(crawl);
        texts(crawl);
        texts(StoreStatus.folder(crawl));
        config(crawl, table, findings);
        MarksFile.check(disk, crawl, findings);
        RobotsLog.check(disk, crawl, running, findings);
        outputs(crawl, running);
        if (Files.isDirectory(crawl.resolve(CommittedOutputs.RECOVERED))) {
            findings.note(
                    crawl.resolve(CommittedOutputs.RECOVERED),
                    "has output whose commits were lost; delete it when it is not needed");
        }
    }

    private void outputs(Path crawl, boolean running) throws IOException {
        try {
            var marks = new CrawlDirectory(crawl, config(crawl, table)).marks();
            if (marks.isPresent()) {
                OutputCheck.run(disk, crawl, marks.get(), findings);
                if (!running && !Files.exists(crawl.resolve(Compaction.PLAN))) {
                    CommittedOutputs.check(disk, crawl, marks.get(), findings);
                }
            } else {
                findings.damage(crawl, "there is no frontier, so nothing says what was committed");
            }
        } catch (WholeFile.DamagedException e) {
            // Reported with the texts.
        } catch (IOException | UncheckedIOException e) {
            findings.damage(crawl, "the outputs were not checked: " + e.getMessage());
        }
    }

    private void texts(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        for (var file : disk.list(folder)) {
            var name = file.getFileName().toString();
            var ofSinks = folder.endsWith(StoreStatus.FOLDER);
            try {
                if (EDITED.contains(name) && WholeFile.text(disk.read(file)).isEmpty()) {
                    findings.note(file, "was edited, or is damaged, since the program wrote it");
                } else if ((ofSinks || TEXTS.contains(name))
                        && WholeFile.text(disk.read(file)).isEmpty()) {
                    findings.damage(file, "the text does not match its checksum");
                }
            } catch (NoSuchFileException gone) {
                // A running crawl has replaced or removed it.
            }
        }
    }

    /**
     * The settings of a crawl; where they cannot be read, others that will do to read its files.
     */
    static CrawlConfig config(Path crawl, Settings table) {
        try {
            return CrawlDirectory.open(crawl, table).config();
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
            var _ = CrawlDirectory.open(crawl, table).config();
        } catch (ConfigException e) {
            findings.damage(crawl.resolve(SettingsFiles.FILE), String.join("; ", e.problems()));
        }
    }
}
