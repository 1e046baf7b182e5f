package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Refusal;

import java.util.List;

/**
 * A change of the frontier's state, with everything that was decided already in it, so that
 * applying the same events in the same order always gives the same state. Times are milliseconds
 * since 1970; 0 means never.
 */
public sealed interface FrontierEvent {

    /** A URL entered a job and its host's queue. */
    record Accepted(AcceptedUrl url) implements FrontierEvent {}

    /** So many URLs were offered that the job had met before. */
    record Duplicates(int job, long count) implements FrontierEvent {}

    /** So many links were refused at offer. */
    record LinksRefused(int job, Refusal reason, long count) implements FrontierEvent {}

    /**
     * The next URL that a job has on a host was handed out.
     *
     * @param urlCheck a few bits of the URL; which one is next follows from the state and {@code
     *     at}, so this is there to notice when replaying goes another way
     * @param at when; URLs whose not-before time has come by then have joined their bands
     */
    record Leased(String host, int job, int urlCheck, long token, long at, long deadline)
            implements FrontierEvent {}

    /** A lease's deadline was put off. */
    record Extended(long token, long deadline) implements FrontierEvent {}

    /**
     * A lease was given back.
     *
     * @param notBefore when the URL may be tried again; 0 puts it first in its queue
     */
    record Released(long token, long notBefore, HostUpdate hostUpdate) implements FrontierEvent {}

    /** A lease's holder was not heard of again. */
    record LeaseExpired(long token, HostUpdate hostUpdate) implements FrontierEvent {}

    /** A lease ended in a final answer. */
    record Done(long token, boolean page, long bytes, HostUpdate hostUpdate)
            implements FrontierEvent {}

    /**
     * A lease ended in a redirect to another spelling of its URL, which takes its place in the
     * queue.
     */
    record RedirectedToEquivalent(long token, CrawlUrl url, HostUpdate hostUpdate)
            implements FrontierEvent {}

    /**
     * A lease's holder requests something of another host too, as when its robots.txt is redirected
     * there. It has left any third host it visited before.
     */
    record OtherHostRequested(long token, String host, long at) implements FrontierEvent {}

    /** A lease ended without an answer; the URL comes again. */
    record Retried(long token, long notBefore, HostUpdate hostUpdate) implements FrontierEvent {}

    /** A lease ended without an answer for the last time. */
    record DeadLettered(long token, FailureCause cause, HostUpdate hostUpdate)
            implements FrontierEvent {}

    /** A lease ended without a request. */
    record Withdrawn(long token, Refusal reason, HostUpdate hostUpdate) implements FrontierEvent {}

    /** A host's robots.txt asked for a delay of its own. */
    record CrawlDelaySet(String host, long delay) implements FrontierEvent {}

    /**
     * The clock was set back, or forward when {@code by} is negative; every time that is kept moves
     * with it, so no wait changes length.
     */
    record ClockSetBack(long by) implements FrontierEvent {}

    /**
     * No process was there for so long, by the clock. Nobody can tell that from a clock that was
     * set forward, so hosts that were waiting out their delay wait for the rest of it now. Longer
     * rests go by the clock.
     */
    record Downtime(long by) implements FrontierEvent {}

    /** A job and all that is its own are gone; leases that are out for it count as ended now. */
    record JobDeleted(int job, long at) implements FrontierEvent {}

    /** What a job has on a host is withdrawn for now, or is no longer. */
    record Excluded(int job, String host, boolean excluded) implements FrontierEvent {}

    /** A capture's links were not taken in, for want of room. */
    record LinksDeferred(int job, long capture) implements FrontierEvent {}

    /** The deferred links of a capture have been taken in. */
    record DeferredLinksOffered(int job, long capture) implements FrontierEvent {}

    /** A dead letter was taken back into its host's queue, as if it had never been asked for. */
    record Requeued(QueuedUrl url, FailureCause cause, long at) implements FrontierEvent {}

    /** All that was in the buffer lies in segments now, as the segment of this number. */
    record BufferFlushed(long segment) implements FrontierEvent {}

