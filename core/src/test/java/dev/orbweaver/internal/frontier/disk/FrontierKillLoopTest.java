package dev.orbweaver.internal.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** A sample of {@code bench/run tightkills}. */
@Slow
class FrontierKillLoopTest {

    private static final int KILLS = 15;

    @TempDir Path directory;

    @Test
    void aFrontierKilledAtAnyMomentLosesNothingAndHandsOutNothingTwice() throws Exception {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var test = new FrontierKillLoop(directory, seed);
        test.run(KILLS);
        assertThat(test.wrong()).as("wrong with seed %d", seed).isEmpty();
        assertThat(test.kills()).isEqualTo(KILLS);
        assertThat(test.snapshots()).as("snapshots").isGreaterThan(KILLS);
    }
}
