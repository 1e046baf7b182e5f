package dev.orbweaver.fleet.redis;

import dev.orbweaver.fleet.redis.ScriptConstants.OfferMode;
import dev.orbweaver.fleet.redis.ScriptConstants.OfferResult;
import dev.orbweaver.internal.frontier.QueuedUrl;

import java.util.List;

/** Offers URLs to a shard and adds to counters; the reply has a result for each URL. */
record OfferRequest(int shard, List<CounterChange> counters, List<OfferedUrl> urls)
        implements ShardRequest<List<OfferResult>> {

    record CounterChange(int job, String counter, long by) {}

    /**
     * An offered URL; its own band is the one that it has on a host with few pages.
     *
     * @param maxPerHost maximum number of URLs of a host that the job accepts; 0 for no limit
     * @param knownHostBand its band on other hosts
     */
    record OfferedUrl(OfferMode mode, QueuedUrl url, int maxPerHost, int knownHostBand) {

        OfferedUrl replayed() {
            return new OfferedUrl(OfferMode.REPLAY, url, maxPerHost, knownHostBand);
        }
    }
}
