package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.internal.frontier.disk.DiskSettings;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Durability;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Hop;
import dev.orbweaver.sinks.backup.Backup;
import dev.orbweaver.sinks.backup.BackupCatalog;
import dev.orbweaver.sinks.backup.DirectoryStore;
import dev.orbweaver.sinks.backup.Restore;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Backups of a frontier whose journals, segments and snapshots are so small that they are replaced
 * while they are copied. The newest backups are kept, and their data only.
 */
@Slow
class BackupRotationTest {

    private static final int BACKUPS = 8;
    private static final int KEPT = 3;
    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
    private static final Backup.Progress NO_PROGRESS =
            new Backup.Progress() {
                @Override
                public void total(long bytes) {}

                @Override
                public void done(long bytes) {}
            };

    @TempDir private Path directory;

    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    @Test
    void everyBackupOpensThoughTheFrontierReplacesItsFilesMeanwhile() throws Exception {
        var crawl = Files.createDirectories(directory.resolve("crawl"));
        var config = CrawlConfig.of("http://seed.example/");
        Files.writeString(crawl.resolve("crawl.yaml"), YamlFile.write(config.settingValues()));
        var urls = new CrawlUrls(config.normalisation());
        var small = new DiskSettings(urls, Durability.PROCESS, 40_000, 10_000, 500, true);
        try (var frontier =
                TestFrontier.open(
                        new RealDisk(),
                        crawl.resolve("frontier"),
                        config.politeness(),
                        small,
                        NOW)) {
            var writer = Thread.ofPlatform().start(() -> write(frontier, urls));
            try {
                var rotations = backUp(crawl);
                assertThat(rotations).as("backups of different snapshots").isGreaterThan(3);
            } finally {
                over.set(true);
                writer.join();
            }
        }
        assertThat(failure.get()).isNull();
    }

    private long backUp(Path crawl) throws Exception {
        var snapshots = new HashSet<String>();
        var acceptedById = new TreeMap<String, Long>();
        try (var store = new DirectoryStore(new RealDisk(), directory.resolve("to"), _ -> {})) {
            for (var i = 0; i < BACKUPS; i++) {
                var before = accepted.get();
                var report = Backup.run(crawl, store, KEPT, Instant.now(), NO_PROGRESS);
                var back = directory.resolve("back" + i);
                var _ = Restore.run(store, report.id(), back);
                var ledger = StoredCrawl.open(back, Settings.CORE).stats().ledger();
                assertThat(ledger.balances()).as("backup %d: %s", i, ledger).isTrue();
                assertThat(ledger.accepted())
                        .as("everything that was committed before backup %d", i)
                        .isGreaterThanOrEqualTo(before);
                reopen(back, ledger.accepted());
                acceptedById.put(report.id(), ledger.accepted());
                try (var files = Files.list(back.resolve("frontier"))) {
                    files.map(file -> file.getFileName().toString())
                            .filter(name -> name.startsWith("snapshot-"))
                            .forEach(snapshots::add);
                }
            }
            restoreKept(store, acceptedById);
        }
        return snapshots.size();
    }

    /** Restores what is left after earlier backups and their data were deleted. */
    private void restoreKept(DirectoryStore store, SortedMap<String, Long> acceptedById)
            throws Exception {
        var kept = BackupCatalog.read(store).ids();
        var newest = List.copyOf(acceptedById.keySet()).subList(BACKUPS - KEPT, BACKUPS);
        assertThat(kept).isEqualTo(newest);
        for (var id : kept) {
            var back = directory.resolve("kept-" + id);
            var _ = Restore.run(store, id, back);
            var ledger = StoredCrawl.open(back, Settings.CORE).stats().ledger();
            assertThat(ledger.accepted()).as(id).isEqualTo(acceptedById.get(id));
            reopen(back, ledger.accepted());
        }
    }

    private static void reopen(Path back, long accepted) throws Exception {
        var config = StoredCrawl.open(back, Settings.CORE).config();
        var urls = new CrawlUrls(config.normalisation());
        try (var opened =
                TestFrontier.open(
                        new RealDisk(),
                        back.resolve("frontier"),
                        config.politeness(),
                        DiskSettings.of(urls),
                        NOW.plusSeconds(60))) {
            assertThat(opened.inner.stats().ledger().accepted()).isEqualTo(accepted);
        }
    }

    private void write(TestFrontier frontier, CrawlUrls urls) {
        try {
            var now = NOW;
            for (var round = 0; !over.get() && round < 1_000_000; round++) {
                var host = "http://h" + round % 50 + ".example/" + round + "/";
                frontier.offer(
                        TestFrontier.JOB,
                        IntStream.range(0, 5)
                                .mapToObj(i -> urls.parse(host + i).orElseThrow())
                                .map(url -> new Candidate(url, Hop.LINK, 1, 0))
                                .toList(),
                        now);
                accepted.addAndGet(5);
                LockSupport.parkNanos(150_000); // A backup must be able to link files in between.
                for (var lease : frontier.lease(2, now)) {
                    now = now.plusMillis(100);
                    var outcome =
                            round % 3 == 0
                                    ? new Outcome.Dead(FailureCause.TIMEOUT)
                                    : new Outcome.Done(true, 100);
                    var settled = Settlement.of(lease, outcome, new HostSignal.Healthy(now));
                    var batch = new CommitBatch(List.of(settled), List.of());
                    assertThat(frontier.settle(batch, now)).isZero();
                }
            }
        } catch (Throwable e) {
            failure.set(e);
        }
    }
}
