package dev.orbweaver.e2e;

import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.FaultyDisk;
import dev.orbweaver.internal.disk.Findings;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.engine.Verification;
import dev.orbweaver.sinks.backup.Backup;
import dev.orbweaver.sinks.backup.BackupCatalog;
import dev.orbweaver.sinks.backup.DirectoryStore;
import dev.orbweaver.sinks.backup.Restore;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Backups of a running crawl, while both processes are killed with SIGKILL at random moments and
 * the target is full at random bytes or fails once. Every finished backup is restored and verified
 * when it was made and again at the end, and some are resumed to the end and compared with the
 * truth.
 */
public final class BackupKills {

    private static final int HOSTS = 40;
    private static final int MINUTES_MAX = 10;

    /** Longer than a backup takes, so that some kills come after its end or in its rotation. */
    private static final int BACKUP_MILLIS_MAX = 2_500;

    /** The space of the first try on a full target; every further try has twice as much. */
    private static final int CAPACITY_MAX = 10_000;

    private static final int OPERATIONS_MAX = 50;

    private static final Backup.Progress NO_PROGRESS =
            new Backup.Progress() {
                @Override
                public void total(long bytes) {}

                @Override
                public void done(long bytes) {}
            };

    private final Path directory;
    private final int kills;
    private final int pages;
    private final int resumes;
    private final long seed;
    private final Random random;
    private final List<String> wrong = new ArrayList<>();
    private final Map<String, Path> restored = new TreeMap<>();
    private int crawlKills;
    private int backupKills;
    private int unfinished;
    private int fullTargets;
    private int fullDuringCrawl;
    private int diskErrors;

    /**
     * @param directory an empty one, for everything
     * @param kills of both kinds of processes
     * @param resumes how many finished backups are resumed to the end of the crawl
     */
    public BackupKills(Path directory, int kills, int pages, int resumes, long seed) {
        this.directory = directory;
        this.kills = kills;
        this.pages = pages;
        this.resumes = resumes;
        this.seed = seed;
        this.random = new Random(seed);
    }

    /** Runs it and returns the figures; {@code wrong} must be empty. */
    public Map<String, Object> run() throws Exception {
        var spec =
                new WebSpec(
                        seed & 0xFFFF, HOSTS, pages, 1_000, 0.3, 100, EnumSet.allOf(Quirk.class));
        try (var web = LoopbackWeb.serve(spec)) {
            var process = startCrawl(web);
            waitFor(web, process, 20);
            while (crawlKills + backupKills < kills) {
                var backup = startBackup();
                process =
                        random.nextBoolean()
                                ? killCrawl(web, process)
                                : killBackup(backup, process);
                backup.waitFor();
                restoreFinished();
                fillTarget(web, process);
            }
            if (!process.isAlive()) {
                process = startCrawl(web);
            }
            require(startBackup().waitFor() == 0, "the last backup: " + output("backup"));
            restoreFinished();
            process.destroyForcibly().waitFor();
            finish(web, crawl());
            require(fullDuringCrawl > 0, "no target was full while the crawl was running");
            restoreAgain();
            var left = resumes;
            for (var back : List.copyOf(restored.values()).reversed()) {
                if (left-- > 0) {
                    finish(web, back);
                }
            }
        }
        var figures = new LinkedHashMap<String, Object>();
        figures.put("kills", crawlKills + backupKills);
        figures.put("killsOfBackup", backupKills);
        figures.put("unfinishedBackups", unfinished);
        figures.put("fullTargets", fullTargets);
        figures.put("fullDuringCrawl", fullDuringCrawl);
        figures.put("diskErrors", diskErrors);
        figures.put("finishedBackups", restored.size());
        figures.put("resumed", Math.min(resumes, restored.size()));
        figures.put("pages", ArchiveReader.open(crawl()).pages().size());
        figures.put("wrong", wrong);
        figures.put("seed", seed);
        return figures;
    }

    private Path crawl() {
        return directory.resolve("crawl");
    }

    private Path target() {
        return directory.resolve("backups");
    }

    private void require(boolean holds, String what) {
        if (!holds) {
            wrong.add(what);
        }
    }

    /** Kills the crawl while a backup may be running, and starts it again. */
    private Process killCrawl(LoopbackWeb web, Process process) throws Exception {
        waitFor(web, process, 1 + random.nextInt(60));
        Thread.sleep(random.nextInt(300), random.nextInt(900_000));
        process.destroyForcibly().waitFor();
        crawlKills++;
        return startCrawl(web);
    }

    private Process killBackup(Process backup, Process process) throws Exception {
        Thread.sleep(random.nextInt(BACKUP_MILLIS_MAX), random.nextInt(900_000));
        if (backup.isAlive()) {
            backupKills++;
        }
        backup.destroyForcibly().waitFor();
        return process;
    }

    private static void waitFor(LoopbackWeb web, Process process, int requests) throws Exception {
        var until = web.auditor().requests() + requests;
        while (web.auditor().requests() < until && !process.waitFor(1, TimeUnit.MILLISECONDS)) {}
    }

    /** Restores and checks every finished backup that was not there before. */
    private void restoreFinished() throws Exception {
        try (var store = new DirectoryStore(new RealDisk(), target(), _ -> {})) {
            var before = restored.size();
            for (var id : BackupCatalog.read(store).ids()) {
                if (!restored.containsKey(id)) {
                    var back = directory.resolve("back-" + id);
                    var _ = Restore.run(store, id, back);
                    restored.put(id, back);
                    check(back);
                }
            }
            unfinished += restored.size() == before ? 1 : 0;
        }
    }