    /** An output file is now this long. */
    record LengthCommitted(CommittedLength committed) implements FrontierEvent {}

    /**
     * What a visit did to its host.
     *
     * @param ended when the request ended, 0 when there was none
     * @param rest why the host is to be left alone beyond its delay
     * @param restUntil how long, 0 for no longer
     * @param responseMillis how long the answer took, in milliseconds; 0 when that is not known
     */
    record HostUpdate(long ended, Health health, Rest rest, long restUntil, long responseMillis) {

        /** No request was made. */
        static final HostUpdate NONE = new HostUpdate(0, Health.UNKNOWN, Rest.NONE, 0, 0);

        /** A request was made, or may have been. */
        static HostUpdate at(long ended, Health health) {
            return new HostUpdate(ended, health, Rest.NONE, 0, 0);
        }
    }

    /** What a visit showed of its host's health. */
    enum Health {
        /** Nothing: no answer was waited for, or none is known of. */
        UNKNOWN,
        /** The host answered. */
        RESPONDED,
        /** The host did not answer as a working host does. */
        FAILED,
        /** The response was a server error, which says nothing about a rate limit. */
        SERVER_ERROR,
        /** The same for a URL that had failed before: more likely a broken page than its host. */
        REPEATED_ERROR
    }

    /** Why a host is left alone for longer than its delay. */
    enum Rest {
        /** It is not. */
        NONE,
        /** It asked for it. */
        RETRY_AFTER,
        /** It failed too often in a row. */
        CIRCUIT_BREAKER,
        /** It refused, without saying for how long. */
        RATE_LIMITED
    }

    // What follows appears in snapshots only.

    /** Keys a job has seen. */
    record Seen(int job, List<Fingerprint> keys) implements FrontierEvent {}

    /** A seed, for the scope. */
    record Seed(int job, CrawlUrl url) implements FrontierEvent {}

    /**
     * A file of the frontier's own, as it was.
     *
     * @param length its length in bytes
     * @param count how many things in it count: keys of a seen log, URLs of a segment not yet
     *     taken; 0 for the dead log
     * @param checksum a checksum over the keys of a seen log; other files carry their own
     */
    record FileState(String name, long length, long count, long checksum)
            implements FrontierEvent {}

    /**
     * A job's queue on a host as it was.
     *
     * @param id its number, which never changes and is never given again
     * @param accepted how many URLs it was ever given
     * @param waiting how many URLs wait in segments, for each band
     * @param taken how many URLs that are still in segments were taken, for each band
     * @param excluded whether its URLs are withdrawn for now
     */
    record QueueState(
            String host,
            int job,
            int id,
            int accepted,
            List<Integer> waiting,
            List<Integer> taken,
            boolean excluded)
            implements FrontierEvent {}

    /** A URL as it was, kept in memory: one given back, or one that waits for its time. */
    record QueuedUrlState(QueuedUrl url) implements FrontierEvent {}

    /** A dead letter. */
    record DeadLetterState(QueuedUrl url, FailureCause cause) implements FrontierEvent {}

    /** A leased URL as it was. */
    record LeaseState(QueuedUrl url, long token, long deadline) implements FrontierEvent {}

    /**
     * A host as it was.
     *
     * @param lastEnded when its last request ended
     * @param failures failed visits in a row
     * @param probes of these, those made one by one after a rest
     * @param crawlDelay what its robots.txt asks for, in milliseconds
     * @param smoothedResponseTime its smoothed response time, in eighths of a millisecond
     * @param rateLimitProbe what is known of a limit it has, or nothing
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

    /** What a job has deferred, as it was. */
    record DeferredLinksState(int job, long captures, long lastOfferedCapture)
            implements FrontierEvent {}

    /** A job's counters as they were; causes and reasons by position. */
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
     * The end of a snapshot: one that does not end in it is not whole.
     *
     * @param lastQueue the highest number a queue was ever given
     * @param latestTime the latest time that any event has named
     */
    record SnapshotEnd(int lastQueue, long lastToken, long latestTime) implements FrontierEvent {}
}
