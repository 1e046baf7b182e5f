package dev.orbweaver.server.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.disk.CrashingDisk;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRequest;
import dev.orbweaver.internal.jobs.Jobs.JobListener;
import dev.orbweaver.internal.jobs.Jobs.StateWriter;
import dev.orbweaver.internal.jobs.LocalJobs;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.JobId;
import dev.orbweaver.server.schedules.Schedule.Missed;
import dev.orbweaver.server.schedules.Schedule.Overlap;
import dev.orbweaver.server.schedules.Schedule.Run;
import dev.orbweaver.server.schedules.Schedule.Run.Outcome;
import dev.orbweaver.server.schedules.Schedule.Terms;
import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Schedules over real jobs, whose process dies at every change of a file. */
class SchedulesCrashTest {

    private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");

    @TempDir Path temporary;

    /** The jobs are never started, so they stay queued. */
    private static final class Silent implements JobListener {
        @Override
        public JobRecord onStateChange(JobId job, StateWriter stateWriter) throws IOException {
            return stateWriter.write(0);
        }

        @Override
        public void captured(JobId job, Capture capture) {}

        @Override
        public void committed(JobId job) {}

        @Override
        public void deleted(JobId job) {}
    }

    private static LocalJobs jobs(Path data) throws IOException, ConfigException {
        return LocalJobs.open(
                new LocalJobs.LocalJobsSettings(
                        data, 1, 0, true, new SettingValues().put("min-free-disk", "0")),
                new Silent());
    }

    private static Terms terms() {
        var job =
                new JobRequest(
                        List.of("http://127.0.0.1:1/"),
                        "{}",
                        1,
                        Optional.empty(),
                        Optional.empty());
        return new Terms(
                "test", Timetable.cron("@daily", "UTC"), job, false, Overlap.SKIP, Missed.CATCH_UP);
    }

    private static Schedules schedules(
            Disk disk, Path data, LocalJobs jobs, AtomicReference<Instant> now) throws IOException {
        return new Schedules(disk, data, jobs, jobs::submit, now::get);
    }

    @Test
    void aRunHasOneJobWhereverTheProcessDies() throws Exception {
        var crashes = 0;
        for (var changes = 0; ; changes++) {
            var data = temporary.resolve("data-" + changes);
            var now = new AtomicReference<>(START);
            try (var jobs = jobs(data);
                    var schedules = schedules(new RealDisk(), data, jobs, now)) {
                var _ = schedules.add(terms(), false);
            }
            now.set(START.plus(Duration.ofDays(1)).plusSeconds(5));
            var disk = new CrashingDisk(new RealDisk(), changes);
            try (var jobs = jobs(data);
                    var schedules = schedules(disk, data, jobs, now)) {
                schedules.start();
                var _ =
                        Eventually.value(
                                Duration.ofSeconds(30),
                                "a run or a crash",
                                () -> disk.hasCrashed() || !schedules.require(1).runs().isEmpty(),
                                done -> done);
            }
            // The next process is started ten days later. It continues an interrupted run, which
            // is not among the missed ones any more.
            now.set(START.plus(Duration.ofDays(11)).plusSeconds(5));
            try (var jobs = jobs(data);
                    var schedules = schedules(new RealDisk(), data, jobs, now)) {
                schedules.start();
                var _ =
                        Eventually.value(
                                Duration.ofSeconds(30),
                                "all times decided",
                                () -> schedules.require(1),
                                each ->
                                        each.starting().isEmpty()
                                                && each.next().orElseThrow().isAfter(now.get()));
                var keys = jobs.all().stream().map(job -> job.key().orElseThrow()).toList();
                assertThat(keys).as("%d changes", changes).doesNotHaveDuplicates();
                var runs = schedules.require(1).runs();
                assertThat(runs.stream().mapToLong(Run::count).sum()).isEqualTo(11);
                assertThat(jobs.all().stream().map(JobRecord::id).toList())
                        .containsExactlyInAnyOrderElementsOf(
                                runs.stream()
                                        .filter(run -> run.outcome() == Outcome.STARTED)
                                        .map(run -> run.job().orElseThrow())
                                        .toList());
            }
            if (!disk.hasCrashed()) {
                break;
            }
            crashes++;
        }
        System.out.println("crashes: " + crashes);
        assertThat(crashes).isGreaterThanOrEqualTo(4);
    }
}
