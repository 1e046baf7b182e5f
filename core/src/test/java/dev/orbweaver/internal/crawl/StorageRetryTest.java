package dev.orbweaver.internal.crawl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.TestFrontier;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Checks that a temporarily full disk delays writes, and neither repeats nor loses any. */
class StorageRetryTest {

    private static final Path DIRECTORY = Path.of("frontier");
    private static final Duration LONG = Duration.ofHours(1);

    private final SimulatedDisk disk = new SimulatedDisk();
    private final AtomicInteger checks = new AtomicInteger();

    private TestFrontier open() throws IOException {
        return TestFrontier.open(disk, DIRECTORY, Politeness.DEFAULT, Fixture.START);
    }

    private void fillTheDisk() {
        disk.failFrom(disk.operations() + 1);
    }

    private void makeRoom() {
        disk.failFrom(0);
    }

    /** Frees space after this number of attempts. */
    private StorageRetry retryUntil(int times) {
        return new StorageRetry(
                LONG,
                () -> {
                    if (checks.incrementAndGet() == times) {
                        makeRoom();
                    }
                    return false;
                });
    }

    private static CommitStatus offer(CrawlFrontier frontier, String url) {
        return frontier.offer(List.of(Fixture.link(url)), Fixture.START);
    }

    @Test
    void aPendingChangeIsStoredOnceTheDiskHasRoomAgain() throws IOException {
        var frontier = open();
        var crawl = frontier.crawl(TestFrontier.JOB);
        fillTheDisk();
        var patience = retryUntil(2);
        patience.awaitStored(crawl, offer(crawl, "http://a.example/"));
        assertThat(checks).hasValueGreaterThan(1);
        assertThat(patience.problem()).isEmpty();
        assertThat(frontier.ledger().accepted()).isEqualTo(1);
        try (var after =
                TestFrontier.open(
                        disk.afterCrash(), DIRECTORY, Politeness.DEFAULT, Fixture.START)) {
            assertThat(after.ledger().accepted()).isEqualTo(1);
        }
    }

    @Test
    void aCallWaitsNoLongerThanItsTimeoutAndNamesTheProblem() throws IOException {
        var frontier = open();
        var crawl = frontier.crawl(TestFrontier.JOB);
        fillTheDisk();
        var patience = new StorageRetry(Duration.ZERO, () -> false);
        assertThatThrownBy(() -> patience.awaitStored(crawl, offer(crawl, "http://a.example/")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no space left");
        assertThat(patience.problem())
                .hasValueSatisfying(
                        why ->
                                assertThat(why)
                                        .isEqualTo(
                                                "frontier storage unavailable (disk): no space left"
                                                        + " on the simulated disk"));
    }

    @Test
    void aStoppingCrawlDoesNotWaitForTheDisk() throws IOException {
        var frontier = open();
        var crawl = frontier.crawl(TestFrontier.JOB);
        fillTheDisk();
        var patience = new StorageRetry(LONG, () -> checks.incrementAndGet() > 0);
        assertThatThrownBy(() -> patience.awaitStored(crawl, offer(crawl, "http://a.example/")))
                .isInstanceOf(IOException.class);
        assertThat(checks).hasValue(1);
    }

    @Test
    void aWriteThatFailedIsUndoneBeforeItIsTriedAgain() throws IOException {
        var done = new ArrayList<String>();
        var tries = new AtomicInteger();
        var undone = new AtomicInteger();
        var result =
                retryUntil(Integer.MAX_VALUE)
                        .write(
                                () -> {
                                    done.add("write");
                                    if (tries.incrementAndGet() < 3) {
                                        throw new IOException("no space left");
                                    }
                                    return tries.get();
                                },
                                () -> {
                                    done.add("undo");
                                    if (undone.incrementAndGet() == 1) {
                                        throw new IOException("not even room to undo");
                                    }
                                });
        assertThat(result).isEqualTo(3);
        assertThat(done).containsExactly("write", "undo", "undo", "write", "undo", "write");
    }
}
