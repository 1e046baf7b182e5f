package dev.orbweaver.frontier;

import dev.orbweaver.frontier.FrontierEvent.Rest;
import dev.orbweaver.frontier.HostView.State;

import java.util.Arrays;

/**
 * One host: when it may be visited next, and the queues that its jobs have for it.
 *
 * <p>A host's life: {@code idle} without URLs; {@code waiting} until its delay has passed; {@code
 * ready} in the line of hosts; {@code busy} while as many leases are out as it may have; {@code
 * resting} when it asked for quiet, hides its robots.txt or failed too often in a row.
 */
final class HostQueue {

    /** Failed visits in a row after which a host rests. */
    static final int FAILURES_MAX = 10;

    /** Failed probes after which a resting host is given up. */
    static final int PROBES_MAX = 8;

    private static final UrlQueue[] NO_QUEUES = {};
    private static final long REST_FIRST = 60_000;
    private static final long REST_MAX = 3_600_000;

    final String name;
    private final Politeness politeness;

    /** One for each job that ever had a URL here, nearly always one. */
    UrlQueue[] queues = NO_QUEUES;

    /** Whether the schedule has met this host. */
    boolean known;

    State state = State.IDLE;
    long dueAt;
    int leased;
    int pages;
    long robotsDelay;
    long lastEnded;
    Rest rest = Rest.NONE;
    long restUntil;
    int failures;
    int probes;

    /**
     * Until when the host waits for a gate or, start to start, for its own delay. Not kept over a
     * restart, after which every gate is closed for its full delay.
     */
    long heldUntil;

    HostQueue(String name, Politeness politeness) {
        this.name = name;
        this.politeness = politeness;
    }

    void add(UrlQueue queue) {
        queues = Arrays.copyOf(queues, queues.length + 1);
        queues[queues.length - 1] = queue;
    }

    void remove(UrlQueue queue) {
        queues = Arrays.stream(queues).filter(other -> other != queue).toArray(UrlQueue[]::new);
    }

    boolean hasWork() {
        for (var queue : queues) {
            if (queue.total() > 0) {
                return true;
            }
        }
        return false;
    }

    /** Everything that waits, of all jobs. */
    long queued() {
        var queued = 0L;
        for (var queue : queues) {
            queued += queue.total();
        }
        return queued;
    }

    /** The least time between two requests, as the crawl and robots.txt want it. */
    long delay() {
        return Math.max(politeness.hostDelay().toMillis(), robotsDelay);
    }

    /** Whether the plain delay is the last thing that the next visit waits for. */
    boolean plainlyWaiting() {
        return Math.max(restUntil, workFrom()) <= delayedUntil();
    }

    /** When the next visit may be made, provided there is work. */
    long due() {
        return Math.max(mayBeAsked(), workFrom());
    }

    /** When the host may be asked for anything at all. */
    long mayBeAsked() {
        return Math.max(delayedUntil(), restUntil);
    }

    private long delayedUntil() {
        var fromEnd = lastEnded == 0 || startToStart() ? 0 : lastEnded + delay();
        return Math.max(heldUntil, fromEnd);
    }

    private long workFrom() {
        var first = Long.MAX_VALUE;
        for (var queue : queues) {
            first = Math.min(first, queue.workFrom());
        }
        return first == Long.MAX_VALUE ? 0 : first;
    }

    /**
     * Whether the host's delay runs from the start of one request to the start of the next, as it
     * must when several are under way at once. One that asks for a delay of its own gets one
     * request at a time.
     */
    boolean startToStart() {
        return politeness.perHost() > 1 && robotsDelay == 0;
    }

    /** Whether as many leases are out as may be: a host on probation gets one. */
    boolean full() {
        var oneByOne = failures >= FAILURES_MAX || robotsDelay > 0;
        return leased >= (oneByOne ? 1 : politeness.perHost());
    }

    /** Takes note of a visit's end. True when the host has now been given up. */
    boolean touch(FrontierEvent.Touch touch) {
        lastEnded = Math.max(lastEnded, touch.ended());
        if (touch.rest() != Rest.NONE) {
            restUntil(touch.until(), touch.rest());
        }
        return switch (touch.health()) {
            case UNKNOWN -> false;
            case ANSWERED -> {
                failures = 0;
                probes = 0;
                yield false;
            }
            case FAILED -> failed(touch.ended());
        };
    }

    private boolean failed(long ended) {
        if (failures >= FAILURES_MAX && ended < restUntil) {
            // One of several requests that were under way together when the rest began: no probe.
            return false;
        }
        failures++;
        if (failures < FAILURES_MAX) {
            return false;
        }
        if (failures > FAILURES_MAX) {
            probes++;
        }
        var doublings = Math.min(probes, PROBES_MAX);
        restUntil(ended + Math.min(REST_FIRST << doublings, REST_MAX), Rest.BREAKER);
        return probes >= PROBES_MAX;
    }

    private void restUntil(long until, Rest why) {
        if (until > restUntil) {
            rest = why;
            restUntil = until;
        }
    }

    /** Somebody believes that the host works again: it is treated as one that has just answered. */
    void trustAgain() {
        failures = 0;
        probes = 0;
        if (rest == Rest.BREAKER) {
            rest = Rest.NONE;
            restUntil = 0;
        }
    }

    /** What was left of the delay at a time is left of it so much later too. */
    void waitOn(long since, long later) {
        if (lastEnded > 0 && lastEnded + delay() > since) {
            lastEnded += later;
        }
    }

    /** Moves every time that is kept, all by the same, so the order of turns stays. */
    void setClockBack(long by) {
        lastEnded = lastEnded == 0 ? 0 : lastEnded - by;
        restUntil = restUntil == 0 ? 0 : restUntil - by;
        heldUntil = heldUntil == 0 ? 0 : heldUntil - by;
        for (var queue : queues) {
            queue.setClockBack(by);
        }
    }
}
