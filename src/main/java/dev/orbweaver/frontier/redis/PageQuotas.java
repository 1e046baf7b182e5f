package dev.orbweaver.frontier.redis;

import static dev.orbweaver.frontier.redis.RedisLink.bytes;
import static dev.orbweaver.frontier.redis.RedisLink.string;

import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;

/**
 * Bounds how many URLs this worker leases of a job that has a limit on its pages.
 *
 * <p>A worker sees the pages of the others only when they are settled, so several workers would
 * each lease up to the limit. Instead each is granted a part of what is left. A part covers the
 * worker's leases until its next call, so pages and parts together never exceed the limit, but for
 * pages that are settled while another worker asks.
 */
final class PageQuotas {

    /** A part that is not used is given back by asking again. */
    private static final long RENEW_MILLIS = 1000;

    private static final long ASK_AGAIN_MILLIS = 100;

    /** A job's limit and what is left of this worker's part. */
    private static final class Part {
        private final long limit;
        private long left;
        private boolean refused;
        private long askedAt = Long.MIN_VALUE / 2;

        private Part(long limit) {
            this.limit = limit;
        }

        private boolean asks(long now) {
            var wait = left > 0 ? RENEW_MILLIS : refused ? ASK_AGAIN_MILLIS : 0;
            return now - askedAt >= wait;
        }
    }

    private final RedisLink link;
    private final FleetSettings settings;
    private final Map<Integer, Part> parts = new HashMap<>();

    PageQuotas(RedisLink link, FleetSettings settings) {
        this.link = link;
        this.settings = settings;
    }

    void limit(int job, long pages) {
        if (pages == Long.MAX_VALUE) {
            parts.remove(job);
        } else {
            parts.put(job, new Part(pages));
        }
    }

    void forget(int job) {
        parts.remove(job);
    }

    static byte[] key(FleetSettings settings, int job) {
        return bytes("ow:{" + settings.fleet() + ".job" + job + "}:quota");
    }

    /**
     * Reduces what is wanted of each job to what this worker may lease.
     *
     * @param pages how many pages a job has now
     * @param out how many leases of a job this worker has out
     */
    void bound(Map<JobId, Integer> wanted, IntToLongFunction pages, IntToLongFunction out, long now)
            throws IOException {
        for (var each : wanted.entrySet()) {
            var job = each.getKey().number();
            var part = parts.get(job);
            if (part != null && each.getValue() > 0) {
                if (part.asks(now)) {
                    ask(job, part, pages.applyAsLong(job), out.applyAsLong(job), now);
                }
                each.setValue((int) Math.min(each.getValue(), part.left));
            }
        }
    }

    private void ask(int job, Part part, long pages, long out, long now) throws IOException {
        var args =
                List.of(
                        bytes(now),
                        bytes(settings.worker()),
                        bytes(part.limit),
                        bytes(pages),
                        bytes(out),
                        bytes(settings.hostLease().toMillis()));
        part.left = 0; // What an answer that is lost would have granted is not used.
        var call = new RedisLink.Call(Script.QUOTA, string(key(settings, job)), args);
        part.left = Long.parseLong(string(link.one(call)));
        part.refused = part.left == 0;
        part.askedAt = now;
    }

    /** One of a job's URLs was leased. */
    void leased(int job) {
        var part = parts.get(job);
        if (part != null && part.left > 0) {
            part.left--;
        }
    }
}
