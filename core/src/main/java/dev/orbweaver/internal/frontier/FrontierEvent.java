package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Refusal;

import java.util.List;

/**
 * A change of the frontier's state that contains all decisions.
 *
 * <p>So applying the same events in the same order always gives the same state. Times are
 * milliseconds since 1970; 0 means never.
 */
public sealed interface FrontierEvent {

    /** A URL entered a job and its host's queue. */
    record Accepted(AcceptedUrl url) implements FrontierEvent {}

    /** A URL entered a job and must not be requested before a time. */
    record AcceptedForLater(AcceptedUrl url, long notBefore) implements FrontierEvent {}

    /** A URL that is done was queued for another visit. */
    record RevisitQueued(AcceptedUrl url, long notBefore) implements FrontierEvent {}

    /**
     * URLs that match a condition with a limit were accepted; in a snapshot, all so far.
     *
     * @param name the condition as text
     */
    record MatchingAccepted(int job, String name, long count) implements FrontierEvent {}

    /** URLs that were fetched elsewhere count as accepted and done. */
    record Visited(int job, List<Fingerprint> keys) implements FrontierEvent {}

    /** A seed list was read up to a position. */
    record SeedsRead(int job, SeedPosition position) implements FrontierEvent {}

    /** The job had seen the offered URLs before. */
    record Duplicates(int job, long count) implements FrontierEvent {}

    record LinksRefused(int job, Refusal reason, long count) implements FrontierEvent {}

    /**
     * The next URL that a job has on a host was leased.
     *
     * @param urlCheck a few bits of the URL; which URL is next follows from the state and {@code
     *     at}, so this detects a replay that differs
     * @param at when; URLs whose not-before time had passed by then had joined their ranks
     */
    record Leased(String host, int job, int urlCheck, long token, long at, long deadline)
            implements FrontierEvent {}

    record Extended(long token, long deadline) implements FrontierEvent {}

    /**
     * A lease was returned.
     *
     * @param notBefore when the URL may be tried again; 0 puts it first in its queue
     */
    record Released(long token, long notBefore, HostUpdate hostUpdate) implements FrontierEvent {}

    record LeaseExpired(long token, HostUpdate hostUpdate) implements FrontierEvent {}

    /** A lease ended with a final response. */
    record Done(long token, boolean page, long bytes, HostUpdate hostUpdate)
            implements FrontierEvent {}

    /**
     * A lease ended with a redirect to another spelling of its URL, which replaces it in the queue.
     */
    record RedirectedToEquivalent(long token, CrawlUrl url, HostUpdate hostUpdate)
            implements FrontierEvent {}

    /**
     * The holder of a lease requests another host too, for example because robots.txt redirects
     * there. It no longer requests any third host that it requested before.
     */
    record OtherHostRequested(long token, String host, long at) implements FrontierEvent {}

    /** A lease ended without a response; the URL is queued again. */
    record Retried(long token, long notBefore, HostUpdate hostUpdate) implements FrontierEvent {}

    /** A lease ended without a response for the last time. */
    record DeadLettered(long token, FailureCause cause, HostUpdate hostUpdate)
            implements FrontierEvent {}

    /** A lease ended without a request. */
    record Withdrawn(long token, Refusal reason, HostUpdate hostUpdate) implements FrontierEvent {}

    record CrawlDelaySet(String host, long delay) implements FrontierEvent {}

    /** Another program made its last request to a host at this time; the host's delay follows. */
    record RequestedElsewhere(String host, long at) implements FrontierEvent {}

    /**
     * The clock was set back, or forward when {@code by} is negative; every stored time moves with
     * it, so no wait changes its length.
     */
    record ClockSetBack(long by) implements FrontierEvent {}

    /**
     * No process was running for this long, according to the clock. That is indistinguishable from
     * a clock that was set forward, so hosts that were waiting for their delay wait for the rest of
     * it now. Longer rests follow the clock.
     */
    record Downtime(long by) implements FrontierEvent {}

    /** A job and its data are deleted; its outstanding leases count as ended now. */
    record JobDeleted(int job, long at) implements FrontierEvent {}

    /** A job's URLs on a host are withdrawn until further notice, or no longer. */
    record Excluded(int job, String host, boolean excluded) implements FrontierEvent {}

    /** A capture's links were not accepted, as there was no space. */
    record LinksDeferred(int job, long capture) implements FrontierEvent {}

    /** The deferred links of a capture have been accepted. */
    record DeferredLinksOffered(int job, long capture) implements FrontierEvent {}

    /** A dead letter was queued again, as if it had never been requested. */
    record Requeued(QueuedUrl url, FailureCause cause, long at) implements FrontierEvent {}

