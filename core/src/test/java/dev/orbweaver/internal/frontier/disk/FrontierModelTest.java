package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.internal.frontier.ModelRun;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.atomic.AtomicReference;

/** Thousands of random steps, each compared with a slow and obvious oracle. */
@Slow
class FrontierModelTest {

    private static final int STEPS = 3000;

    /** Short, so that the journal is rotated often. */
    private static final long ROTATE_FROM = 4096;

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4})
    void aFrontierInMemoryDoesWhatTheOracleSays(long seed) {
        run(seed, new ModelRun(seed, TestFrontier::inMemory, false));
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {5, 6, 7, 8})
    void aFrontierOnDiskThatIsKilledNowAndThenDoesToo(long seed) {
        var disk = new AtomicReference<>(new SimulatedDisk());
        var run =
                new ModelRun(
                        seed,
                        (politeness, now) -> {
                            disk.set(disk.get().afterCrash());
                            return new FrontierDirectory(disk.get(), politeness, now, ROTATE_FROM)
                                    .frontier();
                        },
                        true);
        run(seed, run);
    }

    private static void run(long seed, ModelRun run) {
        try {
            run.run(STEPS);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("with seed " + seed + ": " + e.getMessage(), e);
        }
    }
}
