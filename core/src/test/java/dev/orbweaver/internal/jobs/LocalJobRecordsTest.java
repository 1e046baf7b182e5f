package dev.orbweaver.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.JobId;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Records of jobs: saved before they are published, changed only from the states that allow it. */
class LocalJobRecordsTest {

    @TempDir Path data;

    private final List<String> published = new ArrayList<>();

    private Instant now = Instant.parse("2030-01-01T00:00:00Z");

    private LocalJobRecords records;

    @BeforeEach
    void open() throws IOException {
        records = reopened();
    }

    private LocalJobRecords reopened() throws IOException {
        return new LocalJobRecords(new JobStore(new RealDisk(), data), listener, () -> now);
    }

    private final Jobs.JobListener listener =
            new Jobs.JobListener() {
                @Override
                public JobRecord onStateChange(JobId job, Jobs.StateWriter stateWriter)
                        throws IOException {
                    var record = stateWriter.write(7);
                    assertThat(reopened().find(job)).as("it is saved").contains(record);
                    published.add(record.state() + " " + record.changes().getLast().seq());
                    return record;
                }

                @Override
                public void captured(JobId job, Capture capture) {}

                @Override
                public void committed(JobId job) {}

                @Override
                public void deleted(JobId job) {}
            };

    private JobRecord add(Optional<String> key) throws IOException {
        return records.add(
                new JobRequest(List.of("http://a.test/"), "{}", 1, key, Optional.empty()));
    }

    @Test
    void aChangeIsSavedAndThenPublished() throws Exception {
        var job = add(Optional.empty()).id();
        var running = records.changeState(job, Set.of(State.QUEUED), State.RUNNING, "why");
        assertThat(running.state()).isEqualTo(State.RUNNING);
        assertThat(running.reason()).isEqualTo("why");
        assertThat(records.find(job)).contains(running);
        assertThat(published).containsExactly("RUNNING 7");
    }

    @Test
    void aStateThatCannotBeReachedFromTheRecordedOneChangesNothing() throws Exception {
        var job = add(Optional.empty());
        assertThat(records.changeState(job.id(), Set.of(State.PAUSED), State.RUNNING, ""))
                .isEqualTo(job);
        assertThat(published).isEmpty();
        assertThat(reopened().all()).containsExactly(job);
    }

    @Test
    void theSameKeyIsTheSameJob() throws Exception {
        var first = add(Optional.of("k"));
        assertThat(add(Optional.of("k"))).isEqualTo(first);
        assertThat(add(Optional.of("other")).id().number()).isEqualTo(first.id().number() + 1);
        assertThat(records.findByKey("k")).contains(first);
    }

    @Test
    void aDeletedJobIsFoundByNumberOnlyUntilItsFilesAreGone() throws Exception {
        var job = add(Optional.of("k")).id();
        var deleted =
                records.update(
                        job,
                        it -> it.withState(State.DELETED, "", InstantSource.system().instant()));
        assertThat(records.find(job)).isEmpty();
        assertThat(records.findByKey("k")).isEmpty();
        assertThat(records.findStored(job)).contains(deleted);
        assertThat(reopened().all()).as("deleting continues after a restart").hasSize(1);
        assertThatThrownBy(() -> records.require(job)).isInstanceOf(NoSuchJobException.class);
        records.delete(job);
        assertThat(records.findStored(job)).isEmpty();
        assertThat(reopened().all()).isEmpty();
    }

    @Test
    void timeCountsFromTheStartOfACrawlToThePauseTheEndOrTheLastSignOfItsProcess()
            throws Exception {
        var job = add(Optional.empty()).id();
        assertThat(running(job)).isZero();
        var _ = records.changeState(job, Set.of(State.QUEUED), State.RUNNING, "");
        now = now.plusSeconds(5);
        assertThat(running(job)).isEqualTo(5);
        var _ = records.changeState(job, Set.of(State.RUNNING), State.PAUSED, "");
        now = now.plusSeconds(100);
        assertThat(running(job)).isEqualTo(5);
        var _ = records.changeState(job, Set.of(State.PAUSED), State.RUNNING, "");
        var killed = now.plusSeconds(2);
        now = now.plusSeconds(1_000);
        records = reopened();
        records.suspendRunning(_ -> killed);
        now = now.plusSeconds(100);
        assertThat(running(job)).isEqualTo(7);
        records.continueRunning(job);
        now = now.plusSeconds(1);
        assertThat(running(job)).isEqualTo(8);
        records.suspendRunning(_ -> Instant.EPOCH);
        assertThat(running(job)).as("without a sign of the process").isEqualTo(7);
    }

    private long running(JobId job) {
        return records.require(job).running().elapsed(now).toSeconds();
    }
}
