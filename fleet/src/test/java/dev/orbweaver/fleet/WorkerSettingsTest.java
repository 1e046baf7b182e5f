package dev.orbweaver.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.model.JobId;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

class WorkerSettingsTest {

    private static final WorkerSettings WORKER =
            new WorkerSettings(
                    FleetSettings.of("redis://127.0.0.1:1", "fleet", "w1"),
                    Path.of("data"),
                    8,
                    false);

    private static FleetJob job(String settings) {
        return new FleetJob(
                new JobId(1),
                FleetJob.State.RUNNING,
                settings,
                List.of("http://a.test/"),
                Instant.EPOCH,
                1,
                1,
                "",
                FleetJob.StateDetail.NONE,
                "one",
                0);
    }

    /** A client of Redis could otherwise make a worker send the content of its files. */
    @Test
    void aJobCannotNameAFileOfTheWorkersMachine() throws ConfigException {
        var seeds = "seeds: [http://a.test/]\n";
        assertThat(WORKER.config(job(seeds)).seeds()).hasSize(1);
        assertThatThrownBy(() -> WORKER.config(job(seeds + "cookies-file: /etc/passwd\n")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("cookies-file names a file");
    }
}
