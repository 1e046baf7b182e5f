package dev.orbweaver.server;

import java.util.HashMap;
import java.util.Map;

/**
 * Limits the number of concurrent expensive calls, in total and per caller, so that no caller can
 * take all permits. Only callers with a permit have an entry, so the map is bounded.
 */
final class ConcurrencyLimiter {

    private final int max;
    private final int perCaller;
    private final String rejectionMessage;
    private final Map<String, Integer> heldByCaller = new HashMap<>();
    private int held;

    /**
     * @param full the message if no permit is available
     */
    ConcurrencyLimiter(int max, int perCaller, String full) {
        this.max = max;
        this.perCaller = perCaller;
        this.rejectionMessage = full;
    }

    /** Returns a permit that is valid until it is closed; throws a problem with status 429. */
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

    /** A permit; must be closed exactly once. */
    interface Permit extends AutoCloseable {
        @Override
        void close();
    }
}
