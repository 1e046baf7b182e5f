package dev.orbweaver.internal.crawl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.Frontier;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.disk.DiskFrontier;
import dev.orbweaver.model.JobId;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A disk that is full for a while delays what is written to it, and doubles or loses none of it.
 */
class DiskRetryTest {

    private static final Path DIRECTORY = Path.of("frontier");
    private static final Duration LONG = Duration.ofHours(1);

    private final SimulatedDisk disk = new SimulatedDisk();
    private final AtomicInteger checks = new AtomicInteger();

    private Frontier open() throws IOException {
        return DiskFrontier.open(disk, DIRECTORY, Politeness.DEFAULT, Fixture.START);
    }

    private void fillTheDisk() {
        disk.failFrom(disk.operations() + 1);
    }

    private void makeRoom() {
        disk.failFrom(0);
    }

    /** Somebody makes room when it has been looked for so often. */
    private DiskRetry retryUntil(int times) {
        return new DiskRetry(
                LONG,
                () -> {
                    if (checks.incrementAndGet() == times) {
                        makeRoom();
                    }
                    return false;
                });
    }

    private static void offer(Frontier frontier, String url) {
        frontier.offer(JobId.ONLY, List.of(Fixture.link(url)), Fixture.START);
    }

    @Test
    void aCallThatWasBlockedIsMadeOnceAndIsOnDiskWhenItReturns() throws IOException {
        var frontier = open();
        fillTheDisk();
        var calls = new AtomicInteger();
        var patience = retryUntil(2);
        var result =
                patience.call(
                        frontier,
                        () -> {
                            calls.incrementAndGet();
                            offer(frontier, "http://a.example/");
                            return "made";
                        },
                        "made later");
        assertThat(result).isEqualTo("made later");
        assertThat(calls).hasValue(1);
        assertThat(checks).hasValueGreaterThan(1);
        assertThat(patience.problem()).isEmpty();
        assertThat(frontier.ledger().accepted()).isEqualTo(1);
        try (var after =
                DiskFrontier.open(
                        disk.afterCrash(), DIRECTORY, Politeness.DEFAULT, Fixture.START)) {
            assertThat(after.ledger().accepted()).isEqualTo(1);
        }
    }

    @Test
    void aCallWaitsNoLongerThanItsTimeoutAndNamesTheProblem() throws IOException {
        var frontier = open();
        fillTheDisk();
        var patience = new DiskRetry(Duration.ZERO, () -> false);
        assertThatThrownBy(
                        () ->
                                patience.call(
                                        frontier,
                                        () -> {
                                            offer(frontier, "http://a.example/");
                                            return true;
                                        },
                                        true))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no space left");
        assertThat(patience.problem()).hasValueSatisfying(why -> assertThat(why).contains("space"));
    }

    @Test
    void aStoppingCrawlDoesNotWaitForTheDisk() throws IOException {
        var frontier = open();
        fillTheDisk();
        var patience = new DiskRetry(LONG, () -> checks.incrementAndGet() > 0);
        assertThatThrownBy(
                        () ->
                                patience.call(
                                        frontier,
                                        () -> {
                                            offer(frontier, "http://a.example/");
                                            return true;
                                        },
                                        true))
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
