package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/** The short form of {@code bench/run sinks}. */
@Slow
class SinkKillTest {

    private static final int KILLS = 3;
    private static final int PAGES = 900;

    /** A fast machine may come to the end of a web before its last kill; then there is another. */
    private static final int ROUNDS_MAX = 10;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void killsLeaveTheSameCapturesInWarcPageLogMongoDbAndS3() throws Exception {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        System.out.println("SinkKillTest: replay with -Dorbweaver.seed=" + seed);
        var kills = 0;
        for (var round = 0; kills < KILLS && round < ROUNDS_MAX; round++) {
            var web = directory.resolve("web" + round);
            var figures = new SinkKills(web, KILLS - kills, PAGES, seed + round).run();
            System.out.println("SinkKillTest: " + figures);
            assertThat(figures).as("seed " + seed).containsEntry("wrong", List.of());
            kills += (int) figures.get("kills");
        }
        assertThat(kills).as("kills, seed " + seed).isEqualTo(KILLS);
    }
}