    /** Later kills and full targets must not have changed a finished backup. */
    private void restoreAgain() throws Exception {
        require(!restored.isEmpty(), "no backup was finished");
        var earlier = new TreeMap<>(restored);
        restored.clear();
        for (var back : earlier.values()) {
            Files.move(back, back.resolveSibling(back.getFileName() + "-before"));
        }
        restoreFinished();
        require(
                restored.equals(earlier),
                "finished were " + earlier.keySet() + ", now " + restored.keySet());
    }

    /**
     * Makes backups on a disk that is full after some bytes or fails once, each time later, until
     * one is finished. Each try begins with the pieces that the one before could store.
     */
    private void fillTarget(LoopbackWeb web, Process process) throws Exception {
        waitFor(web, process, 1 + random.nextInt(60));
        var capacity = 1L + random.nextInt(CAPACITY_MAX);
        var operation = 1L + random.nextInt(OPERATIONS_MAX);
        for (; !tryBackup(process, capacity, operation); capacity *= 2, operation *= 2) {}
        restoreFinished();
    }

    /** Returns whether the backup was finished. */
    private boolean tryBackup(Process process, long capacity, long operation) throws IOException {
        var full = random.nextBoolean();
        var sound = FaultyDisk.over(new RealDisk(), random.nextLong());
        var disk = full ? sound.withCapacity(capacity) : sound.withErrorAt(operation);
        var before = finished();
        try (var store = new DirectoryStore(disk, target(), _ -> {})) {
            var report = Backup.run(crawl(), store, 100, Instant.now(), NO_PROGRESS);
            require(finished().contains(report.id()), report.id() + " is not listed");
            return true;
        } catch (IOException e) {
            var message = String.valueOf(e.getMessage());
            if (!full) {
                diskErrors++;
                var finished = message.contains("is finished, but");
                require(finished().equals(before) != finished, "a disk error: " + message);
                return finished;
            }
            fullTargets++;
            fullDuringCrawl += process.isAlive() ? 1 : 0;
            require(
                    message.contains("No space left on device")
                            && message.contains("this backup is not finished"),
                    "a full target: " + message);
            require(finished().equals(before), "finished on a full target: " + message);
            return false;
        }
    }

    private List<String> finished() throws IOException {
        try (var store = new DirectoryStore(new RealDisk(), target(), _ -> {})) {
            return BackupCatalog.read(store).ids();
        }
    }

    private void check(Path back) throws Exception {
        var stored = StoredCrawl.open(back, Settings.CORE);
        require(stored.stats().ledger().balances(), back + ": the ledger does not balance");
        Verification.run(
                back,
                Settings.CORE,
                new Findings() {
                    @Override
                    public void damage(Path file, long offset, String message) {
                        wrong.add(file + ", byte " + offset + ": " + message);
                    }

                    @Override
                    public void note(Path file, String message) {
                        wrong.add(file + ": " + message);
                    }

                    @Override
                    public void checked(long bytes) {}
                });
    }

    /** Resumes a crawl and compares its end with the truth. */
    private void finish(LoopbackWeb web, Path crawl) throws Exception {
        var name = crawl.getFileName().toString();
        var process = start(name, List.of("resume", crawl.toString(), "--quiet"));
        if (!process.waitFor(MINUTES_MAX, TimeUnit.MINUTES)) {
            process.destroyForcibly().waitFor();
            wrong.add(name + " does not come to an end");
            return;
        }
        require(
                process.exitValue() == 0 || process.exitValue() == 5,
                name + ": exit " + process.exitValue() + " " + output(name));
        var archive = ArchiveReader.open(crawl);
        archive.differences(web.truth().pages()).forEach(page -> wrong.add(name + ": " + page));
        archive.recordedTwice().forEach((url, n) -> wrong.add(name + ": " + url + " twice " + n));
        ArchiveConsistency.differences(crawl, archive)
                .forEach(each -> wrong.add(name + ": " + each));
        require(!Files.exists(crawl.resolve("recovered")), name + " has recovered/");
    }

    private Process startCrawl(LoopbackWeb web) throws IOException {
        var command = new ArrayList<String>();
        command.addAll(List.of("crawl", web.hub(), "--out", crawl().toString(), "--scope", "any"));
        command.addAll(List.of("--dns-server", web.nameServer(), "--allow-private", "--quiet"));
        command.addAll(List.of("--delay", "20ms", "--delay-ip", "0", "--concurrency", "8"));
        command.addAll(List.of("--retry-delay", "100ms", "--error-backoff", "10ms"));
        command.addAll(List.of("--max-idle-wait", "3s", "--max-warc-size", "300KB"));
        return start("crawl", command);
    }

    private Process startBackup() throws IOException {
        return start(
                "backup",
                List.of("backup", crawl().toString(), target().toString(), "--keep", "100"));
    }

    private Process start(String name, List<String> arguments) throws IOException {
        var command = ProgramJvm.program("-Xmx256m");
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(name + ".out").toFile())
                .start();
    }

    private String output(String name) throws IOException {
        return Files.readString(directory.resolve(name + ".out"), StandardCharsets.UTF_8);
    }
}
