package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntToLongFunction;

/**
 * Limits how many URLs this worker leases of a job that has a page limit.
 *
 * <p>A worker sees the pages of the others only when they are settled, so several workers would
 * each lease up to the limit. Instead each is granted a share of the remaining pages. A grant
 * covers the worker's leases until its next call, so pages and grants together never exceed the
 * limit, except for pages that are settled during another worker's call.
 */
final class PageQuotas {

    /** How often a grant is renewed; a renewal returns the unused part. */
    private static final long RENEW_MILLIS = 1000;

    private static final long RETRY_MILLIS = 100;

    private static final class PageGrant {
        private final long limit;
        private long remaining;
        private boolean refused;
        private long askedAt = Long.MIN_VALUE / 2;

        private PageGrant(long limit) {
            this.limit = limit;
        }

        private boolean isRequestDue(long now) {
            var wait = remaining > 0 ? RENEW_MILLIS : refused ? RETRY_MILLIS : 0;
            return now - askedAt >= wait;
        }
    }

    private final RedisConnection connection;
    private final FleetSettings settings;
    private final Map<Integer, PageGrant> grants = new HashMap<>();

    PageQuotas(RedisConnection link, FleetSettings settings) {
        this.connection = link;
        this.settings = settings;
    }

    void setLimit(int job, long pages) {
        if (pages == Long.MAX_VALUE) {
            grants.remove(job);
        } else {
            grants.put(job, new PageGrant(pages));
        }
    }

    boolean isLimited(int job) {
        return grants.containsKey(job);
    }

    void removeJob(int job) {
        grants.remove(job);
    }

    static byte[] key(FleetSettings settings, int job) {
        return bytes("ow:{" + settings.fleet() + ".job" + job + "}:quota");
    }

    /**
     * Reduces the demand of each job to what this worker may lease.
     *
     * @param pages current number of pages of a job
     * @param out outstanding leases of a job on this worker
     */
    void restrict(
            Map<JobId, Integer> wanted, IntToLongFunction pages, IntToLongFunction out, long now)
            throws IOException {
        for (var each : wanted.entrySet()) {
            var job = each.getKey().number();
            var pageGrant = grants.get(job);
            if (pageGrant != null && each.getValue() > 0) {
                if (pageGrant.isRequestDue(now)) {
                    requestGrant(job, pageGrant, pages.applyAsLong(job), out.applyAsLong(job), now);
                }
                each.setValue((int) Math.min(each.getValue(), pageGrant.remaining));
            }
        }
    }

    private void requestGrant(int job, PageGrant pageGrant, long pages, long out, long now)
            throws IOException {
        var request =
                new KeyRequest.GrantPages(
                        string(key(settings, job)),
                        now,
                        settings.worker(),
                        pageGrant.limit,
                        pages,
                        out,
                        settings.hostLease().toMillis());
        pageGrant.remaining = 0; // The grant of a lost reply is not used.
        pageGrant.remaining = connection.call(request);
        pageGrant.refused = pageGrant.remaining == 0;
        pageGrant.askedAt = now;
    }

    void countLease(int job) {
        var pageGrant = grants.get(job);
        if (pageGrant != null && pageGrant.remaining > 0) {
            pageGrant.remaining--;
        }
    }
}
