package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.frontier.FrontierEvent.Health;
import dev.orbweaver.internal.frontier.FrontierEvent.Rest;
import dev.orbweaver.model.Fingerprint;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The state of one host: when it may be visited next, and the queues that jobs have for it.
 *
 * <p>States of a host: {@code idle} without URLs; {@code waiting} until its delay has passed;
 * {@code ready} in the list of hosts; {@code busy} while its maximum number of leases is
 * outstanding; {@code resting} if it sent Retry-After, its robots.txt is unreachable, or it failed
 * too often in a row.
 *
 * <p>{@link HostBackoff} has the circuit breaker; before it opens, each failed visit doubles a
 * backoff. Adaptive delay: {@link #adaptDelay} follows the response time, and {@link
 * RateLimitProbe} a rate limit that was detected.
 *
 * <p>There may be a million of these objects, each a few words in memory: the state of failing
 * hosts is in a separate object that other hosts do not have.
 */
final class HostQueue {

    /**
     * The longest backoff between two failed visits, unless the configured first backoff is longer.
     */
    static final long BACKOFF_MAX = 30_000;

    private static final int RESTED_DELAYS = 4;

    final String name;
    private Politeness politeness;

    /** The first of the queues, one for each job that ever had a URL here; almost always one. */
    @Nullable UrlQueue firstQueue;

    private @Nullable HostBackoff backoffState;
    private @Nullable RateLimitProbe rateLimitProbe;

    /** In eighths of a millisecond. */
    private int smoothedResponseTime;

    final HostTurn turn = new HostTurn();
    int leased;
    int pages;
    long lastEnded;

    HostQueue(String name, Politeness politeness) {
        this.name = name;
        this.politeness = politeness;
    }

    void setPoliteness(Politeness other) {
        politeness = other;
    }

    void add(UrlQueue queue) {
        if (firstQueue == null) {
            firstQueue = queue;
            return;
        }
        var last = firstQueue;
        while (last.sibling != null) {
            last = last.sibling;
        }
        last.sibling = queue;
    }

    void remove(UrlQueue queue) {
        if (turn.jobs != null) {
            turn.jobs.remove(queue);
        }
        var others = queues();
        others.remove(queue);
        firstQueue = null;
        others.forEach(
                other -> {
                    other.sibling = null;
                    add(other);
                });
    }

    /** Returns the queue of a job, if it ever had a URL here. */
    @Nullable UrlQueue queueOf(int job) {
        if (turn.jobs != null) {
            return turn.jobs.queueOf(job);
        }
        return firstQueue != null && firstQueue.job == job ? firstQueue : null;
    }

    /** Called after each change of a queue. */
    void onChanged(UrlQueue queue) {
        if (turn.jobs != null) {
            turn.jobs.update(queue);
        }
    }

    /** Returns the queues in the order of the jobs' first URLs. */
    List<UrlQueue> queues() {
        var all = new ArrayList<UrlQueue>(1);
        for (var queue = firstQueue; queue != null; queue = queue.sibling) {
            all.add(queue);
        }
        return all;
    }

    /** Returns whether an active job has URLs here. */
    boolean hasWork() {
        if (turn.jobs != null) {
            return turn.jobs.hasWork();
        }
        return firstQueue != null && firstQueue.mayLease();
    }

    long queued() {
        var queued = 0L;
        for (var queue = firstQueue; queue != null; queue = queue.sibling) {
            queued += queue.waiting();
        }
        return queued;
    }

    /** Returns the crawl delay from robots.txt, in milliseconds. */
    long crawlDelay() {
        return backoffState == null ? 0 : backoffState.crawlDelay;
    }

    void crawlDelay(long delay) {
        if (delay != crawlDelay()) {
            backoffState().crawlDelay = delay;
            clearBackoffIfOver();
        }
    }

    long restUntil() {
        return backoffState == null ? 0 : backoffState.restUntil;
    }

    private int failures() {
        return backoffState == null ? 0 : backoffState.failures;
    }

    private HostBackoff backoffState() {
        if (backoffState == null) {
            backoffState = new HostBackoff();
        }
        return backoffState;
    }

    /** Returns whether a URL that fails for a job now has just failed for another job. */
    boolean hasFailedInOtherJob(Fingerprint url, int job) {
        return backoffState().hasFailedInOtherJob(url, job);
    }

    private void clearBackoffIfOver() {
        if (backoffState != null && backoffState.isClear()) {
            backoffState = null;
        }
    }

    /** Returns the minimum time between two requests, from settings, robots.txt and responses. */
    long delay() {
        var own =
                politeness.adaptiveDelaySettings().isEnabled()
                        ? (adaptiveDelay() + 999) / 1000
                        : politeness.hostDelay().toMillis();
        return Math.max(own, crawlDelay());
    }

