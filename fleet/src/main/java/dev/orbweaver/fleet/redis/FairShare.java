package dev.orbweaver.fleet.redis;

import java.util.HashMap;
import java.util.Map;

/**
 * How many hosts this worker may claim, so that the workers of a fleet have equally many.
 *
 * <p>Every worker publishes its number of hosts with its heartbeat. A worker claims hosts up to an
 * equal share of all, those that are due included. Hosts that no worker has claimed a while after
 * they were due are free for all, because the others may have enough to do or not crawl their job.
 * A worker with more than its share gives hosts back if others have less.
 */
final class FairShare {

    /** A worker without a heartbeat for this long does not count. */
    static final long SILENT_MILLIS = 12_000;

    /** The minimum time between two releases, in which the others claim what was released. */
    private static final long RELEASE_MILLIS = 3_000;

    private static final long RELEASE_MILLIS_MAX = 300_000;

    private final Map<String, Integer> others = new HashMap<>();
    private long releaseAt;
    private long releaseMillis = RELEASE_MILLIS;

    /** How many hosts the others had when this worker last released some. */
    private int othersBefore;

    /**
     * Replaces what is known of the other workers.
     *
     * @param hosts the number of hosts of each other worker that crawls
     */
    void setOthers(Map<String, Integer> hosts) {
        others.clear();
        others.putAll(hosts);
    }

    private int ofOthers() {
        return others.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Returns the share of each worker of the claimed hosts. */
    private int share(int own) {
        var workers = others.size() + 1;
        return (own + ofOthers() + workers - 1) / workers;
    }

    /** Returns whether other workers have more hosts. */
    boolean isBelow(int own) {
        return own < share(own);
    }

    /**
     * Returns how many more hosts this worker may claim that have just become due. Those that
     * remain after an equal division are left to the worker that has least.
     *
     * @param due the number of shards that may have hosts to claim
     */
    int allowance(int own, int due) {
        var equal = (own + ofOthers() + due) / (others.size() + 1);
        return others.isEmpty()
                ? Integer.MAX_VALUE
                : Math.max(0, Math.max(equal, share(own)) - own);
    }

    /**
     * Returns how many hosts this worker may claim of those that no worker has claimed for a while.
     */
    int allowanceOfOverdue(int overdue) {
        return others.isEmpty() ? Integer.MAX_VALUE : Math.ceilDiv(overdue, others.size() + 1);
    }

    /**
     * Returns how many hosts this worker should give back now. If the others did not claim what it
     * gave back before, it waits for longer and longer.
     */
    int surplus(int own, long now) {
        if (others.isEmpty() || now < releaseAt) {
            return 0;
        }
        var share = share(own);
        var missing = others.values().stream().mapToInt(has -> Math.max(0, share - has)).sum();
        var surplus = Math.min(own - share, missing);
        if (surplus <= 0) {
            return 0;
        }
        releaseMillis =
                othersBefore > 0 && ofOthers() < othersBefore
                        ? Math.min(2 * releaseMillis, RELEASE_MILLIS_MAX)
                        : RELEASE_MILLIS;
        releaseAt = now + releaseMillis;
        othersBefore = ofOthers() + 1;
        return surplus;
    }
}
