package dev.orbweaver.frontier;

import dev.orbweaver.frontier.FrontierEvent.Health;
import dev.orbweaver.frontier.FrontierEvent.Rest;
import dev.orbweaver.frontier.HostView.State;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One host: when it may be visited next, and the queues that its jobs have for it.
 *
 * <p>A host's life: {@code idle} without URLs; {@code waiting} until its delay has passed; {@code
 * ready} in the line of hosts; {@code busy} while as many leases are out as it may have; {@code
 * resting} when it asked for quiet, hides its robots.txt or failed too often in a row.
 *
 * <p>There may be a million of these, each a few words: what only a host in some trouble has lies
 * in an object that the others do without.
 */
final class HostQueue {

    /** Failed visits in a row after which a host rests. */
    static final int FAILURES_MAX = 10;

    /** Failed probes after which a resting host is given up. */
    static final int PROBES_MAX = 8;

    /** The longest back-off between two failed visits, unless the first is set to more. */
    static final long BACKOFF_MAX = 30_000;

    private static final long REST_FIRST = 60_000;
    private static final int RESTED_DELAYS = 4;
    private static final long REST_MAX = 3_600_000;

    final String name;
    private Politeness politeness;

    /** The first of the queues, one for each job that ever had a URL here; nearly always one. */
    @Nullable UrlQueue first;

    private @Nullable Trouble trouble;
    private @Nullable Pace pace;

    /** The smoothed response time, in eighths of a millisecond. */
    private int response;

    /** Whether the schedule has met this host. */
    boolean known;

    State state = State.IDLE;
    long dueAt;
    int leased;
    int pages;
    long lastEnded;

    /**
     * Until when the host waits for a gate or, start to start, for its own delay. Not kept over a
     * restart, after which every gate is closed for its full delay.
     */
    long heldUntil;

    HostQueue(String name, Politeness politeness) {
        this.name = name;
        this.politeness = politeness;
    }

    /** From now on it is treated otherwise. */
    void treatedBy(Politeness other) {
        politeness = other;
    }

    /** What a host asked for, and how it fails. */
    private static final class Trouble {
        private long robotsDelay;
        private Rest rest = Rest.NONE;
        private long restUntil;
        private int failures;
        private int probes;

        /** Whether the end of the rest was noted; not kept over a restart. */
        private boolean released;

        private boolean over() {
            return robotsDelay == 0 && restUntil == 0 && failures == 0 && probes == 0;
        }
    }

    void add(UrlQueue queue) {
        if (first == null) {
            first = queue;
            return;
        }
        var last = first;
        while (last.sibling != null) {
            last = last.sibling;
        }
        last.sibling = queue;
    }

    void remove(UrlQueue queue) {
        var others = queues();
        others.remove(queue);
        first = null;
        others.forEach(
                other -> {
                    other.sibling = null;
                    add(other);
                });
    }

    /** The queue of a job, if it ever had a URL here. */
    @Nullable UrlQueue queueOf(int job) {
        for (var queue = first; queue != null; queue = queue.sibling) {
            if (queue.job == job) {
                return queue;
            }
        }
        return null;
    }

    /** All queues, in the order in which the jobs came. */
    List<UrlQueue> queues() {
        var all = new ArrayList<UrlQueue>(1);
        for (var queue = first; queue != null; queue = queue.sibling) {
            all.add(queue);
        }
        return all;
    }

    boolean hasWork() {
        for (var queue = first; queue != null; queue = queue.sibling) {
            if (queue.total() > 0) {
                return true;
            }
        }
        return false;
    }

    /** Everything that waits, of all jobs. */
    long queued() {
        var queued = 0L;
        for (var queue = first; queue != null; queue = queue.sibling) {
            queued += queue.total();
        }
        return queued;
    }

    /** The delay that robots.txt asks for, in milliseconds. */
    long robotsDelay() {
        return trouble == null ? 0 : trouble.robotsDelay;
    }

    void robotsDelay(long delay) {
        if (delay != robotsDelay()) {
            trouble().robotsDelay = delay;
            forgetTrouble();
        }
    }

    long restUntil() {
        return trouble == null ? 0 : trouble.restUntil;
    }

    private int failures() {
        return trouble == null ? 0 : trouble.failures;
    }

    private Trouble trouble() {
        if (trouble == null) {
            trouble = new Trouble();
        }
        return trouble;
    }

    private void forgetTrouble() {
        if (trouble != null && trouble.over()) {
            trouble = null;
        }
    }

    /** The least time between two requests, as the crawl, robots.txt and the answers want it. */
    long delay() {
        var own =
                politeness.pacing().on()
                        ? (pacedDelay() + 999) / 1000
                        : politeness.hostDelay().toMillis();
        return Math.max(own, robotsDelay());
    }

