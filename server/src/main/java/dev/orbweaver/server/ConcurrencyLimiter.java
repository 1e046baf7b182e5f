package dev.orbweaver.server;

import java.util.HashMap;
import java.util.Map;

/**
 * Limits how many calls of an expensive kind run at the same time, in all and of one caller: nobody
 * can take all of them. A caller without a seat has no entry, so there are at most as many entries
 * as seats.
 */
final class ConcurrencyLimiter {

    private final int max;
    private final int perCaller;
    private final String rejectionMessage;
    private final Map<String, Integer> heldByCaller = new HashMap<>();
    private int held;

    /**
     * @param full what is told to a caller for whom there is none
     */
    ConcurrencyLimiter(int max, int perCaller, String full) {
        this.max = max;
        this.perCaller = perCaller;
        this.rejectionMessage = full;
    }

    /** A seat, until it is closed; or a problem with status 429. */
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
