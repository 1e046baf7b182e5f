package dev.orbweaver.frontier;

import dev.orbweaver.frontier.FrontierEvent.Health;
import dev.orbweaver.frontier.FrontierEvent.Rest;
import dev.orbweaver.frontier.FrontierEvent.Touch;

import java.time.Instant;

/** Puts what a caller says of a lease's end into the words of events. */
final class Verdicts {

    private Verdicts() {}

    static FrontierEvent event(Settlement settlement) {
        var token = settlement.lease().token();
        var touch = touch(settlement.signal());
        return switch (settlement.outcome()) {
            case Outcome.Done(var page, var bytes) ->
                    new FrontierEvent.Done(token, page, bytes, touch);
            case Outcome.Retry(var notBefore, _) ->
                    new FrontierEvent.Retried(token, ceilMillis(notBefore), touch);
            case Outcome.Dead(var cause) -> new FrontierEvent.Died(token, cause, touch);
            case Outcome.Respelled(var url) -> new FrontierEvent.Respelled(token, url, touch);
            case Outcome.Withdrawn(var why) -> new FrontierEvent.Withdrew(token, why, touch);
        };
    }

    private static Touch touch(HostSignal signal) {
        return switch (signal) {
            case HostSignal.Untouched _ -> Touch.NONE;
            case HostSignal.Healthy(var ended, var took) ->
                    new Touch(ceilMillis(ended), Health.ANSWERED, Rest.NONE, 0, took.toMillis());
            case HostSignal.Unjudged(var ended) -> Touch.at(ceilMillis(ended), Health.UNKNOWN);
            case HostSignal.Failing(var ended) -> Touch.at(ceilMillis(ended), Health.FAILED);
            case HostSignal.ServerError error -> Touch.at(ceilMillis(error.ended()), health(error));
            case HostSignal.Slow(var ended, var until, var said, var error) ->
                    new Touch(
                            ceilMillis(ended),
                            error.map(Verdicts::health).orElse(Health.ANSWERED),
                            said ? Rest.ASKED : Rest.REFUSED,
                            ceilMillis(until),
                            0);
        };
    }

    private static Health health(HostSignal.ServerError error) {
        return error.repeated() ? Health.REPEATED_ERROR : Health.SERVER_ERROR;
    }

    static FrontierEvent event(Lease lease, Pause why) {
        // Another origin of the same host may well be reachable, so only the URL waits.
        var notBefore =
                why instanceof Pause.RobotsUnreachable(_, var until) ? ceilMillis(until) : 0;
        return new FrontierEvent.Released(lease.token(), notBefore, touch(why));
    }

    private static Touch touch(Pause why) {
        return switch (why) {
            case Pause.Gate _ -> Touch.NONE;
            case Pause.Unanswered(var ended) -> Touch.at(ceilMillis(ended), Health.UNKNOWN);
            case Pause.Stopping(var ended) -> Touch.at(ceilMillis(ended), Health.UNKNOWN);
            case Pause.RobotsFetched(var ended) -> Touch.at(ceilMillis(ended), Health.ANSWERED);
            case Pause.RobotsUnreachable(var ended, _) ->
                    Touch.at(ceilMillis(ended), Health.UNKNOWN);
        };
    }

    /** Rounded up, so that no wait is ever a fraction of a millisecond too short. */
    static long ceilMillis(Instant time) {
        return time.plusNanos(999_999).toEpochMilli();
    }
}
