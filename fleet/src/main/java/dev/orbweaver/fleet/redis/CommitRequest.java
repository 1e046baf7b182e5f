package dev.orbweaver.fleet.redis;

import dev.orbweaver.fleet.redis.ScriptConstants.ChangeResult;
import dev.orbweaver.internal.frontier.FrontierEvent.HostState;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Refusal;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Sends a worker's changes of its claimed hosts to a shard. */
record CommitRequest(int shard, long leaseMillis, List<HostCommit> hosts)
        implements ShardRequest<List<CommitRequest.HostResult>> {

    /**
     * @param released whether the worker releases the host
     */
    record HostCommit(
            String token,
            HostState state,
            long delayedUntil,
            long delayMillis,
            boolean released,
            List<Change> changes) {}

    /**
     * @param claimed whether the worker still has the claim; if not, no change was applied
     * @param crawlDelayMillis a delay that another worker has read for the host, -1 for none
     */
    record HostResult(boolean claimed, List<ChangeResult> changes, long crawlDelayMillis) {}

    /** Returns when a released host is due. */
    long dueOf(HostCommit host) {
        return Math.max(host.delayedUntil, host.state.restUntil());
    }

    /** Precedes a delay in a reply. */
    static final char DELAY_MARK = '~';

    sealed interface Change {

        /**
         * Returns whether a rejection means that the worker settled a URL that it no longer has.
         */
        default boolean isSettlement() {
            return !(this instanceof HostDown
                    || this instanceof Counted
                    || this instanceof Requeued
                    || this instanceof Rates);
        }

        record Done(UrlId id, boolean page, long length) implements Change {}

        /**
         * Done, and visited again later.
         *
         * @param next empty if it is not visited again
         */
        record Visited(UrlId id, boolean page, long length, Optional<ScheduledPage> next)
                implements Change {}

        /** What was observed on the pages of the host. */
        record Rates(int job, Map<Integer, byte[]> observed) implements Change {}

        record Withdrawn(UrlId id, Refusal reason) implements Change {}

        record Dead(QueuedUrl url, FailureCause cause) implements Change {}

        /** The state of a URL has changed; a redirect may have changed its own key too. */
        record Updated(UrlId id, QueuedUrl url) implements Change {}

        record Moved(UrlId id) implements Change {}

        /** All queued URLs of the host become dead letters. */
        record HostDown() implements Change {}

        record Counted(int job, String counter, long by) implements Change {}

        record Requeued(QueuedUrl url, FailureCause cause) implements Change {}
    }
}
