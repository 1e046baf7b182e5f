package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What was offered within the last minute, to be offered again to a server that may have forgotten
 * it. Redis writes its file every second, so the last few seconds are what matters; however much is
 * found, no more is kept than fits the limits.
 */
final class RecentOffers {

    private static final long RETENTION_MILLIS = 60_000;
    private static final int URLS_MAX = 100_000;

    /** So many URLs of the greatest length would be 800 MB. */
    private static final long BYTES_MAX = 32L << 20;

    /** How many arguments a URL has, after the counters of a call. */
    private static final int ARGS_PER_URL = 9;

    private static final byte[] OFFER = bytes("o");
    private static final byte[] REPLAYED_OFFER = bytes("p");

    private record RecentOffer(int shard, List<byte[]> args, long bytes, long at) {
        private int urls() {
            return args.size() / ARGS_PER_URL;
        }
    }

    private final Deque<RecentOffer> offers = new ArrayDeque<>();
    private int urls;
    private long bytes;

    private boolean isFull() {
        return urls > URLS_MAX || bytes > BYTES_MAX;
    }

    /** Keeps the URLs of a call, without its counters and without those that cannot be repeated. */
    void add(int shard, List<byte[]> args, long now) {
        var counters = Integer.parseInt(RedisConnection.string(args.getFirst()));
        var again = new ArrayList<byte[]>();
        again.add(bytes(0));
        for (var i = 1 + 3 * counters; i < args.size(); i += ARGS_PER_URL) {
            if (args.get(i)[0] == OFFER[0]) {
                again.add(REPLAYED_OFFER);
                again.addAll(args.subList(i + 1, i + ARGS_PER_URL));
            }
        }
        if (again.size() > 1) {
            var one =
                    new RecentOffer(
                            shard, again, again.stream().mapToLong(arg -> arg.length).sum(), now);
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
     * The calls to make again to a shard. However long its server was away, it forgets the last
     * that it was told before.
     *
     * @param heard when it was last heard of
     */
    List<List<byte[]>> callsToReplay(int shard, long heard) {
        return offers.stream()
                .filter(one -> one.shard == shard && one.at >= heard - RETENTION_MILLIS)
                .map(RecentOffer::args)
                .toList();
    }
}
