package dev.orbweaver.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.disk.SimulatedDisk;
import dev.orbweaver.frontier.FrontierEvent;
import dev.orbweaver.frontier.FrontierScript;
import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.frontier.Scene;
import dev.orbweaver.model.JobId;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Whatever step the process, the disk or the power dies at: a state that was is there again. */
class JournalCrashTest {

    private static final Politeness POLITENESS = Politeness.DEFAULT;
    private static final int CALLS = 120;
    private static final long SEED = 20300101;

    /** Short, so that the journal is rotated many times. */
    private static final long ROTATE_FROM = 600;

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
        return new FrontierFolder(disk, POLITENESS, Scene.START, ROTATE_FROM);
    }

    /** Makes calls until one breaks; how many went well, -1 when not even the opening did. */
    private static int callsUntilBroken(SimulatedDisk disk, Class<? extends Exception> expected) {
        var calls = -1;
        try {
            var folder = open(disk);
            var script = new FrontierScript(SEED, Scene.START);
            for (calls = 0; calls < CALLS; calls++) {
                script.call(folder.frontier());
            }
        } catch (RuntimeException e) {
            assertThat(e).isInstanceOf(expected);
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
    void aDiskThatFailsAtAnyStepBreaksTheCallAndLeavesTheStateBeforeOrAfter() throws IOException {
        var whole = new SimulatedDisk();
        var states = states(whole);
        for (var operation = 2; operation <= whole.operations(); operation++) {
            var disk = new SimulatedDisk();
            disk.failAt(operation);
            var calls = Math.max(0, callsUntilBroken(disk, UncheckedIOException.class));
            var found = FrontierFolder.saved(disk, POLITENESS);
            assertThat(found)
                    .as("state after a failure at operation %d, in call %d", operation, calls)
                    .isIn(states.get(calls), states.get(Math.min(calls + 1, CALLS)));
            open(disk).frontier().close();
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
    void aFrontierThatCouldNotWriteSaysSoFromThenOn() {
        var disk = new SimulatedDisk();
        var frontier = open(disk).frontier();
        disk.failAt(disk.operations() + 1);
        var link = List.of(Scene.link("http://a.example/"));
        assertThatThrownBy(() -> frontier.offer(JobId.ONLY, link, Scene.START))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("no space left");
        assertThatThrownBy(() -> frontier.lease(1, Scene.START))
                .hasMessageContaining("could not be written earlier");
        frontier.close();
        assertThat(open(disk).frontier().lease(1, Scene.START)).isEmpty();
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
        assertThat(disk.list(FrontierFolder.FOLDER)).hasSize(2);
    }
}
