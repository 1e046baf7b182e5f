package dev.orbweaver.internal.jobs;

import com.fasterxml.jackson.annotation.JsonInclude;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How long a job has been running, without the time in which it was queued, paused, ended, or its
 * process did not run.
 *
 * @param beforeMs milliseconds of all earlier runs
 * @param since when the current run began; empty if the job is not running
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record RunningTime(long beforeMs, Optional<Instant> since) {

    public static final RunningTime NONE = new RunningTime(0, Optional.empty());

    /** Returns the time after a run has begun, unless one is in progress. */
    RunningTime started(Instant now) {
        return since.isPresent() ? this : new RunningTime(beforeMs, Optional.of(now));
    }

    /** Returns the time after the current run has ended, if there is one. */
    RunningTime stopped(Instant now) {
        return new RunningTime(elapsed(now).toMillis(), Optional.empty());
    }

    public Duration elapsed(Instant now) {
        var current = since.map(begun -> Duration.between(begun, now)).orElse(Duration.ZERO);
        return Duration.ofMillis(beforeMs).plus(current.isNegative() ? Duration.ZERO : current);
    }
}
