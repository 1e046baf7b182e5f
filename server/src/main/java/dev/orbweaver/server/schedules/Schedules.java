package dev.orbweaver.server.schedules;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.jobs.FailureText;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRequest;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.model.JobId;
import dev.orbweaver.server.schedules.Schedule.Planned;
import dev.orbweaver.server.schedules.Schedule.Run.Outcome;
import dev.orbweaver.server.schedules.Schedule.Terms;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/**
 * The schedules of a service. One thread executes what {@link ScheduleRules} decides. A change is
 * stored before a caller sees it.
 */
public final class Schedules implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Schedules.class);

    public static final int SCHEDULES_MAX = 1_000;

    /** The wall clock can be set, so the thread never sleeps until the next planned time. */
    private static final Duration SLEEP_MAX = Duration.ofSeconds(30);

    /** How often runs that wait for a job, and failed submissions, are tried again. */
    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

    /** Signals that no schedule has an id. */
    public static final class NoSuchScheduleException extends RuntimeException {
        private static final long serialVersionUID = 1;

        private NoSuchScheduleException(int id) {
            super("Schedule " + id + " not found.");
        }
    }

    /** Signals that a change is in conflict with the present state; the message is a sentence. */
    public static final class ConflictException extends RuntimeException {
        private static final long serialVersionUID = 1;

        private ConflictException(String message) {
            super(message);
        }
    }

    /** Submits the jobs of schedules. */
    public interface Submission {

        /**
         * Submits a job, or returns the job that was submitted with its key before.
         *
         * @throws ConfigException if the request is not valid
         * @throws LimitReachedException if there are too many open jobs
         */
        JobRecord submit(JobRequest request)
                throws ConfigException, LimitReachedException, IOException;

        /**
         * Visits the pages of a job again, each once for a run.
         *
         * @param run pages that were visited since this time are left out
         * @throws ConfigException if the job's settings are no longer valid
         * @throws LimitReachedException if the job cannot continue
         */
        default JobRecord recrawl(JobRecord job, Instant run)
                throws ConfigException, LimitReachedException, IOException {
            throw new LimitReachedException("Jobs cannot be visited again here.");
        }
    }

    /** Signals that a limit permits no further job at present; the message is a sentence. */
    public static final class LimitReachedException extends Exception {
        private static final long serialVersionUID = 1;

        public LimitReachedException(String message) {
            super(message);
        }
    }

    private final ScheduleStore store;
    private final Jobs jobs;
    private final Submission submission;
    private final InstantSource clock;
    private final Map<Integer, Schedule> schedules = new TreeMap<>();
    private final Thread thread;
    private final Semaphore changes = new Semaphore(0);

    /** Held while a run starts, so that the thread and a caller do not both start it. */
    private final ReentrantLock submitting = new ReentrantLock();

    private Optional<String> problem = Optional.empty();
    private volatile boolean closed;

    /**
     * Reads the schedules of a directory; none runs before {@link #start}.
     *
     * @param clock the wall clock
     */
    public Schedules(Disk disk, Path data, Jobs jobs, Submission submission, InstantSource clock)
            throws IOException {
        this.store = new ScheduleStore(disk, data);
        this.jobs = jobs;
        this.submission = submission;
        this.clock = clock;
        store.all().forEach(schedule -> schedules.put(schedule.id(), schedule));
        this.thread = Thread.ofPlatform().daemon().name("schedules").unstarted(this::run);
    }

    /**
     * Submits the runs whose submission was interrupted, and starts the thread. No caller can
     * change a job before this returns, so that an interrupted run is still recognised by its job.
     */
    public void start() {
        for (var schedule : all()) {
            if (schedule.starting().isPresent()) {
                submitStarting(schedule.id());
            }
        }
        thread.start();
    }

    /** Returns all schedules, the oldest first. */
    public synchronized List<Schedule> all() {
        return new ArrayList<>(schedules.values());
    }

    public synchronized Schedule require(int id) {
        var schedule = schedules.get(id);
        if (schedule == null) {
            throw new NoSuchScheduleException(id);
        }
        return schedule;
    }

    /** Returns why decisions cannot be stored or jobs cannot be submitted at present, if so. */
    public synchronized Optional<String> problem() {
        return problem;
    }

    /** Adds a schedule; its first run is planned after now. */
    public synchronized Schedule add(Terms terms, boolean paused) throws IOException {
        if (schedules.size() >= SCHEDULES_MAX) {
            throw new ConflictException(
                    "The limit of %,d schedules is reached; delete one.".formatted(SCHEDULES_MAX));
        }
        requireUnusedName(terms.name(), 0);
        return save(Schedule.of(store.nextId(), terms, paused, now()));
    }

    /** Replaces what a client may change. A changed timetable plans no run before now. */
    public synchronized Schedule change(int id, Terms terms, boolean paused) throws IOException {
        var before = require(id);
        requireUnusedName(terms.name(), id);
        var plansAgain =
                !terms.timetable().equals(before.timetable()) || (before.paused() && !paused);
        var after = before.withTerms(terms).withPaused(paused);
        return save(plansAgain ? after.withDecided(now()) : after);
    }

    private void requireUnusedName(String name, int id) {
        for (var other : schedules.values()) {
            if (other.id() != id && other.name().equals(name)) {
                throw new ConflictException(
                        "Schedule %d has the name '%s'; choose another name."
                                .formatted(other.id(), name));
            }
        }
    }

    /** Deletes a schedule. Its jobs remain. */
    public synchronized void delete(int id) throws IOException {
        var _ = require(id);
        store.delete(id);
        schedules.remove(id);
    }

    /** Starts a run now, or queues it, as the overlap policy says. */
    public Schedule runNow(int id) throws IOException {
        synchronized (this) {
            var before = require(id);
            if (before.starting().isPresent()) {
                throw new ConflictException("A run of this schedule is starting; retry later.");
            }
            var run = new Planned(now(), true);
            var after = ScheduleRules.start(before, run, run.at(), this::isOpen);
            if (after.starting().isEmpty() && after.queued().equals(before.queued())) {
                throw new ConflictException(
                        after.runs().getLast().reason() + " Wait until it ends, or stop it.");
            }
            var _ = save(after);
        }
        submitStarting(id);
        return require(id);
    }

    private boolean isOpen(JobId id) {
        return jobs.find(id).filter(job -> job.state().isOpen()).isPresent();
    }

    private Instant now() {
        return Instant.ofEpochMilli(clock.millis());
    }

    private Schedule save(Schedule schedule) throws IOException {
        store.save(schedule);
        schedules.put(schedule.id(), schedule);
        changes.release();
        return schedule;
    }

    private void run() {
        while (sleep()) {
            for (var schedule : all()) {
                advance(schedule.id());
            }
        }
    }

    /** Waits until something may be due; returns false when the service is closed. */
    private boolean sleep() {
        try {
            if (changes.tryAcquire(timeToNext().toMillis(), TimeUnit.MILLISECONDS)) {
                var _ = changes.drainPermits();
            }
            return !closed;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private synchronized Duration timeToNext() {
        var wait = SLEEP_MAX;
        var now = now();
        for (var schedule : schedules.values()) {
            var next = schedule.next().map(time -> Duration.between(now, time)).orElse(SLEEP_MAX);
            if (schedule.starting().isPresent() || schedule.queued().isPresent()) {
                next = RETRY_DELAY;
            }
            wait = next.compareTo(wait) < 0 ? next : wait;
        }
        return problem.isPresent() && wait.compareTo(RETRY_DELAY) < 0 ? RETRY_DELAY : wait;
    }

    private void advance(int id) {
        update(id, schedule -> ScheduleRules.decide(schedule, now(), this::isOpen));
        submitStarting(id);
    }

    /** Submits the job of the starting run, if there is one, and records the result. */
    private void submitStarting(int id) {
        submitting.lock();
        try {
            var schedule = find(id).filter(found -> found.starting().isPresent());
            if (schedule.isPresent()) {
                submit(schedule.get());
            }
        } finally {
            submitting.unlock();
        }
    }

    private synchronized Optional<Schedule> find(int id) {
        return Optional.ofNullable(schedules.get(id));
    }

    private void submit(Schedule schedule) {
        var id = schedule.id();
        var run = schedule.starting().orElseThrow();
        var template = schedule.job();
        var request =
                new JobRequest(
                        template.seeds(),
                        template.settings(),
                        template.weight(),
                        Optional.of(schedule.key(run)),
                        template.webhook(),
                        template.labels().withFamily("schedule:" + schedule.id()));
        try {
            var again = jobToVisitAgain(schedule);
            var job =
                    again.isPresent()
                            ? submission.recrawl(again.get(), run.at())
                            : submission.submit(request);
            update(id, now -> ScheduleRules.started(now, run, job.id(), now()));
        } catch (ConfigException e) {
            var reason = e.summary();
            update(id, now -> ScheduleRules.rejected(now, run, Outcome.FAILED, now(), reason));
        } catch (LimitReachedException e) {
            var reason = String.valueOf(e.getMessage());
            update(id, now -> ScheduleRules.rejected(now, run, Outcome.SKIPPED, now(), reason));
        } catch (IOException | RuntimeException e) {
            retryLater("could not submit the job of schedule " + id, e);
        }
    }

    /** Returns the job of the last run; empty if it was deleted or the template was changed. */
    private Optional<JobRecord> jobToVisitAgain(Schedule schedule) {
        return schedule.lastJob()
                .filter(_ -> schedule.recrawl())
                .flatMap(jobs::find)
                .filter(
                        job ->
                                job.state() != JobRecord.State.DELETED
                                        && job.labels()
                                                .requestDigest()
                                                .equals(schedule.job().labels().requestDigest()));
    }

    /** Applies a decision and stores it, if it changes the schedule. */
    private synchronized void update(int id, UnaryOperator<Schedule> decision) {
        var before = schedules.get(id);
        if (before == null) {
            return; // It was deleted.
        }
        try {
            var after = decision.apply(before);
            if (!after.equals(before)) {
                var _ = save(after);
            }
            problem = Optional.empty();
        } catch (IOException | RuntimeException e) {
            retryLater("could not store schedule " + id, e);
        }
    }

    /** The state is unchanged, so the same step is repeated. */
    private synchronized void retryLater(String what, Exception e) {
        if (problem.isEmpty()) {
            LOG.error("{}, retrying every second", what, e);
        }
        problem = Optional.of(what + ": " + FailureText.of(e));
    }

    /** Ends the thread; the schedules continue when the service is started again. */
    @Override
    public void close() {
        closed = true;
        changes.release();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
