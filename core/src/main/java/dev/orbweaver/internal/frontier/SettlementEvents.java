package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.frontier.FrontierEvent.Health;
import dev.orbweaver.internal.frontier.FrontierEvent.HostUpdate;
import dev.orbweaver.internal.frontier.FrontierEvent.Rest;

import java.time.Instant;

/** Translates the end of a lease into events. */
final class SettlementEvents {

    private SettlementEvents() {}

    static FrontierEvent event(Settlement settlement, HostQueue host) {
        var token = settlement.lease().token();
        var hostUpdate = hostUpdate(settlement, host);
        return switch (settlement.outcome()) {
            case Outcome.Done(var page, var bytes) ->
                    new FrontierEvent.Done(token, page, bytes, hostUpdate);
            case Outcome.Retry(var notBefore, _) ->
                    new FrontierEvent.Retried(token, ceilMillis(notBefore), hostUpdate);
            case Outcome.Dead(var cause) ->
                    new FrontierEvent.DeadLettered(token, cause, hostUpdate);
            case Outcome.EquivalentRedirect(var url) ->
                    new FrontierEvent.RedirectedToEquivalent(token, url, hostUpdate);
            case Outcome.Withdrawn(var why) -> new FrontierEvent.Withdrawn(token, why, hostUpdate);
        };
    }

    /** A URL that has just failed for another job says nothing new about its host. */
    private static HostUpdate hostUpdate(Settlement settlement, HostQueue host) {
        var lease = settlement.lease();
        var hostUpdate = hostUpdate(settlement.signal());
        return hostUpdate.isFailure()
                        && host.hasFailedInOtherJob(lease.url().key(), lease.job().number())
                ? hostUpdate.asRepeatedError()
                : hostUpdate;
    }

    private static HostUpdate hostUpdate(HostSignal signal) {
        return switch (signal) {
            case HostSignal.NoRequest _ -> HostUpdate.NONE;
            case HostSignal.Healthy(var ended, var took) ->
                    new HostUpdate(
                            ceilMillis(ended), Health.RESPONDED, Rest.NONE, 0, took.toMillis());
            case HostSignal.Inconclusive(var ended) ->
                    HostUpdate.at(ceilMillis(ended), Health.UNKNOWN);
            case HostSignal.Failing(var ended) -> HostUpdate.at(ceilMillis(ended), Health.FAILED);
            case HostSignal.ServerError error ->
                    HostUpdate.at(ceilMillis(error.ended()), health(error));
            case HostSignal.RateLimited(var ended, var until, var said, var error) ->
                    new HostUpdate(
                            ceilMillis(ended),
                            error.map(SettlementEvents::health).orElse(Health.RESPONDED),
                            said ? Rest.RETRY_AFTER : Rest.RATE_LIMITED,
                            ceilMillis(until),
                            0);
        };
    }

    private static Health health(HostSignal.ServerError error) {
        return error.repeated() ? Health.REPEATED_ERROR : Health.SERVER_ERROR;
    }

    static FrontierEvent event(Lease lease, ReleaseReason why) {
        // Another origin of the same host may be reachable, so only the URL waits.
        var notBefore =
                why instanceof ReleaseReason.RobotsUnreachable(_, var until)
                        ? ceilMillis(until)
                        : 0;
        return new FrontierEvent.Released(lease.token(), notBefore, hostUpdate(why));
    }

    private static HostUpdate hostUpdate(ReleaseReason why) {
        return switch (why) {
            case ReleaseReason.GateClosed _ -> HostUpdate.NONE;
            case ReleaseReason.NoResponse(var ended) ->
                    HostUpdate.at(ceilMillis(ended), Health.UNKNOWN);
            case ReleaseReason.Stopping(var ended) ->
                    HostUpdate.at(ceilMillis(ended), Health.UNKNOWN);
            case ReleaseReason.RobotsFetched(var ended) ->
                    HostUpdate.at(ceilMillis(ended), Health.RESPONDED);
            case ReleaseReason.RobotsUnreachable(var ended, _) ->
                    HostUpdate.at(ceilMillis(ended), Health.UNKNOWN);
        };
    }

    /** Rounds up to milliseconds, so that no wait is a fraction of a millisecond too short. */
    static long ceilMillis(Instant time) {
        return time.plusNanos(999_999).toEpochMilli();
    }
}
