package dev.orbweaver.internal.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.FrontierFailedException;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.SeededFrontierCalls;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.model.Durability;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * After a crash of the process, the disk or the power at any step, an earlier state is restored.
 */
@Slow
class JournalCrashTest {

    private static final Politeness POLITENESS = Politeness.DEFAULT;
    private static final int CALLS = 120;
    private static final long SEED = 20300101;

    /** Short, so that the journal is rotated many times. */
    private static final DiskSettings SETTINGS = DiskSettings.DEFAULT.withSmallFiles(600);

    private final LogCapture warnings = new LogCapture();

    @AfterEach
    void listenNoMore() {
        warnings.close();
    }

    /** Returns the states after each call without a failure, the first before any call. */
    private static List<List<FrontierEvent>> states(SimulatedDisk disk) throws IOException {
        var states = new ArrayList<List<FrontierEvent>>();
        var directory = open(disk);
        var script = new SeededFrontierCalls(SEED, Fixture.START);
        states.add(directory.state());
        for (var i = 0; i < CALLS; i++) {
            script.call(directory.frontier());
            states.add(directory.state());
            assertThat(FrontierDirectory.saved(disk, POLITENESS))
                    .as("state on disk after call %d", i)
                    .isEqualTo(directory.state());
        }
        return states;
    }

    private static FrontierDirectory open(SimulatedDisk disk) {
        return new FrontierDirectory(disk, POLITENESS, Fixture.START, SETTINGS);
    }

    /** Makes calls until one fails; returns how many succeeded, -1 if not even the opening did. */
    private static int callsUntilBroken(SimulatedDisk disk, Class<? extends Exception> expected) {
        return callsUntilBroken(disk, SETTINGS, expected);
    }

    private static int callsUntilBroken(
            SimulatedDisk disk, DiskSettings settings, Class<? extends Exception> expected) {
        var calls = -1;
        try {
            var directory = new FrontierDirectory(disk, POLITENESS, Fixture.START, settings);
            var script = new SeededFrontierCalls(SEED, Fixture.START);
            for (calls = 0; calls < CALLS; calls++) {
                script.call(directory.frontier());
            }
        } catch (RuntimeException e) {
            assertThat(e instanceof FrontierFailedException ? e.getCause() : e)
                    .isInstanceOf(expected);
        }
        return calls;
    }

    @Test
    void theStateOnDiskIsTheStateInMemoryAfterEveryCall() throws IOException {
        var disk = new SimulatedDisk();
        assertThat(states(disk)).hasSize(CALLS + 1);
        assertThat(Journal.newestNumber(disk, FrontierDirectory.DIRECTORY)).isGreaterThan(1);
    }

    @Test
    void aCrashAtAnyStepLeavesTheStateBeforeOrAfter() throws IOException {
        var whole = new SimulatedDisk();
        var states = states(whole);
        for (var operation = 1; operation <= whole.operations(); operation++) {
            var disk = new SimulatedDisk();
            disk.crashAt(operation);
            var calls = Math.max(0, callsUntilBroken(disk, SimulatedDisk.Crash.class));
            var found = FrontierDirectory.saved(disk.afterCrash(), POLITENESS);
            assertThat(found)
                    .as("state after a crash at operation %d, in call %d", operation, calls)
                    .isIn(states.get(calls), states.get(Math.min(calls + 1, CALLS)));
            open(disk.afterCrash()).frontier().close();
        }
    }

    @Test
    void aDiskThatFailsAtAnyStepIsNoMoreThanADelay() throws IOException {
        var whole = new SimulatedDisk();
        var states = states(whole);
        for (var operation = 2; operation <= whole.operations(); operation++) {
            var disk = new SimulatedDisk();
            disk.failAt(operation);
            var directory = openAtLast(disk);
            var script = new SeededFrontierCalls(SEED, Fixture.START);
            for (var calls = 0; calls < CALLS; calls++) {
                script.call(new RetryingFrontier(directory.frontier().inner));
                assertThat(directory.state())
                        .as("state after a failure at operation %d, call %d", operation, calls)
                        .containsExactlyElementsOf(states.get(calls + 1));
            }
            assertThat(FrontierDirectory.saved(disk, POLITENESS)).isEqualTo(directory.state());
        }
    }

    /** An opening that failed changes nothing: the next one succeeds. */
    private static FrontierDirectory openAtLast(SimulatedDisk disk) {
        try {
            return open(disk);
        } catch (UncheckedIOException e) {
            return open(disk);
        }
    }

    @Test
    void afterALossOfPowerSomeEarlierStateIsThere() throws IOException {
        var whole = new SimulatedDisk();
        var states = states(whole);
        for (var operation = 1; operation <= whole.operations(); operation++) {
            var disk = new SimulatedDisk();
            disk.crashAt(operation);
            var calls = Math.max(0, callsUntilBroken(disk, SimulatedDisk.Crash.class));
            var found = FrontierDirectory.saved(disk.afterPowerLoss(), POLITENESS);
            assertThat(states.subList(0, Math.min(calls + 2, CALLS + 1)))
                    .as("states before the loss of power at operation %d", operation)
                    .contains(found);
            open(disk.afterPowerLoss()).frontier().close();
        }
    }

