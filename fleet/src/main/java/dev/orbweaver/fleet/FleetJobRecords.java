package dev.orbweaver.fleet;

import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRecord.Change;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.internal.jobs.JobStore;
import dev.orbweaver.internal.jobs.Jobs.JobListener;
import dev.orbweaver.internal.jobs.NoSuchJobException;
import dev.orbweaver.internal.jobs.RunningTime;
import dev.orbweaver.model.JobId;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * This process's records of a fleet's jobs. Redis has each job and its state; the job's directory
 * has the published states, each with the number of the page log line before it, so that event IDs
 * continue after a restart.
 *
 * <p>A list of jobs may be older than a command that was executed while it was read: a job that
 * this process changed after the read began is updated with the next list.
 */
final class FleetJobRecords {

    private static final Logger LOG = LoggerFactory.getLogger(FleetJobRecords.class);

    /** A job with its state in the fleet. */
    record KnownJob(JobRecord record, FleetJob job) {}

    private final JobStore jobStore;
    private final JobListener listener;
    private final Settings table;
    private final Map<Integer, KnownJob> jobs = new TreeMap<>();

    /** Stored records of jobs that have not been read from Redis since the start. */
    private final Map<Integer, JobRecord> unseenRecords = new TreeMap<>();

    /** Held while a change is saved and published, and acquired before any lock of the listener. */
    private final Object stateLock = new Object();

    private long commandCount;
    private final Map<JobId, Long> lastCommands = new ConcurrentHashMap<>();

    FleetJobRecords(JobStore jobStore, JobListener listener, Settings table) throws IOException {
        this.jobStore = jobStore;
        this.listener = listener;
        this.table = table;
        for (var job : jobStore.all()) {
            unseenRecords.put(job.id().number(), job);
        }
    }

    /** Starts to read the fleet's jobs; the returned consumer receives them. */
    Consumer<List<FleetJob>> beginRead() {
        synchronized (stateLock) {
            var begun = commandCount;
            return jobs -> onRead(jobs, begun);
        }
    }

    private void onRead(List<FleetJob> read, long begun) {
        var listed = new HashSet<JobId>();
        for (var job : read) {
            listed.add(job.id());
            synchronized (stateLock) {
                if (lastCommands.getOrDefault(job.id(), 0L) <= begun) {
                    try {
                        var _ = observe(job);
                    } catch (IOException | RuntimeException e) {
                        LOG.error("could not record the state of job {}", job.id().number(), e);
                    }
                }
            }
        }
        for (var known : all()) {
            synchronized (stateLock) {
                if (!listed.contains(known.id())
                        && known.state() != State.DELETED
                        && lastCommands.getOrDefault(known.id(), 0L) <= begun) {
                    LOG.info(
                            "job {} was deleted by another process; its files are kept",
                            known.id().number());
                    listener.deleted(known.id());
                    forget(known.id());
                }
            }
        }
    }

    /** Reads a job after a command, and records it. */
    JobRecord afterCommand(JobId id, Supplier<Optional<FleetJob>> read) throws IOException {
        synchronized (stateLock) {
            var job = read.get().orElseThrow(() -> new NoSuchJobException(id));
            countCommand(id);
            return observe(job);
        }
    }

    void markDeleted(JobId id, Instant now) throws IOException {
        synchronized (stateLock) {
            countCommand(id);
            var known = find(id).orElseThrow(() -> new NoSuchJobException(id));
            var _ = save(known.record.withState(State.DELETED, "", now), known.job);
        }
    }

    private void countCommand(JobId id) {
        commandCount++;
        lastCommands.put(id, commandCount);
    }

    private JobRecord observe(FleetJob job) throws IOException {
        var merged = save(merge(job), job);
        var state = state(job);
        var reason = job.stateDetail().reason();
        var isNew = merged.changes().isEmpty() && merged.dropped() == 0;
        if (merged.state() == State.DELETED
                || (!isNew && merged.state() == state && merged.reason().equals(reason))) {
            return merged;
        }
        var at = since(job);
        return listener.onStateChange(
                job.id(),
                seq ->
                        save(
                                merged.withState(state, reason, at)
                                        .withChange(new Change(seq, state, reason, at)),
                                job));
    }

    /** Returns all jobs, newest first. */
    synchronized List<JobRecord> all() {
        return new ArrayList<>(jobs.values()).reversed().stream().map(KnownJob::record).toList();
    }

    synchronized Optional<KnownJob> find(JobId id) {
        return Optional.ofNullable(jobs.get(id.number()));
    }

    /** Returns the jobs to be deleted, including those marked before the last start. */
    synchronized List<JobId> toBeDeleted() {
        var known = jobs.values().stream().map(KnownJob::record);
        return Stream.concat(unseenRecords.values().stream(), known)
                .filter(job -> job.state() == State.DELETED)
                .map(JobRecord::id)
                .toList();
    }

    private synchronized JobRecord merge(FleetJob job) throws IOException {
        var knownJob = jobs.get(job.id().number());
        var kept = knownJob == null ? takeStored(job) : Optional.of(knownJob.record);
        var note = FleetJobMetadata.of(job, table);
        var state = kept.map(JobRecord::state).orElse(State.QUEUED);
        var ended = state.isOpen() ? Optional.<Instant>empty() : Optional.of(since(job));
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
                kept.map(JobRecord::dropped).orElse(0L),
                note.labels(),
                kept.map(JobRecord::running).orElse(RunningTime.NONE));
    }

    private static Instant since(FleetJob job) {
        return job.stateDetail().stateSince().orElse(job.submitted());
    }

    /**
     * Returns the stored record of a job that is read for the first time. A record of another job
     * with the same number, possible if Redis lost all data and counts from 1 again, is renamed.
     */
    private Optional<JobRecord> takeStored(FleetJob job) throws IOException {
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
        LOG.warn("{} belongs to another job with that number; renamed it to {}", directory, aside);
        Files.move(directory, aside);
        return Optional.empty();
    }

    static State state(FleetJob job) {
        return switch (job.state()) {
            case QUEUED -> State.QUEUED;
            case RUNNING -> State.RUNNING;
            case IMPORTING, PAUSED -> State.PAUSED;
            case STOPPED -> State.STOPPED;
            case FINISHED -> job.stateDetail().failed() ? State.FAILED : State.FINISHED;
        };
    }

    private synchronized JobRecord save(JobRecord record, FleetJob job) throws IOException {
        var known = jobs.get(job.id().number());
        if (known == null || !known.record.equals(record)) {
            jobStore.save(record);
        }
        jobs.put(job.id().number(), new KnownJob(record, job));
        return record;
    }

    synchronized void delete(JobId id) throws IOException {
        jobStore.delete(id);
        unseenRecords.remove(id.number());
        forget(id);
    }

    private synchronized void forget(JobId id) {
        jobs.remove(id.number());
        lastCommands.remove(id);
    }
}