    /** The delay that follows from the answers, in microseconds. */
    private long pacedDelay() {
        var base = baseDelay();
        return pace == null ? base : Math.max(base, pace.delay());
    }

    /** The same without a limit that the host may have. */
    private long baseDelay() {
        var least = politeness.hostDelay().toMillis() * 1000;
        var byResponse = (long) (politeness.pacing().factor() * response * 125 / lanes());
        return Math.max(least, Math.min(byResponse, mostDelay()));
    }

    private long mostDelay() {
        return politeness.pacing().max().toMillis() * 1000;
    }

    /** How many requests may be under way at once. */
    private int lanes() {
        return Math.max(1, politeness.perHost() - (pace == null ? 0 : pace.lanesLess()));
    }

    /** Whether the plain delay is the last thing that the next visit waits for. */
    boolean plainlyWaiting() {
        return Math.max(notBefore(), workFrom()) <= delayedUntil();
    }

    /** When the next visit may be made, provided there is work. */
    long due() {
        return Math.max(mayBeAsked(), workFrom());
    }

    /** When the host may be asked for anything at all. */
    long mayBeAsked() {
        return Math.max(delayedUntil(), notBefore());
    }

    /** Until when distress of the host, or its own request, keeps it from being asked. */
    private long notBefore() {
        return Math.max(restUntil(), backedOffUntil());
    }

    /**
     * When the back-off after failed visits is over: it adds to the delay, whether that is fixed or
     * follows the host.
     */
    private long backedOffUntil() {
        var backoff = backoff();
        return backoff == 0 ? 0 : lastEnded + (startToStart() ? 0 : delay()) + backoff;
    }

    /** Doubles with each failed visit in a row, until the breaker takes over. */
    private long backoff() {
        var failures = failures();
        if (failures == 0 || failures >= FAILURES_MAX) {
            return 0;
        }
        var first = politeness.errorBackoff().toMillis();
        return Math.min(first << (failures - 1), Math.max(first, BACKOFF_MAX));
    }

    /** When the plain delay is over. */
    long delayedUntil() {
        var fromEnd = lastEnded == 0 || startToStart() ? 0 : lastEnded + delay();
        return Math.max(heldUntil, fromEnd);
    }

    private long workFrom() {
        var from = Long.MAX_VALUE;
        for (var queue = first; queue != null; queue = queue.sibling) {
            from = Math.min(from, queue.workFrom());
        }
        return from == Long.MAX_VALUE ? 0 : from;
    }

    /**
     * Whether the host's delay runs from the start of one request to the start of the next, as it
     * must when several are under way at once. One that asks for a delay of its own gets one
     * request at a time.
     */
    boolean startToStart() {
        return politeness.perHost() > 1 && robotsDelay() == 0;
    }

    /** Whether as many leases are out as may be: a host on probation gets one. */
    boolean full() {
        var oneByOne = failures() >= FAILURES_MAX || robotsDelay() > 0;
        return leased >= (oneByOne ? 1 : lanes());
    }

    /** Takes note of a visit's end. True when the host has now been given up. */
    boolean touch(FrontierEvent.Touch touch) {
        var backedOff = touch.ended() < backedOffUntil();
        lastEnded = Math.max(lastEnded, touch.ended());
        if (politeness.pacing().on()) {
            follow(touch);
        }
        if (touch.rest() != Rest.NONE) {
            restUntil(rested(touch), touch.rest());
        }
        return switch (touch.health()) {
            case UNKNOWN -> false;
            case ANSWERED -> {
                answered(touch.ended());
                yield false;
            }
            // One that ends during a back-off was under way when that began: it is no new sign.
            case FAILED, SERVER_ERROR -> !backedOff && failed(trouble(), touch.ended());
            case REPEATED_ERROR -> failures() >= FAILURES_MAX && failed(trouble(), touch.ended());
        };
    }

    /** Goes faster or slower, as the host shows it can. */
    private void follow(FrontierEvent.Touch touch) {
        var refused = touch.rest() != Rest.NONE || touch.health() == Health.FAILED;
        if (refused) {
            pace = pace == null ? new Pace() : pace;
            pace.refused(touch.ended(), pacedDelay(), mostDelay(), lanes());
        } else if (touch.health() == Health.ANSWERED) {
            var took = (int) Math.min(touch.took(), Integer.MAX_VALUE / 16);
            if (took > 0) {
                response = response == 0 ? 8 * took : response + took - response / 8;
            }
            if (pace != null) {
                pace.answered(baseDelay());
                pace = pace.over() ? null : pace;
            }
        }
    }

