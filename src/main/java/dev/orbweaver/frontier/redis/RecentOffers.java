package dev.orbweaver.frontier.redis;

import static dev.orbweaver.frontier.redis.RedisLink.bytes;

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

    private static final long KEPT_MILLIS = 60_000;
    private static final int URLS_MAX = 100_000;

    /** So many URLs of the greatest length would be 800 MB. */
    private static final long BYTES_MAX = 32L << 20;

    /** How many arguments a URL has, after the counters of a call. */
    private static final int WIDTH = 9;

    private static final byte[] OFFER = bytes("o");
    private static final byte[] AGAIN = bytes("p");

    private record Kept(int shard, List<byte[]> args, long bytes, long at) {
        private int urls() {
            return args.size() / WIDTH;
        }
    }

    private final Deque<Kept> kept = new ArrayDeque<>();
    private int urls;
    private long bytes;

    private boolean isFull() {
        return urls > URLS_MAX || bytes > BYTES_MAX;
    }

    /** Keeps the URLs of a call, without its counters and without those that cannot be repeated. */
    void keep(int shard, List<byte[]> args, long now) {
        var counters = Integer.parseInt(RedisLink.string(args.getFirst()));
        var again = new ArrayList<byte[]>();
        again.add(bytes(0));
        for (var i = 1 + 3 * counters; i < args.size(); i += WIDTH) {
            if (args.get(i)[0] == OFFER[0]) {
                again.add(AGAIN);
                again.addAll(args.subList(i + 1, i + WIDTH));
            }
        }
        if (again.size() > 1) {
            var one =
                    new Kept(shard, again, again.stream().mapToLong(arg -> arg.length).sum(), now);
            kept.addLast(one);
            urls += one.urls();
            bytes += one.bytes;
        }
        while (!kept.isEmpty() && (isFull() || kept.getFirst().at < now - KEPT_MILLIS)) {
            var oldest = kept.removeFirst();
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
    List<List<byte[]>> of(int shard, long heard) {
        return kept.stream()
                .filter(one -> one.shard == shard && one.at >= heard - KEPT_MILLIS)
                .map(Kept::args)
                .toList();
    }
}
