package dev.orbweaver.server.schedules;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonValue;

import dev.orbweaver.internal.jobs.JobRequest;
import dev.orbweaver.model.JobId;

import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A schedule: what it starts, when, and what became of its runs. {@link ScheduleRules} changes it.
 *
 * @param id never used again, because it is part of the identity of runs
 * @param job the request of the jobs that it starts
 * @param recrawl whether a run visits the pages of the last run's job again, instead of starting
 *     another one
 * @param decided every planned time up to this one was started, queued or skipped
 * @param starting the run whose job is being submitted. It is stored before the submission, so that
 *     a restart submits the same run again; the job's idempotency key makes that one job.
 * @param queued the run that waits until the job of the previous run ends
 * @param lastJob the job of the latest run that was started
 * @param runs the newest runs, the oldest first
 * @param dropped the number of runs that are no longer in the list
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record Schedule(
        int id,
        String name,
        Timetable timetable,
        JobRequest job,
        boolean recrawl,
        Overlap overlap,
        Missed missed,
        boolean paused,
        Instant created,
        Instant decided,
        Optional<Planned> starting,
        Optional<Planned> queued,
        Optional<JobId> lastJob,
        List<Run> runs,
        long dropped) {

    static final int RUNS_MAX = 200;

    /** What happens to a run that is due while the job of the previous run is open. */
    public enum Overlap {
        SKIP,
        /** It starts when that job ends. At most one run waits; further ones are skipped. */
        QUEUE;

        @JsonValue
        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What happens to runs whose time passed while the service was not running. */
    public enum Missed {
        SKIP,
        /** The latest of them starts late, the others are skipped. */
        CATCH_UP;

        @JsonValue
        public String id() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * Identifies a run of a schedule.
     *
     * @param at its planned time, or the time of the request
     * @param manual whether it was requested rather than planned
     */
    public record Planned(Instant at, boolean manual) {}

    /**
     * What became of a run, or of several consecutive ones that were skipped for one reason.
     *
     * @param at the planned time, of the first one
     * @param until the planned time of the last one
     * @param count the number of runs
     * @param time the time of the decision, of the last one
     * @param job the started job; empty if the run was skipped or failed
     * @param reason why there is no job, as a sentence; empty if there is one
     */
    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    public record Run(
            Instant at,
            Instant until,
            long count,
            boolean manual,
            Outcome outcome,
            Instant time,
            Optional<JobId> job,
            String reason) {

        /** The possible results of a run. */
        public enum Outcome {
            STARTED,
            SKIPPED,
            /** The job was rejected. */
            FAILED;

            @JsonValue
            public String id() {
                return name().toLowerCase(Locale.ROOT);
            }
        }

        private boolean continues(Run before) {
            return outcome == Outcome.SKIPPED
                    && before.outcome == Outcome.SKIPPED
                    && manual == before.manual
                    && reason.equals(before.reason);
        }

        private Run after(Run before) {
            return new Run(
                    before.at, until, before.count + count, manual, outcome, time, job, reason);
        }
    }

    public Schedule {
        runs = List.copyOf(runs);
    }

    /** Returns the next planned time; empty while it is paused. */
    public Optional<Instant> next() {
        return paused ? Optional.empty() : timetable.next(decided);
    }

    /**
     * Returns the idempotency key of a run's job. Keys of callers contain a slash, these do not.
     */
    String key(Planned run) {
        return "schedule:" + id + (run.manual ? ":manual:" : ":") + run.at;
    }

    Schedule withDecided(Instant time) {
        return new Schedule(
                id, name, timetable, job, recrawl, overlap, missed, paused, created, time, starting,
                queued, lastJob, runs, dropped);
    }

    Schedule withStarting(Optional<Planned> run) {
        return new Schedule(
                id, name, timetable, job, recrawl, overlap, missed, paused, created, decided, run,
                queued, lastJob, runs, dropped);
    }

    Schedule withQueued(Optional<Planned> run) {
        return new Schedule(
                id, name, timetable, job, recrawl, overlap, missed, paused, created, decided,
                starting, run, lastJob, runs, dropped);
    }

    Schedule withPaused(boolean isPaused) {
        return new Schedule(
                id, name, timetable, job, recrawl, overlap, missed, isPaused, created, decided,
                starting, queued, lastJob, runs, dropped);
    }

    /** Returns it with what a client may change. */
    Schedule withTerms(Terms terms) {
        return new Schedule(
                id,
                terms.name(),
                terms.timetable(),
                terms.job(),
                terms.recrawl(),
                terms.overlap(),
                terms.missed(),
                paused,
                created,
                decided,
                starting,
                queued,
                lastJob,
                runs,
                dropped);
    }

    Schedule withRun(Run run) {
        var more = new ArrayList<>(runs);
        if (!more.isEmpty() && run.continues(more.getLast())) {
            more.add(run.after(more.removeLast()));
        } else {
            more.add(run);
        }
        var excess = more.subList(0, Math.max(0, more.size() - RUNS_MAX));
        var gone = excess.stream().mapToLong(Run::count).sum();
        excess.clear();
        return new Schedule(
                id,
                name,
                timetable,
                job,
                recrawl,
                overlap,
                missed,
                paused,
                created,
                decided,
                starting,
                queued,
                run.job().or(() -> lastJob),
                more,
                dropped + gone);
    }

    /** What a client chooses. */
    public record Terms(
            String name,
            Timetable timetable,
            JobRequest job,
            boolean recrawl,
            Overlap overlap,
            Missed missed) {}

    public Terms terms() {
        return new Terms(name, timetable, job, recrawl, overlap, missed);
    }

    static Schedule of(int id, Terms terms, boolean paused, Instant now) {
        return new Schedule(
                id,
                terms.name(),
                terms.timetable(),
                terms.job(),
                terms.recrawl(),
                terms.overlap(),
                terms.missed(),
                paused,
                now,
                now,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                List.of(),
                0);
    }

    String toJson() {
        return JsonMapper.shared().writeValueAsString(this) + "\n";
    }

    static Schedule fromJson(String text) {
        return JsonMapper.shared()
                .readerFor(Schedule.class)
                .with(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                .readValue(text);
    }
}
