package dev.orbweaver.fleet.redis;

import dev.orbweaver.fleet.redis.ScriptConstants.OfferMode;
import dev.orbweaver.fleet.redis.ScriptConstants.OfferResult;
import dev.orbweaver.internal.frontier.QueuedUrl;

import java.util.List;

/** Offers URLs to a shard and adds to counters. */
record OfferRequest(int shard, List<CounterChange> counters, List<OfferedUrl> urls)
        implements ShardRequest<OfferRequest.Reply> {

    /** Precedes a time in a reply. */
    static final char DUE_MARK = '~';

    /**
     * The reply.
     *
     * @param results one for each URL
     * @param due when the first of the unclaimed hosts that got URLs is due; {@link Long#MAX_VALUE}
     *     if there is none
     */
    record Reply(List<OfferResult> results, long due) {}

    record CounterChange(int job, String counter, long by) {}

    /**
     * An offered URL; its own rank is the one that it has on a host with few pages.
     *
     * @param maxPerHost maximum number of URLs of a host that the job accepts; 0 for no limit
     * @param knownHostRank its rank on other hosts
     */
    record OfferedUrl(OfferMode mode, QueuedUrl url, int maxPerHost, int knownHostRank) {

        OfferedUrl replayed() {
            return new OfferedUrl(OfferMode.REPLAY, url, maxPerHost, knownHostRank);
        }
    }
}
