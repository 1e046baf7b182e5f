package dev.orbweaver.server;

import java.util.HashMap;
import java.util.Map;

/**
 * Limits how many expensive calls run at the same time, in all and per caller, so that no caller
 * can take all permits. A caller without a permit has no entry, so there are at most as many
 * entries as permits.
 */
final class ConcurrencyLimiter {

    private final int max;
    private final int perCaller;
    private final String rejectionMessage;
    private final Map<String, Integer> heldByCaller = new HashMap<>();
    private int held;

    /**
     * @param full message to a caller that gets no permit
     */
    ConcurrencyLimiter(int max, int perCaller, String full) {
        this.max = max;
        this.perCaller = perCaller;
        this.rejectionMessage = full;
    }

    /** A permit, until it is closed; or a problem with status 429. */
    Permit acquire(ApiCall apiCall) {
        return acquire(AccessControl.caller(apiCall));
    }

    synchronized Permit acquire(String caller) {
        if (held >= max || heldByCaller.getOrDefault(caller, 0) >= perCaller) {
            throw ProblemException.of(ProblemException.TOO_MANY_REQUESTS, rejectionMessage);
        }
        held++;
        heldByCaller.merge(caller, 1, Integer::sum);
        return () -> release(caller);
    }

    private synchronized void release(String caller) {
        held--;
        heldByCaller.computeIfPresent(caller, (_, count) -> count == 1 ? null : count - 1);
    }

    synchronized int callerCount() {
        return heldByCaller.size();
    }

    /** To be closed once. */
    interface Permit extends AutoCloseable {
        @Override
        void close();
    }
}