    @Test
    void withDurabilityPowerNoCallThatReturnedIsLostWithThePower() throws IOException {
        var settings = SETTINGS.with(Durability.POWER);
        var states = states(new SimulatedDisk());
        for (var operation = 1; ; operation++) {
            var disk = new SimulatedDisk();
            disk.crashAt(operation);
            var calls = callsUntilBroken(disk, settings, SimulatedDisk.Crash.class);
            if (calls == CALLS) {
                break;
            }
            assertThat(FrontierDirectory.saved(disk.afterPowerLoss(), POLITENESS))
                    .as(
                            "state after the loss of power at operation %d, in call %d",
                            operation, calls)
                    .isIn(states.get(Math.max(0, calls)), states.get(Math.min(calls + 1, CALLS)));
        }
    }

    @Test
    void withDurabilityPowerAFailureAtAnyStepCostsNothingThatReturned() throws IOException {
        var settings = SETTINGS.with(Durability.POWER);
        var whole = new SimulatedDisk();
        var steps = new FrontierDirectory(whole, POLITENESS, Fixture.START, settings);
        var all = new SeededFrontierCalls(SEED, Fixture.START);
        for (var calls = 0; calls < CALLS; calls++) {
            all.call(steps.frontier());
        }
        for (var operation = 20; operation <= whole.operations(); operation++) {
            var disk = new SimulatedDisk();
            disk.failAt(operation);
            var directory = new FrontierDirectory(disk, POLITENESS, Fixture.START, settings);
            var script = new SeededFrontierCalls(SEED, Fixture.START);
            for (var calls = 0; calls < CALLS; calls++) {
                script.call(new RetryingFrontier(directory.frontier().inner));
                if (disk.operations() >= operation && disk.operations() < operation + 40) {
                    assertThat(FrontierDirectory.saved(disk.afterPowerLoss(), POLITENESS))
                            .as("after a failure at operation %d and call %d", operation, calls)
                            .isEqualTo(directory.state());
                }
            }
        }
    }

    @Test
    void aFrontierThatCannotWriteTakesNothingInAndGoesOnWhenItCan() throws IOException {
        var disk = new SimulatedDisk();
        var directory = open(disk);
        var frontier = directory.frontier();
        var first = List.of(Fixture.link("http://a.example/"));
        var second = List.of(Fixture.link("http://b.example/"));
        frontier.offer(TestFrontier.JOB, first, Fixture.START);
        disk.failFrom(disk.operations() + 1);
        var crawl = frontier.crawl(TestFrontier.JOB);
        assertThat(crawl.offer(second, Fixture.START))
                .isInstanceOfSatisfying(
                        CommitStatus.Pending.class,
                        pending ->
                                assertThat(pending.problem())
                                        .hasToString(
                                                "frontier storage unavailable (disk): no space left"
                                                        + " on the simulated disk"));
        assertThat(frontier.flush()).isFalse();
        assertThat(frontier.lease(9, Fixture.START)).isEmpty();
        var third = List.of(Fixture.link("http://c.example/"));
        assertThat(crawl.offer(third, Fixture.START)).isInstanceOf(CommitStatus.Pending.class);
        disk.failFrom(0);
        assertThat(frontier.flush()).isTrue();
        assertThat(frontier.lease(9, Fixture.START)).hasSize(3);
        assertThat(FrontierDirectory.saved(disk, POLITENESS)).isEqualTo(directory.state());
    }

    @Test
    void aLeaseGoesOutOnlyOnceItIsOnDisk() throws IOException {
        var disk = new SimulatedDisk();
        var directory = open(disk);
        var frontier = directory.frontier();
        frontier.offer(TestFrontier.JOB, List.of(Fixture.link("http://a.example/")), Fixture.START);
        disk.failFrom(disk.operations() + 1);
        assertThat(frontier.lease(9, Fixture.START)).isEmpty();
        assertThat(frontier.lease(9, Fixture.START)).isEmpty();
        disk.failFrom(0);
        assertThat(frontier.lease(9, Fixture.START)).hasSize(1);
        assertThat(frontier.lease(9, Fixture.START)).isEmpty();
        assertThat(FrontierDirectory.saved(disk, POLITENESS)).isEqualTo(directory.state());
    }

    @Test
    void closingLeavesASnapshotAndAnEmptyJournalOfTheSameState() throws IOException {
        var disk = new SimulatedDisk();
        var directory = open(disk);
        var script = new SeededFrontierCalls(SEED, Fixture.START);
        for (var i = 0; i < CALLS; i++) {
            script.call(directory.frontier());
        }
        var state = directory.state();
        directory.frontier().close();
        assertThat(FrontierDirectory.saved(disk, POLITENESS)).isEqualTo(state);
        assertThat(disk.length(journal(disk))).isEqualTo(Frames.HEADER);
    }

    private static Path journal(SimulatedDisk disk) throws IOException {
        return FrontierDirectory.DIRECTORY.resolve(
                "journal-" + Journal.newestNumber(disk, FrontierDirectory.DIRECTORY));
    }
}
