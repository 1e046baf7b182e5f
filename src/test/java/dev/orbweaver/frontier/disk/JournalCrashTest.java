package dev.orbweaver.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.disk.SimulatedDisk;
import dev.orbweaver.frontier.FrontierBlockedException;
import dev.orbweaver.frontier.FrontierEvent;
import dev.orbweaver.frontier.FrontierFailedException;
import dev.orbweaver.frontier.FrontierScript;
import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.frontier.Scene;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Whatever step the process, the disk or the power dies at: a state that was is there again. */
@Slow
class JournalCrashTest {

    private static final Politeness POLITENESS = Politeness.DEFAULT;
    private static final int CALLS = 120;
    private static final long SEED = 20300101;

    /** Short, so that the journal is rotated many times. */
    private static final DiskSettings SETTINGS = DiskSettings.DEFAULT.tiny(600);

    private final JournalWarnings warnings = new JournalWarnings();

    @AfterEach
    void listenNoMore() {
        warnings.close();
    }

    /** The states after each call when nothing breaks, the first before any call. */
    private static List<List<FrontierEvent>> states(SimulatedDisk disk) throws IOException {
        var states = new ArrayList<List<FrontierEvent>>();
        var folder = open(disk);
        var script = new FrontierScript(SEED, Scene.START);
        states.add(folder.state());
        for (var i = 0; i < CALLS; i++) {
            script.call(folder.frontier());
            states.add(folder.state());
            assertThat(FrontierFolder.saved(disk, POLITENESS))
                    .as("state on disk after call %d", i)
                    .isEqualTo(folder.state());
        }
        return states;
    }

    private static FrontierFolder open(SimulatedDisk disk) {
        return new FrontierFolder(disk, POLITENESS, Scene.START, SETTINGS);
    }

    /** Makes calls until one breaks; how many went well, -1 when not even the opening did. */
    private static int callsUntilBroken(SimulatedDisk disk, Class<? extends Exception> expected) {
        return callsUntilBroken(disk, SETTINGS, expected);
    }

