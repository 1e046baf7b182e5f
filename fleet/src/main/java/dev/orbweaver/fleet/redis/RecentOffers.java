package dev.orbweaver.fleet.redis;

import dev.orbweaver.fleet.redis.ScriptConstants.OfferMode;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The offers of the last minute, to be repeated to a server that may have lost them. Redis syncs
 * its file every second, so the last few seconds matter; size and number are bounded.
 */
final class RecentOffers {

    private static final long RETENTION_MILLIS = 60_000;
    private static final int URLS_MAX = 100_000;

    /**
     * The number of URLs is not a sufficient limit: with the maximum length they would be 800 MB.
     */
    private static final long BYTES_MAX = 32L << 20;

    private record RecentOffer(OfferRequest request, long bytes, long at) {
        private int urls() {
            return request.urls().size();
        }
    }

    private final Deque<RecentOffer> offers = new ArrayDeque<>();
    private int urls;
    private long bytes;

    private static long bytes(OfferRequest.OfferedUrl url) {
        return url.url().url().url().text().length();
    }

    private boolean isFull() {
        return urls > URLS_MAX || bytes > BYTES_MAX;
    }

    /**
     * Stores the URLs of a call, without its counters and without those that cannot be repeated.
     */
    void add(OfferRequest request, long now) {
        var again =
                request.urls().stream()
                        .filter(url -> url.mode() == OfferMode.OFFER)
                        .map(OfferRequest.OfferedUrl::replayed)
                        .toList();
        if (!again.isEmpty()) {
            var one =
                    new RecentOffer(
                            new OfferRequest(request.shard(), List.of(), again),
                            again.stream().mapToLong(RecentOffers::bytes).sum(),
                            now);
            offers.addLast(one);
            urls += one.urls();
            bytes += one.bytes;
        }
        while (!offers.isEmpty() && (isFull() || offers.getFirst().at < now - RETENTION_MILLIS)) {
            var oldest = offers.removeFirst();
            urls -= oldest.urls();
            bytes -= oldest.bytes;
        }
    }

    /**
     * Returns the calls to repeat to a shard. A server loses the last changes before its restart,
     * regardless of how long the restart took.
     *
     * @param lastReply when it last replied
     */
    List<OfferRequest> callsToReplay(int shard, long lastReply) {
        return offers.stream()
                .filter(
                        one ->
                                one.request.shard() == shard
                                        && one.at >= lastReply - RETENTION_MILLIS)
                .map(RecentOffer::request)
                .toList();
    }
}
