package dev.orbweaver.fleet;

import dev.orbweaver.config.Settings;
import dev.orbweaver.fleet.redis.FleetJob;
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
    record KnownJob(JobRecord record, FleetJob fleetJob) {}

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
    synchronized JobRecord merge(FleetJob fleetJob) throws IOException {
        var knownJob = jobs.get(fleetJob.id().number());
        var kept = knownJob == null ? takeStored(fleetJob) : Optional.of(knownJob.record);
        var note = FleetJobMetadata.of(fleetJob, table);
        var state = kept.map(JobRecord::state).orElse(State.QUEUED);
        var ended = state.isOpen() ? Optional.<Instant>empty() : Optional.of(endOf(fleetJob));
        return new JobRecord(
                fleetJob.id(),
                state,
                kept.map(JobRecord::reason).orElse(""),
                fleetJob.seeds().isEmpty() ? List.of("about:blank") : fleetJob.seeds(),
                note.requestedSettings(),
                fleetJob.weight(),
                note.key(),
                note.webhook(),
                fleetJob.submitted(),
                fleetJob.stateDetail().startedAt(),
                ended,
                kept.map(JobRecord::changes).orElse(List.of()),
                kept.map(JobRecord::dropped).orElse(0L));
    }

    /** When a job ended; of one that was ended by an older program that is not known. */
    private static Instant endOf(FleetJob fleetJob) {
        return fleetJob.stateDetail().stateSince().orElse(fleetJob.submitted());
    }

    /**
     * What the folder says of a job that is seen for the first time. If it speaks of another, as
     * may be where Redis has lost everything and counts from the beginning, it is put aside.
     */
    private Optional<JobRecord> takeStored(FleetJob fleetJob) throws IOException {
        var old = unseenRecords.remove(fleetJob.id().number());
        if (old == null) {
            return Optional.empty();
        }
        if (old.created().equals(fleetJob.submitted())) {
            return Optional.of(old);
        }
        var directory = jobStore.directoryOf(fleetJob.id());
        var aside =
                directory.resolveSibling(
                        directory.getFileName() + "-of-" + old.created().toEpochMilli());
        LOG.warn("{} is of another job of that number; it is now {}", directory, aside);
        Files.move(directory, aside);
        return Optional.empty();
    }

    /** The state of a job in the fleet as people are told. */
    static State state(FleetJob fleetJob) {
        return switch (fleetJob.state()) {
            case QUEUED -> State.QUEUED;
            case RUNNING -> State.RUNNING;
            case PAUSED -> State.PAUSED;
            case STOPPED -> State.STOPPED;
            case FINISHED -> fleetJob.stateDetail().failed() ? State.FAILED : State.FINISHED;
        };
    }

    /** Keeps what is known of a job now, in its folder and here. */
    synchronized JobRecord save(JobRecord record, FleetJob fleetJob) throws IOException {
        jobStore.save(record);
        jobs.put(fleetJob.id().number(), new KnownJob(record, fleetJob));
        return record;
    }

    /** The same, where it has not changed as it is kept in the folder. */
    synchronized void saveIfChanged(JobRecord record, FleetJob fleetJob) throws IOException {
        var knownJob = jobs.get(fleetJob.id().number());
        if (knownJob == null || !knownJob.record.equals(record)) {
            jobStore.save(record);
        }
        jobs.put(fleetJob.id().number(), new KnownJob(record, fleetJob));
    }

    /** Changes what is kept of a job. */
    synchronized void change(JobId id, UnaryOperator<JobRecord> change) throws IOException {
        var knownJob = find(id).orElseThrow(() -> new NoSuchJobException(id));
        var _ = save(change.apply(knownJob.record), knownJob.fleetJob);
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
