package dev.orbweaver.server.schedules;

import dev.orbweaver.model.JobId;
import dev.orbweaver.server.schedules.Schedule.Missed;
import dev.orbweaver.server.schedules.Schedule.Overlap;
import dev.orbweaver.server.schedules.Schedule.Planned;
import dev.orbweaver.server.schedules.Schedule.Run;
import dev.orbweaver.server.schedules.Schedule.Run.Outcome;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Decides what happens to the runs of a schedule: functions of its state and the time.
 *
 * <p>Each planned time is decided once, because {@code decided} passes it in the same stored change
 * that starts, queues or skips it. A run that starts is first stored as {@code starting}, then its
 * job is submitted with the run's identity as idempotency key, then the job is recorded. A crash
 * between any two of these steps repeats the submission, which returns the same job.
 */
final class ScheduleRules {

    /** A run that starts later than this after its planned time was missed. */
    static final Duration LATENESS_MAX = Duration.ofMinutes(1);

    private ScheduleRules() {}

    /**
     * Decides all planned times up to now. If the result has a {@code starting} run, its job must
     * be submitted before further runs are decided.
     *
     * @param isOpen whether a job has not ended
     */
    static Schedule decide(Schedule schedule, Instant now, Predicate<JobId> isOpen) {
        if (schedule.starting().isPresent()) {
            return schedule;
        }
        var waiting = schedule.queued().filter(run -> run.manual() || !schedule.paused());
        if (waiting.isPresent() && !isBusy(schedule, isOpen)) {
            return schedule.withQueued(Optional.empty()).withStarting(waiting);
        }
        if (schedule.paused()) {
            return schedule;
        }
        var first = schedule.timetable().next(schedule.decided());
        return first.isEmpty() || first.get().isAfter(now)
                ? schedule
                : decideDue(schedule, first.get(), now, isOpen);
    }

    /** Skips the due times except the last one, which starts unless a rule forbids it. */
    private static Schedule decideDue(
            Schedule schedule, Instant first, Instant now, Predicate<JobId> isOpen) {
        var last = first;
        var before = first;
        var count = 1L;
        for (var next = after(schedule, last, now);
                next.isPresent();
                next = after(schedule, last, now)) {
            before = last;
            last = next.get();
            count++;
        }
        var decided = schedule.withDecided(last);
        if (count > 1) {
            decided = decided.withRun(missed(first, before, count - 1, now));
        }
        var isLate = last.isBefore(now.minus(LATENESS_MAX));
        return isLate && schedule.missed() == Missed.SKIP
                ? decided.withRun(missed(last, last, 1, now))
                : start(decided, new Planned(last, false), now, isOpen);
    }

    private static Optional<Instant> after(Schedule schedule, Instant time, Instant now) {
        return schedule.timetable().next(time).filter(next -> !next.isAfter(now));
    }

    /** Starts, queues or skips one run, as the overlap policy says. */
    static Schedule start(Schedule schedule, Planned run, Instant now, Predicate<JobId> isOpen) {
        if (!isBusy(schedule, isOpen) && schedule.queued().isEmpty()) {
            return schedule.withStarting(Optional.of(run));
        }
        if (schedule.overlap() == Overlap.QUEUE && schedule.queued().isEmpty()) {
            return schedule.withQueued(Optional.of(run));
        }
        var reason =
                schedule.overlap() == Overlap.QUEUE
                        ? "Another run was waiting."
                        : schedule.lastJob()
                                .map(job -> "Job %d had not ended.".formatted(job.number()))
                                .orElse("Another run was waiting.");
        return schedule.withRun(skipped(run, now, reason));
    }

    /** Records the job of the starting run. */
    static Schedule started(Schedule schedule, Planned run, JobId job, Instant now) {
        return ended(schedule, run, Outcome.STARTED, now, Optional.of(job), "");
    }

    /** Records that the starting run has no job. */
    static Schedule rejected(
            Schedule schedule, Planned run, Outcome outcome, Instant now, String reason) {
        return ended(schedule, run, outcome, now, Optional.empty(), reason);
    }

    private static Schedule ended(
            Schedule schedule,
            Planned run,
            Outcome outcome,
            Instant now,
            Optional<JobId> job,
            String reason) {
        if (schedule.starting().filter(run::equals).isEmpty()) {
            return schedule; // It was recorded before.
        }
        return schedule.withStarting(Optional.empty())
                .withRun(new Run(run.at(), run.at(), 1, run.manual(), outcome, now, job, reason));
    }

    private static boolean isBusy(Schedule schedule, Predicate<JobId> isOpen) {
        return schedule.lastJob().filter(isOpen).isPresent();
    }

    private static Run missed(Instant first, Instant last, long count, Instant now) {
        return new Run(
                first,
                last,
                count,
                false,
                Outcome.SKIPPED,
                now,
                Optional.empty(),
                "Missed: the service was not running.");
    }

    private static Run skipped(Planned run, Instant now, String reason) {
        return new Run(
                run.at(),
                run.at(),
                1,
                run.manual(),
                Outcome.SKIPPED,
                now,
                Optional.empty(),
                reason);
    }
}
