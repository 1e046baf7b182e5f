package dev.orbweaver.internal.jobs;

import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.internal.jobs.Jobs.JobListener;
import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The records of the jobs of one machine. A change is saved in the job's directory before a caller
 * or listener sees it, so that jobs continue in the same state after a crash.
 */
final class LocalJobRecords {

    private final JobStore store;
    private final JobListener listener;
    private final InstantSource clock;
    private final Map<Integer, JobRecord> jobs = new TreeMap<>();

    LocalJobRecords(JobStore store, JobListener listener, InstantSource clock) throws IOException {
        this.store = store;
        this.listener = listener;
        this.clock = clock;
        store.all().forEach(job -> jobs.put(job.id().number(), job));
    }

    /** Returns every job, including those that are being deleted, the oldest first. */
    synchronized List<JobRecord> all() {
        return new ArrayList<>(jobs.values());
    }

    synchronized Optional<JobRecord> findStored(JobId id) {
        return Optional.ofNullable(jobs.get(id.number()));
    }

    Optional<JobRecord> find(JobId id) {
        return findStored(id).filter(job -> job.state() != State.DELETED);
    }

    synchronized Optional<JobRecord> findByKey(String key) {
        return jobs.values().stream()
                .filter(job -> job.state() != State.DELETED)
                .filter(job -> job.key().filter(key::equals).isPresent())
                .findFirst();
    }

    JobRecord require(JobId id) {
        return find(id).orElseThrow(() -> new NoSuchJobException(id));
    }

    /** Adds a job, unless there is one with the same key. */
    synchronized JobRecord add(JobRequest request) throws IOException {
        var before = request.key().flatMap(this::findByKey);
        if (before.isPresent()) {
            return before.get();
        }
        var job = JobRecord.submitted(store.nextId(), request, clock.instant());
        return save(withState(job, State.QUEUED, "", 0)); // There is no subscriber yet.
    }

    /** Saves and publishes a new state, if the job is in one of {@code from}; returns the job. */
    JobRecord changeState(JobId id, Set<State> from, State to, String reason) throws IOException {
        try {
            return listener.onStateChange(
                    id,
                    seq ->
                            update(
                                    id,
                                    job -> {
                                        if (!from.contains(job.state())) {
                                            throw new IllegalTransitionException();
                                        }
                                        return withState(job, to, reason, seq);
                                    }));
        } catch (IllegalTransitionException e) {
            return require(id);
        }
    }

    /** Signals that the state does not change, so nothing is saved or published. */
    private static final class IllegalTransitionException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private JobRecord withState(JobRecord job, State state, String reason, long seq) {
        var now = clock.instant();
        return job.withState(state, reason, now)
                .withChange(new JobRecord.Change(seq, state, reason, now));
    }

    synchronized JobRecord update(JobId id, UnaryOperator<JobRecord> change) throws IOException {
        var before = findStored(id).orElseThrow(() -> new NoSuchJobException(id));
        return save(change.apply(before));
    }

    private JobRecord save(JobRecord job) throws IOException {
        store.save(job);
        jobs.put(job.id().number(), job);
        return job;
    }

    /**
     * Ends the running time of jobs whose process has ended or is ending, without a change of their
     * state.
     *
     * @param at when a job's process was last known to run
     */
    void suspendRunning(Function<JobId, Instant> at) throws IOException {
        for (var job : all()) {
            if (job.running().since().isPresent()) {
                var _ = update(job.id(), each -> each.suspended(at.apply(job.id())));
            }
        }
    }

    /** Begins the running time of a running job whose crawl has started in this process. */
    synchronized void continueRunning(JobId id) throws IOException {
        var running = findStored(id).filter(job -> job.state() == State.RUNNING);
        if (running.filter(job -> job.running().since().isEmpty()).isPresent()) {
            var _ = update(id, job -> job.continued(clock.instant()));
        }
    }

    /** Deletes the directory of a job, which can take long, and then its record. */
    void delete(JobId id) throws IOException {
        store.delete(id);
        synchronized (this) {
            jobs.remove(id.number());
        }
    }
}
