package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.jobs.JobLabels;
import dev.orbweaver.internal.jobs.JobLabels.Keep;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.internal.jobs.JobRequest;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Which jobs are deleted after their end. */
@Slow
class JobRetentionTest {

    private static final Instant NOW = Instant.parse("2026-11-20T00:00:00Z");

    @TempDir Path data;

    private static Keep keep(int days, int runs) {
        return new Keep(
                Optional.of(days).filter(count -> count > 0),
                Optional.of(runs).filter(count -> count > 0));
    }

    private static JobRecord job(int id, State state, int daysAgo, JobLabels labels) {
        var at = NOW.minus(Duration.ofDays(daysAgo));
        var request =
                new JobRequest(
                        List.of("http://a.test/"),
                        "{}",
                        1,
                        Optional.empty(),
                        Optional.empty(),
                        labels);
        return JobRecord.submitted(new JobId(id), request, at).withState(state, "", at);
    }

    private static List<Integer> expired(Keep operator, JobRecord... jobs) {
        return JobRetention.expired(List.of(jobs), operator, NOW).stream()
                .map(job -> job.id().number())
                .toList();
    }

    @Test
    void jobsThatHaveEndedAreDeletedAfterTheDaysOfTheRuleThatCountsForThem() {
        var own = JobLabels.NONE.withKeep(Optional.of(keep(100, 0)));
        var jobs =
                new JobRecord[] {
                    job(1, State.FINISHED, 40, JobLabels.NONE),
                    job(2, State.FAILED, 31, JobLabels.NONE),
                    job(3, State.STOPPED, 29, JobLabels.NONE),
                    job(4, State.RUNNING, 40, JobLabels.NONE),
                    job(5, State.PAUSED, 40, JobLabels.NONE),
                    job(6, State.DELETED, 40, JobLabels.NONE),
                    job(7, State.FINISHED, 40, own),
                    job(8, State.FINISHED, 101, own),
                };
        assertThat(expired(keep(30, 0), jobs)).containsExactly(8, 1, 2);
        assertThat(expired(keep(30, 5), jobs)).as("a single job has no runs").hasSize(3);
        assertThat(expired(Keep.ALL, jobs)).containsExactly(8);
    }

    @Test
    void theNewestRunsOfAFamilyAreKeptAndClonesAreAFamilyWithTheirJob() {
        var nightly = JobLabels.NONE.withFamily("schedule:1");
        var clone = JobLabels.NONE.withFamily("job:9");
        var jobs = new ArrayList<JobRecord>();
        for (var id = 1; id <= 4; id++) {
            jobs.add(job(id, State.FINISHED, 50 - id, nightly));
        }
        jobs.add(job(5, State.RUNNING, 45, nightly));
        jobs.add(job(9, State.FINISHED, 60, JobLabels.NONE));
        jobs.add(job(10, State.FINISHED, 59, clone));
        jobs.add(job(11, State.FINISHED, 58, clone));
        var all = jobs.toArray(JobRecord[]::new);
        assertThat(expired(keep(0, 2), all)).containsExactly(9, 1, 2);
        assertThat(expired(keep(50, 2), all)).as("either rule keeps a job").containsExactly(9);
        jobs.add(job(6, State.FINISHED, 1, nightly.withKeep(Optional.of(keep(0, 4)))));
        assertThat(expired(keep(0, 2), jobs.toArray(JobRecord[]::new)))
                .as("the rule of the newest run counts for its family")
                .containsExactly(9, 1);
    }

    @Test
    void expiredJobsAreDeletedAndLoggedUnlessOthersReferToTheirRecords() throws Exception {
        try (var site = ServedSite.documentation(1);
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            for (var id = 1; id <= 3; id++) {
                assertThat(apiClient.submit(site.url("/"), "{\"max-depth\":0}")).isEqualTo(id);
                var _ = apiClient.awaitEnd(id);
            }
            var dependents = Files.createDirectories(data.resolve("jobs/1/dependents"));
            var dependent = Files.createDirectories(data.resolve("other"));
            var text = dependent + "\n" + data.resolve("jobs/1") + "\n";
            AtomicFile.write(new RealDisk(), dependents.resolve("0123456789abcdef.txt"), text);
            var needed = Set.of(data.resolve("jobs/2").toAbsolutePath().normalize());
            var retention =
                    new JobRetention(
                            crawlServer.jobs(),
                            keep(30, 0),
                            needed,
                            new AuditLog(data.resolve("audit")),
                            () -> Instant.now().plus(Duration.ofDays(31)));
            retention.tick();
            Eventually.until(
                    "job 3 is deleted",
                    () -> apiClient.call("GET", "/api/v1/jobs/3").statusCode() == 404);
            assertThat(apiClient.get("/api/v1/jobs").path("total").asInt()).isEqualTo(2);
            assertThat(Files.readString(data.resolve("audit/audit.log")))
                    .contains("\"caller\":\"retention\"", "\"path\":\"/api/v1/jobs/3\"")
                    .doesNotContain("/api/v1/jobs/1", "/api/v1/jobs/2");
        }
    }
}
