package dev.orbweaver.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.Findings;
import dev.orbweaver.internal.disk.PowerLossDisk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.internal.frontier.disk.DiskFrontier;
import dev.orbweaver.internal.frontier.disk.DiskSettings;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.Durability;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * With durability {@code power} no commit is lost when the power fails: the real frontier and the
 * real sink, several processes each. {@code -Dorbweaver.seeds=N} runs more of them.
 */
@Slow
class PowerLossTest {

    private static final Logger REPORTS = Logger.getLogger("dev.orbweaver");
    private static final Politeness POLITENESS =
            new Politeness(
                    Duration.ZERO, Duration.ZERO, Duration.ZERO, 100, Duration.ofMinutes(10));
    private static final CrawlUrls NORMAL = new CrawlUrls(Normalisation.DEFAULT);
    private static final int URLS = 60;

    @TempDir private Path temporary;
    private Path directory = Path.of("crawl");
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    /** URLs for which a settle has returned. */
    private final TreeSet<String> acknowledged = new TreeSet<>();

    @BeforeAll
    static void leaveReportsOut() {
        REPORTS.setLevel(Level.SEVERE);
    }

    @AfterAll
    static void letReportsIn() {
        REPORTS.setLevel(null);
    }

    @Test
    void withDurabilityPowerNothingCommittedIsLost() throws IOException {
        var seeds = Long.getLong("orbweaver.seeds", 20);
        var losses = 0;
        for (var seed = 1L; seed <= seeds; seed++) {
            try {
                losses += crawl(seed);
            } catch (AssertionError | IOException | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertThat(losses).isGreaterThan(Math.toIntExact(seeds) / 2);
    }

    private int crawl(long seed) throws IOException {
        var random = new Random(seed);
        directory = Files.createDirectories(temporary.resolve("crawl-" + seed));
        acknowledged.clear();
        for (var losses = 0; ; losses++) {
            var trash = Files.createDirectories(temporary.resolve("trash-" + seed + "-" + losses));
            var disk = new PowerLossDisk(trash, 20 + random.nextInt(120), false);
            var done = runUntilPowerLoss(disk, random);
            if (done) {
                check(seed);
                return losses;
            }
            assertThat(losses).as("lives of a crawl of %d pages", URLS).isLessThan(500);
            disk.losePower(random);
            now = now.plusSeconds(60);
        }
    }

    /** Crawls until the disk fails; returns true if everything was done. */
    private boolean runUntilPowerLoss(PowerLossDisk disk, Random random) throws IOException {
        try (var frontier = frontier(disk)) {
            offer(frontier);
            try (var sink = sink(disk, frontier.committedLengths())) {
                requireAcknowledged(frontier);
                while (frontier.ledger().queued() > 0) {
                    if (disk.failed()) {
                        return false; // A frontier that cannot write issues no leases.
                    }
                    now = now.plusSeconds(1);
                    var leases = frontier.lease(1 + random.nextInt(5), now);
                    commit(frontier, sink, leases);
                }
            }
        } catch (IOException | UncheckedIOException | IllegalStateException e) {
            assertThat(disk.failed()).as("%s", e).isTrue();
            return false;
        } catch (RuntimeException e) {
            if (e.getCause() instanceof IOException) {
                return false;
            }
            throw e;
        }
        return true;
    }

    private TestFrontier frontier(Disk disk) throws IOException {
        disk.createDirectory(directory.resolve("frontier"));
        var settings = DiskSettings.DEFAULT.withSmallFiles(2_000).with(Durability.POWER);
        return TestFrontier.open(disk, directory.resolve("frontier"), POLITENESS, settings, now);
    }

    private void offer(TestFrontier frontier) throws IOException {
        var all = new ArrayList<Candidate>();
        for (var n = 0; n < URLS; n++) {
            var url = NORMAL.parse("http://h%d.test/%d".formatted(n % 5, n)).orElseThrow();
            all.add(Candidate.seed(url, false));
        }
        frontier.crawl(TestFrontier.JOB).offer(all, now).requireStored();
    }

    private WarcSink sink(Disk disk, List<CommittedLength> marks) throws IOException {
        return WarcSink.open(
                disk,
                directory,
                new WarcSettings(
                        Compression.GZIP,
                        4_000,
                        Map.of(),
                        temporary,
                        true,
                        new RecordOptions(true, false, false, false)),
                marks,
                InstantSource.fixed(now));
    }

    private void commit(TestFrontier frontier, WarcSink sink, List<Lease> leases)
            throws IOException {
        var settlements = new ArrayList<Settlement>();
        for (var lease : leases) {
            var page = Captures.page(lease.url().text(), "body of " + lease.url().text());
            var capture = sink.write(sink.prepare(page));
            settlements.add(
                    Settlement.of(lease, new Outcome.Done(true, 10), new HostSignal.Healthy(now))
                            .withCapture(capture));
        }
        frontier.crawl(TestFrontier.JOB)
                .settle(new CommitBatch(settlements, sink.commit()), now)
                .requireStored();
        leases.forEach(lease -> acknowledged.add(lease.url().text()));
    }

    /** Acknowledged URLs are in the page log and done in the frontier. */
    private void requireAcknowledged(TestFrontier frontier) throws IOException {
        var urls = new TreeSet<String>();
        for (var url : logged()) {
            assertThat(urls.add(url)).as("once: %s", url).isTrue();
        }
        assertThat(urls).containsAll(acknowledged);
        var ledger = frontier.ledger();
        assertThat(ledger.done()).isEqualTo(urls.size());
        assertThat(ledger.accepted())
                .isEqualTo(
                        ledger.queued()
                                + ledger.leased()
                                + ledger.done()
                                + ledger.dead()
                                + ledger.withdrawn());
    }

    private List<String> logged() throws IOException {
        var urls = new ArrayList<String>();
        PageLog.read(
                directory.resolve(DirectoryLayout.PAGE_LOG),
                (PageLogEntry entry) -> urls.add(entry.url()));
        return urls;
    }

    private void check(long seed) throws IOException {
        assertThat(new TreeSet<>(logged())).hasSize(URLS);
        var marks =
                DiskFrontier.readCommittedLengths(
                        new RealDisk(),
                        directory.resolve("frontier"),
                        POLITENESS,
                        DiskSettings.DEFAULT);
        var damages = new ArrayList<String>();
        OutputCheck.run(
                new RealDisk(),
                directory,
                marks,
                new Findings() {
                    @Override
                    public void damage(Path file, long offset, String what) {
                        damages.add(file + ": " + what);
                    }

                    @Override
                    public void note(Path file, String what) {}

                    @Override
                    public void checked(long bytes) {}
                });
        assertThat(damages).as("seed %d", seed).isEmpty();
    }
}
