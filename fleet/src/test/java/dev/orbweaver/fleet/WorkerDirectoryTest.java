package dev.orbweaver.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.sink.FleetPart;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.JobId;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The files that a worker stores for its jobs, and the settings that it gives them. */
class WorkerDirectoryTest {

    private static final Instant STARTED = Instant.ofEpochSecond(1_000);

    @TempDir Path data;

    private static FleetJob job(FleetJob.State state, String settings, String identity) {
        return new FleetJob(
                new JobId(3),
                state,
                settings,
                List.of("http://a.test/"),
                STARTED,
                0,
                1,
                "",
                new FleetJob.StateDetail("", false, Optional.of(STARTED), Optional.of(STARTED)),
                identity,
                0);
    }

    private static FleetPart part(String identity) {
        return new FleetPart("w", 1, "fleet/3", identity);
    }

    @Test
    void aDirectoryIsOfOneJobEvenIfAnotherHasTheSameNumber() throws Exception {
        try (var directory = WorkerDirectory.open(data)) {
            var first = job(FleetJob.State.RUNNING, "", "x/3/1");
            directory.assign(first, part("x/3/1"));
            directory.assign(first, part("x/3/1"));
            assertThat(FleetPart.read(directory.job(first.id()))).contains(part("x/3/1"));
            var second = job(FleetJob.State.RUNNING, "", "y/3/2");
            assertThatThrownBy(() -> directory.assign(second, part("y/3/2")))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another job with the same number");
        }
    }

    @Test
    void aDirectoryWithPagesThatNamesNoJobIsOfAnother() throws Exception {
        try (var directory = WorkerDirectory.open(data)) {
            var job = job(FleetJob.State.RUNNING, "", "x/3/1");
            Files.createDirectories(directory.job(job.id()));
            Files.writeString(directory.job(job.id()).resolve(DirectoryLayout.PAGE_LOG), "");
            assertThatThrownBy(() -> directory.assign(job, part("x/3/1")))
                    .hasMessageContaining("another job with the same number");
        }
    }

    @Test
    void committedLengthsAreThoseOfTheCrawlThatWritesThemOrOfTheLastOne() throws Exception {
        var id = new JobId(3);
        var length = new CommittedLength("pages", 10, 0);
        try (var directory = WorkerDirectory.open(data)) {
            assertThat(directory.lengths(id)).isEmpty();
            Files.createDirectories(directory.job(id));
            try (var lengths = directory.openLengths(id, false)) {
                lengths.write(List.of(length));
                assertThat(directory.lengths(id)).containsExactly(length);
            }
            directory.retain(Set.of());
            assertThat(directory.lengths(id)).as("read again").containsExactly(length);
        }
    }

    @Test
    void aDirectoryIsForOneProcessAndForNoCrawlWithoutAFleet() throws Exception {
        try (var _ = WorkerDirectory.open(data)) {
            assertThatThrownBy(() -> WorkerDirectory.open(data))
                    .hasMessageContaining("another worker");
        }
        Files.createDirectories(data.resolve(DirectoryLayout.FRONTIER));
        assertThatThrownBy(() -> WorkerDirectory.open(data))
                .hasMessageContaining("without a fleet");
    }

    @Test
    void theTimeLimitOfARunningJobCountsFromItsStart() throws Exception {
        var settings =
                new WorkerSettings(
                        FleetSettings.of("redis://localhost", "fleet", "w"), data, 1, false);
        var text = "seeds: [http://a.test/]\nmax-time: 60s\nallow-private: true\n";
        var now = STARTED.plusSeconds(50);
        var running = settings.configAt(job(FleetJob.State.RUNNING, text, "x"), now);
        assertThat(running.crawl().limits().time()).isEqualTo(Duration.ofSeconds(10));
        var late = settings.configAt(job(FleetJob.State.RUNNING, text, "x"), now.plusSeconds(60));
        assertThat(late.crawl().limits().time()).isEqualTo(Duration.ofMillis(1));
        var queued = settings.configAt(job(FleetJob.State.QUEUED, text, "x"), now);
        assertThat(queued.crawl().limits().time()).isEqualTo(Duration.ofSeconds(60));
        assertThat(queued.settingValues().last("allow-private"))
                .as("the operator decides")
                .contains("false");
    }
}
