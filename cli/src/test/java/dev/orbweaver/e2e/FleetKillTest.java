package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.testing.Slow;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/**
 * The promise of a fleet: whoever dies, nothing is lost. The long form is {@code bench/run
 * fleetkills}; run with {@code -Dorbweaver.seed=N} to see a failure again.
 */
@Slow
class FleetKillTest {

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void aFleetWhoseWorkersAndRedisAreKilledFindsEverything() throws Exception {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        System.out.println("FleetKillTest: replay with -Dorbweaver.seed=" + seed);
        var spec =
                WebSpec.light(seed & 0xFFFF, 40, 400)
                        .without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE);
        var plan = new FleetKills.Plan(3, 4, 1, 1, 2, 1);
        try (var web = LoopbackWeb.serve(spec);
                var kills = new FleetKills(directory, web, seed, plan, _ -> {})) {
            var outcome = kills.run();
            System.out.println("FleetKillTest: " + outcome.figures());
            assertThat(outcome.missing()).as("seed %d\n%s", seed, kills.output()).isEmpty();
            assertThat(outcome.extra()).as("seed %d", seed).isEmpty();
            assertThat(outcome.exact()).as("seed %d: %s", seed, outcome.figures()).isTrue();
            assertThat(outcome.polite(plan.stops()))
                    .as("seed %d: %s", seed, outcome.audit().json())
                    .isTrue();
        }
    }
}