    /** Returns what decides the {@link #delay}. */
    JobHosts.DelayReason delayReason() {
        if (crawlDelay() > 0 && crawlDelay() == delay()) {
            return JobHosts.DelayReason.CRAWL_DELAY;
        }
        if (!politeness.adaptiveDelaySettings().isEnabled()) {
            return JobHosts.DelayReason.SETTING;
        }
        if (adaptiveDelay() > baseDelay()) {
            return JobHosts.DelayReason.RATE_LIMIT;
        }
        return baseDelay() > politeness.hostDelay().toMillis() * 1000
                ? JobHosts.DelayReason.RESPONSE_TIME
                : JobHosts.DelayReason.MIN_DELAY;
    }

    /** Returns the delay that follows from the responses, in microseconds. */
    private long adaptiveDelay() {
        var base = baseDelay();
        return rateLimitProbe == null ? base : Math.max(base, rateLimitProbe.delay());
    }

    /** Returns the delay without the effect of a detected rate limit. */
    private long baseDelay() {
        var minDelay = politeness.hostDelay().toMillis() * 1000;
        var byResponse =
                (long)
                        (politeness.adaptiveDelaySettings().factor()
                                * smoothedResponseTime
                                * 125
                                / concurrency());
        return Math.max(minDelay, Math.min(byResponse, maxDelay()));
    }

    private long maxDelay() {
        return politeness.adaptiveDelaySettings().max().toMillis() * 1000;
    }

    /** Returns the maximum number of requests in flight. */
    private int concurrency() {
        return Math.max(
                1,
                politeness.concurrencyPerHost()
                        - (rateLimitProbe == null ? 0 : rateLimitProbe.concurrencyReduction()));
    }

    /** Returns whether the next visit waits only for the regular delay. */
    boolean isWaitingForDelayOnly() {
        return Math.max(notBefore(), workAvailableAt()) <= delayedUntil();
    }

    /** Returns when the next visit may be made, if there is work. */
    long due() {
        return Math.max(availableAt(), workAvailableAt());
    }

    /** Returns when the host may be requested at the earliest. */
    long availableAt() {
        return Math.max(delayedUntil(), notBefore());
    }

    /** Returns until when failures of the host, or its Retry-After, prevent a visit. */
    private long notBefore() {
        return Math.max(restUntil(), backoffUntil());
    }

    /**
     * Returns when the backoff after failed visits ends. It is added to the delay, fixed or
     * adaptive.
     */
    private long backoffUntil() {
        var backoff = backoff();
        return backoff == 0 ? 0 : lastEnded + (isStartToStart() ? 0 : delay()) + backoff;
    }

    /**
     * Returns the backoff, which doubles with each failed visit in a row until the circuit breaker
     * opens.
     */
    private long backoff() {
        var failures = failures();
        if (failures == 0 || failures >= HostBackoff.FAILURES_MAX) {
            return 0;
        }
        var first = politeness.errorBackoff().toMillis();
        return Math.min(first << (failures - 1), Math.max(first, BACKOFF_MAX));
    }

    long delayedUntil() {
        var fromEnd = lastEnded == 0 || isStartToStart() ? 0 : lastEnded + delay();
        return Math.max(turn.heldUntil, fromEnd);
    }

    private long workAvailableAt() {
        var from = Long.MAX_VALUE;
        if (turn.jobs != null) {
            from = turn.jobs.workAvailableAt();
        } else if (firstQueue != null) {
            from = firstQueue.workAvailableAt();
        }
        return from == Long.MAX_VALUE ? 0 : from;
    }

    /**
     * Returns whether the host's delay runs from the start of one request to the start of the next.
     * That is required if several are in flight at once. A host with a crawl delay gets one request
     * at a time.
     */
    boolean isStartToStart() {
        return politeness.concurrencyPerHost() > 1 && crawlDelay() == 0;
    }

    /**
     * Returns whether the maximum number of leases is outstanding: one for a host that is being
     * probed.
     */
    boolean isFull() {
        var oneByOne = failures() >= HostBackoff.FAILURES_MAX || crawlDelay() > 0;
        return leased >= (oneByOne ? 1 : concurrency());
    }

    /** Records a request that another program made; it says nothing of the host's health. */
    void requestedElsewhere(long at) {
        lastEnded = Math.max(lastEnded, at);
    }

    /** Updates the host at the end of a visit. Returns true if its URLs become dead letters now. */
    boolean update(FrontierEvent.HostUpdate hostUpdate) {
        var backedOff = hostUpdate.ended() < backoffUntil();
        lastEnded = Math.max(lastEnded, hostUpdate.ended());
        if (politeness.adaptiveDelaySettings().isEnabled()) {
            adaptDelay(hostUpdate);
        }
        if (hostUpdate.rest() != Rest.NONE) {
            backoffState().restUntil(restEnd(hostUpdate), hostUpdate.rest(), turn);
        }
        return switch (hostUpdate.health()) {
            case UNKNOWN -> false;
            case RESPONDED -> {
                recordResponse(restUntil() <= hostUpdate.ended());
                yield false;
            }
            // A request that ends during a backoff was in flight when the backoff began: it is no
            // new evidence.
            case FAILED, SERVER_ERROR ->
                    !backedOff && backoffState().recordFailure(hostUpdate.ended(), turn);
            case REPEATED_ERROR ->
                    failures() >= HostBackoff.FAILURES_MAX
                            && backoffState().recordFailure(hostUpdate.ended(), turn);
        };
    }

