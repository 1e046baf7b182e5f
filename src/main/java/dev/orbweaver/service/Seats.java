package dev.orbweaver.service;

import java.util.HashMap;
import java.util.Map;

/**
 * Limits how many calls of an expensive kind run at the same time, in all and of one caller: nobody
 * can take all of them. A caller without a seat has no entry, so there are at most as many entries
 * as seats.
 */
final class Seats {

    private final int max;
    private final int perCaller;
    private final String full;
    private final Map<String, Integer> taken = new HashMap<>();
    private int all;

    /**
     * @param full what is told to a caller for whom there is none
     */
    Seats(int max, int perCaller, String full) {
        this.max = max;
        this.perCaller = perCaller;
        this.full = full;
    }

    /** A seat, until it is closed; or a problem with status 429. */
    Seat take(Call call) {
        return take(Guard.caller(call));
    }

    synchronized Seat take(String caller) {
        if (all >= max || taken.getOrDefault(caller, 0) >= perCaller) {
            throw ProblemException.of(ProblemException.TOO_MANY, full);
        }
        all++;
        taken.merge(caller, 1, Integer::sum);
        return () -> leave(caller);
    }

    private synchronized void leave(String caller) {
        all--;
        taken.computeIfPresent(caller, (_, count) -> count == 1 ? null : count - 1);
    }

    synchronized int callers() {
        return taken.size();
    }

    /** To be closed once. */
    interface Seat extends AutoCloseable {
        @Override
        void close();
    }
}
