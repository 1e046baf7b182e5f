package dev.orbweaver.internal.revisit;

import dev.orbweaver.internal.revisit.RevisitSettings.Auto;
import dev.orbweaver.internal.revisit.RevisitSettings.Every;

import java.time.Duration;
import java.time.Instant;

/**
 * The budget of visits and λ of a job that several processes work on: one of them spends it at a
 * time and stores it, the others read it. {@link RevisitSchedule} has the same in its files.
 */
public final class RevisitBudget {

    private static final int FIELDS = 5;

    private final RevisitSettings settings;
    private volatile double lambda = VisitBudget.LAMBDA_MIN;
    private double tokens = 1;

    /** When tokens were counted; 0 before the first time. */
    private int countedAt;

    private int day;
    private volatile long used;

    public RevisitBudget(RevisitSettings settings) {
        this.settings = settings;
    }

    /** Returns the state as a text. */
    public synchronized String encode() {
        return lambda + " " + tokens + " " + countedAt + " " + day + " " + used;
    }

    /** Replaces the state by what another process has encoded; an empty text changes nothing. */
    public synchronized void read(String state) {
        var words = state.split(" ", -1);
        if (words.length == FIELDS) {
            lambda = Double.parseDouble(words[0]);
            tokens = Double.parseDouble(words[1]);
            countedAt = Integer.parseInt(words[2]);
            day = Integer.parseInt(words[3]);
            used = Long.parseLong(words[4]);
        }
    }

    /** Returns the value from which pages are visited, in fresh days times importance. */
    public double lambda() {
        return isLimited() ? lambda : VisitBudget.LAMBDA_MIN;
    }

    public boolean isLimited() {
        return settings.visitsPerDay().isPresent();
    }

    /** Returns whether budget that no due page uses is spent on the pages that are due next. */
    public boolean isEarly() {
        return isLimited() && settings.mode() instanceof Auto && lambda > VisitBudget.LAMBDA_MIN;
    }

    /** Adds what accrues until a time. */
    public synchronized void accrue(Instant now) {
        if (isLimited()) {
            var time = ScheduleTime.seconds(now);
            tokens =
                    RevisitRules.accrued(
                            tokens,
                            countedAt == 0 ? time : countedAt,
                            time,
                            settings.visitsPerDay().getAsDouble());
            countedAt = Math.max(countedAt, time);
        }
    }

    /** Returns how many visits may be made now. */
    public synchronized long available() {
        return isLimited() ? (long) tokens : Long.MAX_VALUE;
    }

    public synchronized void spend(int visits, Instant now) {
        var today = ScheduleTime.seconds(now) / ScheduleTime.DAY_SECONDS;
        used = day == today ? used + visits : visits;
        day = today;
        tokens -= isLimited() ? visits : 0;
    }

    public synchronized void refund(int visits) {
        if (isLimited()) {
            tokens += visits;
            used = Math.max(0, used - visits);
        }
    }

    /**
     * Moves λ after some visits.
     *
     * @param early how many of them were made before they were due, so below λ
     */
    public synchronized void follow(int visits, int early) {
        if (isLimited() && settings.mode() instanceof Auto && visits > 0) {
            var perDay = settings.visitsPerDay().getAsDouble();
            lambda =
                    Math.max(
                            VisitBudget.LAMBDA_MIN,
                            RevisitRules.followed(lambda, visits, early, perDay));
        }
    }

    public Duration minInterval() {
        return settings.minInterval();
    }

    /** Returns the shortest time after which a page that was visited is due again. */
    public Duration shortestDelay() {
        return switch (settings.mode()) {
            case Auto() -> settings.minInterval();
            case Every(var interval) -> interval;
        };
    }

    /** Returns the visits of this day, for a limited budget. */
    public long usedToday(Instant now) {
        return ScheduleTime.seconds(now) / ScheduleTime.DAY_SECONDS == day ? used : 0;
    }

    public RevisitSettings settings() {
        return settings;
    }
}