    /**
     * Until when a host that asked for quiet is left alone. One that did not say how long, and
     * whose delay follows it, needs a few delays only.
     */
    private long rested(FrontierEvent.Touch touch) {
        return touch.rest() == Rest.REFUSED && politeness.pacing().on()
                ? Math.min(touch.until(), touch.ended() + RESTED_DELAYS * delay())
                : touch.until();
    }

    private void answered(long ended) {
        if (trouble == null) {
            return;
        }
        trouble.failures = 0;
        trouble.probes = 0;
        if (trouble.restUntil <= ended) {
            trouble.rest = Rest.NONE;
            trouble.restUntil = 0;
        }
        forgetTrouble();
    }

    private boolean failed(Trouble of, long ended) {
        if (of.failures >= FAILURES_MAX && ended < of.restUntil) {
            // One of several requests that were under way together when the rest began: no probe.
            return false;
        }
        of.failures++;
        if (of.failures < FAILURES_MAX) {
            return false;
        }
        if (of.failures > FAILURES_MAX) {
            of.probes++;
        }
        var doublings = Math.min(of.probes, PROBES_MAX);
        restUntil(ended + Math.min(REST_FIRST << doublings, REST_MAX), Rest.BREAKER);
        return of.probes >= PROBES_MAX;
    }

    private void restUntil(long until, Rest why) {
        if (until > restUntil()) {
            trouble().rest = why;
            trouble().restUntil = until;
            trouble().released = false;
        }
    }

    /** Why the host is blocked, or nothing when it is not or only refused a request. */
    Optional<String> blockedBy() {
        return trouble == null ? Optional.empty() : blockedBy(trouble.rest, trouble.probes);
    }

    static Optional<String> blockedBy(Rest rest, int probes) {
        return switch (rest) {
            case NONE, REFUSED -> Optional.empty();
            case ASKED -> Optional.of("it asked for that with Retry-After");
            case BREAKER ->
                    Optional.of(
                            probes == 0
                                    ? FAILURES_MAX + " failed visits in a row"
                                    : "probe " + probes + " of " + PROBES_MAX + " failed");
        };
    }

    /** Why the host waits for longer than its delay, as far as it is its own doing. */
    Optional<String> restsBecause() {
        if (plainlyWaiting() || workFrom() > notBefore()) {
            return Optional.empty();
        }
        if (backedOffUntil() > restUntil()) {
            return Optional.of(failures() + " failed visits in a row");
        }
        return trouble != null && trouble.rest == Rest.REFUSED
                ? Optional.of("it responded with 429 or 503")
                : blockedBy();
    }

    /** Whether a block has ended by now, true once for each block. */
    boolean releasedBy(long now) {
        if (trouble == null
                || trouble.released
                || trouble.restUntil > now
                || blockedBy().isEmpty()) {
            return false;
        }
        trouble.released = true;
        return true;
    }

    /** Somebody believes that the host works again: it is treated as one that has just answered. */
    void trustAgain() {
        if (trouble == null) {
            return;
        }
        trouble.failures = 0;
        trouble.probes = 0;
        if (trouble.rest == Rest.BREAKER) {
            trouble.rest = Rest.NONE;
            trouble.restUntil = 0;
        }
        forgetTrouble();
    }

    /** What was left of the delay at a time is left of it so much later too. */
    void waitOn(long since, long later) {
        if (lastEnded > 0 && Math.max(lastEnded + delay(), backedOffUntil()) > since) {
            lastEnded += later;
        }
    }

    /** Moves every time that is kept, all by the same, so the order of turns stays. */
    void setClockBack(long by) {
        lastEnded = lastEnded == 0 ? 0 : lastEnded - by;
        heldUntil = heldUntil == 0 ? 0 : heldUntil - by;
        if (pace != null) {
            pace.setClockBack(by);
        }
        if (trouble != null && trouble.restUntil != 0) {
            trouble.restUntil -= by;
        }
        for (var queue = first; queue != null; queue = queue.sibling) {
            queue.setClockBack(by);
        }
    }

    FrontierEvent.HostState written() {
        var of = trouble == null ? new Trouble() : trouble;
        return new FrontierEvent.HostState(
                name,
                lastEnded,
                of.rest,
                of.restUntil,
                of.failures,
                of.probes,
                of.robotsDelay,
                pages,
                response,
                pace == null ? List.of() : pace.numbers());
    }

    void restore(FrontierEvent.HostState event) {
        lastEnded = event.lastEnded();
        pages = event.pages();
        response = event.response();
        pace = event.pace().isEmpty() ? null : new Pace(event.pace());
        var of = trouble();
        of.rest = event.rest();
        of.restUntil = event.restUntil();
        of.failures = event.failures();
        of.probes = event.probes();
        of.robotsDelay = event.delay();
        forgetTrouble();
    }
}