    /** The buffer was flushed to the segment of this number. */
    record BufferFlushed(long segment) implements FrontierEvent {}

    record LengthCommitted(CommittedLength committed) implements FrontierEvent {}

    /**
     * The effect of a visit on its host.
     *
     * @param ended when the request ended, 0 if there was none
     * @param rest why the host rests beyond its delay
     * @param restUntil 0 if it does not
     * @param responseMillis response time; 0 if unknown
     */
    record HostUpdate(long ended, Health health, Rest rest, long restUntil, long responseMillis) {

        /** No request was made. */
        static final HostUpdate NONE = new HostUpdate(0, Health.UNKNOWN, Rest.NONE, 0, 0);

        /** Creates an update for a request that was made, or may have been. */
        static HostUpdate at(long ended, Health health) {
            return new HostUpdate(ended, health, Rest.NONE, 0, 0);
        }

        HostUpdate asRepeatedError() {
            return new HostUpdate(ended, Health.REPEATED_ERROR, rest, restUntil, responseMillis);
        }

        boolean isFailure() {
            return health == Health.FAILED || health == Health.SERVER_ERROR;
        }
    }

    enum Health {
        /** No response was expected, or its result is unknown. */
        UNKNOWN,
        RESPONDED,
        /** The host did not respond as a working host does. */
        FAILED,
        /** The response was a server error, which says nothing about a rate limit. */
        SERVER_ERROR,
        /** A failure of a URL that had failed before: more likely a broken page than its host. */
        REPEATED_ERROR
    }

    /** Why a host rests for longer than its delay. */
    enum Rest {
        NONE,
        /** It sent Retry-After. */
        RETRY_AFTER,
        /** It failed too often in a row. */
        CIRCUIT_BREAKER,
        /** It responded with 429 or 503 without Retry-After. */
        RATE_LIMITED
    }

    // The following events appear in snapshots only.

    record Seen(int job, List<Fingerprint> keys) implements FrontierEvent {}

    record Seed(int job, CrawlUrl url) implements FrontierEvent {}

    /**
     * A file of the frontier.
     *
     * @param count keys of a seen log, or URLs of a segment that are not taken; 0 for dead letters
     * @param checksum of the keys of a seen log; other files contain their own
     */
    record FileState(String name, long length, long count, long checksum)
            implements FrontierEvent {}

    /**
     * A job's queue on a host.
     *
     * @param id its number, which never changes and is never reused
     * @param accepted the total number of URLs ever queued in it
     * @param ranks the ranks that have URLs in segments
     * @param excluded whether its URLs are currently withdrawn
     * @param seeded whether a seed of the job is on this host
     */
    record QueueState(
            String host,
            int job,
            int id,
            int accepted,
            List<RankCounts> ranks,
            boolean excluded,
            boolean seeded)
            implements FrontierEvent {}

    /**
     * A queue's URLs of one rank in segments.
     *
     * @param taken those that were taken but are still in segments
     */
    record RankCounts(int rank, int waiting, int taken) {}

    /** A URL kept in memory: it was returned, or it has a not-before time. */
    record QueuedUrlState(QueuedUrl url) implements FrontierEvent {}

    record DeadLetterState(QueuedUrl url, FailureCause cause) implements FrontierEvent {}

    record LeaseState(QueuedUrl url, long token, long deadline) implements FrontierEvent {}

    /**
     * The state of a host.
     *
     * @param lastEnded when its last request ended
     * @param failures failed visits in a row
     * @param probes how many of these were single probes after a rest
     * @param crawlDelay of its robots.txt, in milliseconds
     * @param smoothedResponseTime in eighths of a millisecond
     * @param rateLimitProbe the state of the rate limit probe, or empty
     */
    record HostState(
            String host,
            long lastEnded,
            Rest rest,
            long restUntil,
            int failures,
            int probes,
            long crawlDelay,
            int pages,
            int smoothedResponseTime,
            List<Long> rateLimitProbe)
            implements FrontierEvent {}

    record DeferredLinksState(int job, long captures, long lastOfferedCapture)
            implements FrontierEvent {}

    /** A job's counters; causes and reasons are indexed by ordinal. */
    record CountersState(
            int job,
            long duplicates,
            long accepted,
            long done,
            long withdrawn,
            long pages,
            long bytes,
            List<Long> refused,
            List<Long> dead)
            implements FrontierEvent {}

    /**
     * The end of a snapshot; a snapshot without it is incomplete.
     *
     * @param lastQueue the highest number ever given to a queue
     * @param latestTime the latest time in any event
     */
    record SnapshotEnd(int lastQueue, long lastToken, long latestTime) implements FrontierEvent {}
}
