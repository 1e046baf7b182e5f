package dev.orbweaver.fleet;

import dev.orbweaver.config.Settings;
import dev.orbweaver.fleet.redis.Job;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.internal.jobs.JobStore;
import dev.orbweaver.internal.jobs.NoSuchJobException;
import dev.orbweaver.model.JobId;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * What this process knows of a fleet's jobs. What a job is and how it stands, Redis says; what is
 * kept here, in the job's folder, is which of its states were told of behind which line of the page
 * log, so that the numbers of events go on after a restart.
 */
final class FleetJobRecords {

    private static final Logger LOG = LoggerFactory.getLogger(FleetJobRecords.class);

    /** A job, and as the fleet had it. */
    record KnownJob(JobRecord record, Job job) {}

    private final JobStore jobStore;
    private final Settings table;
    private final Map<Integer, KnownJob> jobs = new TreeMap<>();

    /** Of jobs that have not been seen since the start. */
    private final Map<Integer, JobRecord> unseenRecords = new TreeMap<>();

    FleetJobRecords(JobStore directories, Settings table) throws IOException {
        this.jobStore = directories;
        this.table = table;
        for (var job : directories.all()) {
            unseenRecords.put(job.id().number(), job);
        }
    }

    /** All of them, the newest first. */
    synchronized List<JobRecord> all() {
        return new ArrayList<>(jobs.values()).reversed().stream().map(KnownJob::record).toList();
    }

    synchronized Optional<KnownJob> find(JobId id) {
        return Optional.ofNullable(jobs.get(id.number()));
    }

    /** Those that are to be deleted, and those that were to be before the last start. */
    synchronized List<JobId> toBeDeleted() {
        var ids = new ArrayList<JobId>();
        unseenRecords.values().stream()
                .filter(job -> job.state() == State.DELETED)
                .forEach(job -> ids.add(job.id()));
        jobs.values().stream()
                .map(KnownJob::record)
                .filter(job -> job.state() == State.DELETED)
                .forEach(job -> ids.add(job.id()));
        return ids;
    }

    /** The job as it was last noted down, with all else as the fleet has it. */
    synchronized JobRecord merge(Job job) throws IOException {
        var knownJob = jobs.get(job.id().number());
        var kept = knownJob == null ? takeStored(job) : Optional.of(knownJob.record);
        var note = FleetJobMetadata.of(job, table);
        var state = kept.map(JobRecord::state).orElse(State.QUEUED);
        var ended = state.isOpen() ? Optional.<Instant>empty() : Optional.of(endOf(job));
        return new JobRecord(
                job.id(),
                state,
                kept.map(JobRecord::reason).orElse(""),
                job.seeds().isEmpty() ? List.of("about:blank") : job.seeds(),
                note.requestedSettings(),
                job.weight(),
                note.key(),
                note.webhook(),
                job.submitted(),
                job.stateDetail().startedAt(),
                ended,
                kept.map(JobRecord::changes).orElse(List.of()),
                kept.map(JobRecord::dropped).orElse(0L));
    }

    /** When a job ended; of one that was ended by an older program that is not known. */
    private static Instant endOf(Job job) {
        return job.stateDetail().stateSince().orElse(job.submitted());
    }

    /**
     * What the folder says of a job that is seen for the first time. If it speaks of another, as
     * may be where Redis has lost everything and counts from the beginning, it is put aside.
     */
    private Optional<JobRecord> takeStored(Job job) throws IOException {
        var old = unseenRecords.remove(job.id().number());
        if (old == null) {
            return Optional.empty();
        }
        if (old.created().equals(job.submitted())) {
            return Optional.of(old);
        }
        var directory = jobStore.directoryOf(job.id());
        var aside =
                directory.resolveSibling(
                        directory.getFileName() + "-of-" + old.created().toEpochMilli());
        LOG.warn("{} is of another job of that number; it is now {}", directory, aside);
        Files.move(directory, aside);
        return Optional.empty();
    }

    /** The state of a job in the fleet as people are told. */
    static State state(Job job) {
        return switch (job.state()) {
            case QUEUED -> State.QUEUED;
            case RUNNING -> State.RUNNING;
            case PAUSED -> State.PAUSED;
            case STOPPED -> State.STOPPED;
            case FINISHED -> job.stateDetail().failed() ? State.FAILED : State.FINISHED;
        };
    }

    /** Keeps what is known of a job now, in its folder and here. */
    synchronized JobRecord save(JobRecord record, Job job) throws IOException {
        jobStore.save(record);
        jobs.put(job.id().number(), new KnownJob(record, job));
        return record;
    }

    /** The same, where it has not changed as it is kept in the folder. */
    synchronized void saveIfChanged(JobRecord record, Job job) throws IOException {
        var knownJob = jobs.get(job.id().number());
        if (knownJob == null || !knownJob.record.equals(record)) {
            jobStore.save(record);
        }
        jobs.put(job.id().number(), new KnownJob(record, job));
    }

    /** Changes what is kept of a job. */
    synchronized void change(JobId id, UnaryOperator<JobRecord> change) throws IOException {
        var knownJob = find(id).orElseThrow(() -> new NoSuchJobException(id));
        var _ = save(change.apply(knownJob.record), knownJob.job);
    }

    /** Deletes what lies in a job's folder. */
    synchronized void delete(JobId id) throws IOException {
        jobStore.delete(id);
        unseenRecords.remove(id.number());
        jobs.remove(id.number());
    }

    /** Forgets a job that the fleet has no longer; its folder stays. */
    synchronized void forget(JobId id) {
        jobs.remove(id.number());
    }
}