    private void adaptDelay(FrontierEvent.HostUpdate hostUpdate) {
        var refused = hostUpdate.rest() != Rest.NONE || hostUpdate.health() == Health.FAILED;
        if (refused) {
            rateLimitProbe = rateLimitProbe == null ? new RateLimitProbe() : rateLimitProbe;
            rateLimitProbe.onRefusal(
                    hostUpdate.ended(), adaptiveDelay(), maxDelay(), concurrency());
        } else if (hostUpdate.health() == Health.RESPONDED) {
            var took = (int) Math.min(hostUpdate.responseMillis(), Integer.MAX_VALUE / 16);
            if (took > 0) {
                smoothedResponseTime =
                        smoothedResponseTime == 0
                                ? 8 * took
                                : smoothedResponseTime + took - smoothedResponseTime / 8;
            }
            if (rateLimitProbe != null) {
                rateLimitProbe.onResponse(baseDelay());
                rateLimitProbe = rateLimitProbe.isEmpty() ? null : rateLimitProbe;
            }
        }
    }

    /**
     * Returns until when a rate-limited host rests. Without Retry-After and with an adaptive delay,
     * a few delays suffice.
     */
    private long restEnd(FrontierEvent.HostUpdate hostUpdate) {
        return hostUpdate.rest() == Rest.RATE_LIMITED
                        && politeness.adaptiveDelaySettings().isEnabled()
                ? Math.min(hostUpdate.restUntil(), hostUpdate.ended() + RESTED_DELAYS * delay())
                : hostUpdate.restUntil();
    }

    /** Returns why the host is blocked; empty if it is not blocked or only rejected a request. */
    Optional<String> blockReason() {
        return backoffState == null
                ? Optional.empty()
                : HostBackoff.blockReason(backoffState.rest, backoffState.probes);
    }

    /** Returns why the host waits for longer than its delay, if the host is the cause. */
    Optional<String> restReason() {
        if (isWaitingForDelayOnly() || workAvailableAt() > notBefore()) {
            return Optional.empty();
        }
        if (backoffUntil() > restUntil()) {
            return Optional.of(
                    failures() == 1
                            ? "the last visit failed"
                            : failures() + " failed visits in a row");
        }
        return backoffState != null && backoffState.rest == Rest.RATE_LIMITED
                ? Optional.of("it responded with 429 or 503")
                : blockReason();
    }

    /** Returns whether a block has ended by now; true once for each block. */
    boolean hasBlockEnded(long now) {
        if (backoffState == null
                || turn.blockEndLogged
                || backoffState.restUntil > now
                || blockReason().isEmpty()) {
            return false;
        }
        turn.blockEndLogged = true;
        return true;
    }

    /** Assumes that the host works again and treats it as if it had just responded. */
    void resetFailures() {
        recordResponse(backoffState != null && backoffState.rest == Rest.CIRCUIT_BREAKER);
    }

    private void recordResponse(boolean restIsOver) {
        if (backoffState != null) {
            backoffState.recordResponse(restIsOver);
            clearBackoffIfOver();
        }
    }

    /** Extends a delay that was running at {@code since}. */
    void shiftDelay(long since, long later) {
        if (lastEnded > 0 && Math.max(lastEnded + delay(), backoffUntil()) > since) {
            lastEnded += later;
        }
    }

    /** Moves every stored time by the same amount, so the order of turns does not change. */
    void setClockBack(long by) {
        lastEnded = lastEnded == 0 ? 0 : lastEnded - by;
        turn.setClockBack(by);
        if (rateLimitProbe != null) {
            rateLimitProbe.setClockBack(by);
        }
        if (backoffState != null && backoffState.restUntil != 0) {
            backoffState.restUntil -= by;
        }
        for (var queue = firstQueue; queue != null; queue = queue.sibling) {
            queue.setClockBack(by);
        }
    }

    FrontierEvent.HostState toState() {
        var of = backoffState == null ? new HostBackoff() : backoffState;
        return new FrontierEvent.HostState(
                name,
                lastEnded,
                of.rest,
                of.restUntil,
                of.failures,
                of.probes,
                of.crawlDelay,
                pages,
                smoothedResponseTime,
                rateLimitProbe == null ? List.of() : rateLimitProbe.toNumbers());
    }

    void restore(FrontierEvent.HostState event) {
        lastEnded = event.lastEnded();
        pages = event.pages();
        smoothedResponseTime = event.smoothedResponseTime();
        rateLimitProbe =
                event.rateLimitProbe().isEmpty()
                        ? null
                        : new RateLimitProbe(event.rateLimitProbe());
        var of = backoffState();
        of.rest = event.rest();
        of.restUntil = event.restUntil();
        of.failures = event.failures();
        of.probes = event.probes();
        of.crawlDelay = event.crawlDelay();
        clearBackoffIfOver();
    }
}
