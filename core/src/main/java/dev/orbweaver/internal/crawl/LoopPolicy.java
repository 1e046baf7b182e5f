package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.NextWork;
import dev.orbweaver.internal.frontier.StorageProblem;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.CrawlEnd.Reason;
import dev.orbweaver.model.Ledger;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides how many leases the loop takes, how long it waits and when the crawl ends. Like {@link
 * Visit} it has no thread or clock, so the loop and the simulation share it.
 */
final class LoopPolicy {

    /** A request without a response for this long counts as stalled. */
    static final Duration STALLED_AFTER = Duration.ofSeconds(2);

    /** Stalled requests, per allowed request, that do not count against the concurrency. */
    static final int STALLED_PER_WORKER = 4;

    private static final Duration IDLE_WAIT_MAX = Duration.ofMillis(200);

    private final CrawlSettings settings;
    private volatile CrawlSettings.Limits limits;
    private volatile int concurrency;
    private Optional<Instant> restingSince = Optional.empty();
    private Optional<Instant> blockedSince = Optional.empty();

    LoopPolicy(CrawlSettings settings) {
        this.settings = settings;
        this.limits = settings.limits();
        this.concurrency = settings.concurrency();
    }

    /** Replaces the limits while the crawl runs. */
    void setLimits(CrawlSettings.Limits changed, int concurrencyMax) {
        limits = changed;
        concurrency = Math.min(concurrencyMax, settings.concurrency());
    }

    /**
     * Returns how many more leases may be taken. A crawl limited to ten more pages never has more
     * than ten requests in flight. A stalled request costs only a socket, so a limited number of
     * them does not count: hosts that respond need not wait for those that do not.
     *
     * @param stalled how many requests have been in flight for longer than {@link #STALLED_AFTER}
     * @param allowed how many requests the governor allows
     */
    int availableLeases(Ledger ledger, int inFlight, int stalled, int allowed) {
        // Pages that are visited again do not count while they are queued, twice if queued twice.
        var wanted = Math.max(0, limits.pages() - Math.max(0, ledger.pages()) - inFlight);
        var limit = Math.min(concurrency, allowed);
        var uncounted = Math.min(stalled, (long) STALLED_PER_WORKER * limit);
        var moving = Math.max(0, inFlight - uncounted);
        return (int) Math.min(wanted, Math.max(0, limit - moving));
    }

    /** Resets the timeouts for waiting, because a lease was taken. */
    void onLeased() {
        restingSince = Optional.empty();
        blockedSince = Optional.empty();
    }

    /**
     * Returns the end of the crawl if the frontier has been unable to write to disk for too long.
     * While visits are in flight, the committer applies the timeout instead.
     */
    Optional<CrawlEnd> endIfBlocked(StorageProblem problem, int inFlight, Instant now) {
        if (problem.unreachable()) {
            blockedSince = Optional.empty();
            return Optional.empty();
        }
        var since = blockedSince.orElse(now);
        blockedSince = Optional.of(since);
        var retrying = Duration.between(since, now).compareTo(settings.diskRetryTimeout()) < 0;
        return retrying || inFlight > 0
                ? Optional.empty()
                : Optional.of(new CrawlEnd(Reason.BROKEN, problem.toString()));
    }

    /** Returns the end of the crawl if one of its limits is reached. */
    Optional<CrawlEnd> limitReached(Ledger ledger, Duration elapsed) {
        if (ledger.pages() >= limits.pages()) {
            return Optional.of(new CrawlEnd(Reason.MAX_PAGES, limits.pages() + " pages"));
        }
        if (ledger.bytes() >= limits.bytes()) {
            return Optional.of(new CrawlEnd(Reason.MAX_BYTES, limits.bytes() + " bytes"));
        }
        if (elapsed.compareTo(limits.time()) >= 0) {
            return Optional.of(new CrawlEnd(Reason.MAX_TIME, limits.time().toSeconds() + " s"));
        }
        return Optional.empty();
    }

    /**
     * Returns the end of the crawl if nothing is left that is worth waiting for. Called when
     * nothing was leased.
     */
    Optional<CrawlEnd> endIfExhausted(NextWork nextWork, int inFlight, Instant now) {
        blockedSince = Optional.empty();
        if (nextWork.isExhausted() && inFlight == 0) {
            return Optional.of(new CrawlEnd(Reason.COMPLETE, ""));
        }
        var onlyResting =
                nextWork.known() && !nextWork.ready() && inFlight == 0 && nextWork.delayed() == 0;
        if (!onlyResting) {
            restingSince = Optional.empty();
            return Optional.empty();
        }
        var since = restingSince.orElse(now);
        restingSince = Optional.of(since);
        return nextWork.nextDue()
                .filter(due -> Duration.between(since, due).compareTo(settings.idleWaitMax()) > 0)
                .map(
                        due ->
                                new CrawlEnd(
                                        Reason.WAITING,
                                        nextWork.restingHost()
                                                + " is in backoff until "
                                                + due
                                                + reasonSuffix(nextWork)));
    }

    private static String reasonSuffix(NextWork nextWork) {
        return nextWork.restReason().isEmpty() ? "" : ": " + nextWork.restReason();
    }

    /** Returns how long to wait before the next poll, unless the loop is woken earlier. */
    Duration idleWait(NextWork nextWork, Instant now) {
        var due = nextWork.nextDue().map(at -> Duration.between(now, at)).orElse(IDLE_WAIT_MAX);
        var wait = due.isNegative() || due.compareTo(IDLE_WAIT_MAX) > 0 ? IDLE_WAIT_MAX : due;
        return wait.isZero() ? Duration.ofNanos(1) : wait;
    }
}