    private static int callsUntilBroken(
            SimulatedDisk disk, DiskSettings settings, Class<? extends Exception> expected) {
        var calls = -1;
        try {
            var folder = new FrontierFolder(disk, POLITENESS, Scene.START, settings);
            var script = new FrontierScript(SEED, Scene.START);
            for (calls = 0; calls < CALLS; calls++) {
                script.call(folder.frontier());
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
        assertThat(Journal.newest(disk, FrontierFolder.FOLDER)).isGreaterThan(1);
    }

    @Test
    void aCrashAtAnyStepLeavesTheStateBeforeOrAfter() throws IOException {
        var whole = new SimulatedDisk();
        var states = states(whole);
        for (var operation = 1; operation <= whole.operations(); operation++) {
            var disk = new SimulatedDisk();
            disk.crashAt(operation);
            var calls = Math.max(0, callsUntilBroken(disk, SimulatedDisk.Crash.class));
            var found = FrontierFolder.saved(disk.afterCrash(), POLITENESS);
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
            var folder = openAtLast(disk);
            var script = new FrontierScript(SEED, Scene.START);
            for (var calls = 0; calls < CALLS; calls++) {
                script.call(new PatientFrontier(folder.frontier()));
                assertThat(folder.state())
                        .as("state after a failure at operation %d, call %d", operation, calls)
                        .containsExactlyElementsOf(states.get(calls + 1));
            }
            assertThat(FrontierFolder.saved(disk, POLITENESS)).isEqualTo(folder.state());
        }
    }

    /** An opening that failed changes nothing: the next one succeeds. */
    private static FrontierFolder openAtLast(SimulatedDisk disk) {
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
            var found = FrontierFolder.saved(disk.afterPowerLoss(), POLITENESS);
            assertThat(states.subList(0, Math.min(calls + 2, CALLS + 1)))
                    .as("states before the loss of power at operation %d", operation)
                    .contains(found);
            open(disk.afterPowerLoss()).frontier().close();
        }
    }

    @Test
    void withDurabilityPowerNoCallThatReturnedIsLostWithThePower() throws IOException {
        var settings = SETTINGS.with(DiskSettings.Durability.POWER);
        var states = states(new SimulatedDisk());
        for (var operation = 1; ; operation++) {
            var disk = new SimulatedDisk();
            disk.crashAt(operation);
            var calls = callsUntilBroken(disk, settings, SimulatedDisk.Crash.class);
            if (calls == CALLS) {
                break;
            }
            assertThat(FrontierFolder.saved(disk.afterPowerLoss(), POLITENESS))
                    .as(
                            "state after the loss of power at operation %d, in call %d",
                            operation, calls)
                    .isIn(states.get(Math.max(0, calls)), states.get(Math.min(calls + 1, CALLS)));
        }
    }

    @Test
    void withDurabilityPowerAFailureAtAnyStepCostsNothingThatReturned() throws IOException {
        var settings = SETTINGS.with(DiskSettings.Durability.POWER);
        var whole = new SimulatedDisk();
        var steps = new FrontierFolder(whole, POLITENESS, Scene.START, settings);
        var all = new FrontierScript(SEED, Scene.START);
        for (var calls = 0; calls < CALLS; calls++) {
            all.call(steps.frontier());
        }
        for (var operation = 20; operation <= whole.operations(); operation++) {
            var disk = new SimulatedDisk();
            disk.failAt(operation);
            var folder = new FrontierFolder(disk, POLITENESS, Scene.START, settings);
            var script = new FrontierScript(SEED, Scene.START);
            for (var calls = 0; calls < CALLS; calls++) {
                script.call(new PatientFrontier(folder.frontier()));
                if (disk.operations() >= operation && disk.operations() < operation + 40) {
                    assertThat(FrontierFolder.saved(disk.afterPowerLoss(), POLITENESS))
                            .as("after a failure at operation %d and call %d", operation, calls)
                            .isEqualTo(folder.state());
                }
            }
        }
    }

    @Test
    void aFrontierThatCannotWriteTakesNothingInAndGoesOnWhenItCan() throws IOException {
        var disk = new SimulatedDisk();
        var folder = open(disk);
        var frontier = folder.frontier();
        var first = List.of(Scene.link("http://a.example/"));
        var second = List.of(Scene.link("http://b.example/"));
        frontier.offer(JobId.ONLY, first, Scene.START);
        disk.failFrom(disk.operations() + 1);
        assertThatThrownBy(() -> frontier.offer(JobId.ONLY, second, Scene.START))
                .isInstanceOf(FrontierBlockedException.class)
                .hasMessageContaining("no space left");
        assertThat(frontier.recover()).isFalse();
        assertThat(frontier.lease(9, Scene.START)).isEmpty();
        var third = List.of(Scene.link("http://c.example/"));
        assertThatThrownBy(() -> frontier.offer(JobId.ONLY, third, Scene.START))
                .isInstanceOf(FrontierBlockedException.class);
        disk.failFrom(0);
        assertThat(frontier.recover()).isTrue();
        assertThat(frontier.lease(9, Scene.START)).hasSize(3);
        assertThat(FrontierFolder.saved(disk, POLITENESS)).isEqualTo(folder.state());
    }

    @Test
    void aLeaseGoesOutOnlyOnceItIsOnDisk() throws IOException {
        var disk = new SimulatedDisk();
        var folder = open(disk);
        var frontier = folder.frontier();
        frontier.offer(JobId.ONLY, List.of(Scene.link("http://a.example/")), Scene.START);
        disk.failFrom(disk.operations() + 1);
        assertThat(frontier.lease(9, Scene.START)).isEmpty();
        assertThat(frontier.lease(9, Scene.START)).isEmpty();
        disk.failFrom(0);
        assertThat(frontier.lease(9, Scene.START)).hasSize(1);
        assertThat(frontier.lease(9, Scene.START)).isEmpty();
        assertThat(FrontierFolder.saved(disk, POLITENESS)).isEqualTo(folder.state());
    }

    @Test
    void closingLeavesASnapshotAndAnEmptyJournalOfTheSameState() throws IOException {
        var disk = new SimulatedDisk();
        var folder = open(disk);
        var script = new FrontierScript(SEED, Scene.START);
        for (var i = 0; i < CALLS; i++) {
            script.call(folder.frontier());
        }
        var state = folder.state();
        folder.frontier().close();
        assertThat(FrontierFolder.saved(disk, POLITENESS)).isEqualTo(state);
        assertThat(disk.length(journal(disk))).isEqualTo(Frames.HEADER);
    }

    private static Path journal(SimulatedDisk disk) throws IOException {
        return FrontierFolder.FOLDER.resolve(
                "journal-" + Journal.newest(disk, FrontierFolder.FOLDER));
    }
}
