package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.crawl.CrawlEnd.Reason;
import dev.orbweaver.internal.frontier.Ledger;
import dev.orbweaver.internal.frontier.NextWork;
import dev.orbweaver.internal.frontier.StorageProblem;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides how many leases the loop takes, how long it waits and when the crawl ends. Like {@link
 * Visit} it has no thread or clock, so the loop and the simulation both use it.
 */
final class LoopPolicy {

    /** A request without a response for this long counts as stalled. */
    static final Duration STALLED_AFTER = Duration.ofSeconds(2);

    /** Stalled requests, per allowed request, that do not count against the concurrency. */
    static final int STALLED_PER_WORKER = 4;

    private static final Duration IDLE_WAIT_MAX = Duration.ofMillis(200);

    private final CrawlSettings settings;
    private Optional<Instant> restingSince = Optional.empty();
    private Optional<Instant> blockedSince = Optional.empty();

    LoopPolicy(CrawlSettings settings) {
        this.settings = settings;
    }

    /**
     * How many more leases may be taken: a crawl that wants ten more pages never has more than ten
     * under way. A stalled request costs a socket and nothing else, so a limited number of them
     * does not count: hosts that respond need not wait for those that do not.
     *
     * @param stalled how many have been under way for longer than {@link #STALLED_AFTER}
     * @param allowed how many the governor allows
     */
    int availableLeases(Ledger ledger, int inFlight, int stalled, int allowed) {
        var wanted = Math.max(0, settings.limits().pages() - ledger.pages() - inFlight);
        var most = Math.min(settings.concurrency(), allowed);
        var uncounted = Math.min(stalled, (long) STALLED_PER_WORKER * most);
        var moving = Math.max(0, inFlight - uncounted);
        return (int) Math.min(wanted, Math.max(0, most - moving));
    }

    /** A lease was taken, so the timeouts for waiting start again. */
    void onLeased() {
        restingSince = Optional.empty();
        blockedSince = Optional.empty();
    }

    /**
     * There is nothing to lease because the disk does not take what the frontier has to write.
     * While anything is under way, it is for the committer to lose patience.
     */
    Optional<CrawlEnd> endIfBlocked(StorageProblem problem, int inFlight, Instant now) {
        if (problem.unreachable()) {
            blockedSince = Optional.empty();
            return Optional.empty();
        }
        var since = blockedSince.orElse(now);
        blockedSince = Optional.of(since);
        var patient = Duration.between(since, now).compareTo(settings.diskRetryTimeout()) < 0;
        return patient || inFlight > 0
                ? Optional.empty()
                : Optional.of(new CrawlEnd(Reason.BROKEN, problem.toString()));
    }

    /** Whether the crawl has as much as it was to have. */
    Optional<CrawlEnd> limitReached(Ledger ledger, Duration elapsed) {
        var limits = settings.limits();
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

    /** There was nothing to lease: whether anything is left that is worth waiting for. */
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
                                                + " rests until "
                                                + due
                                                + reasonSuffix(nextWork)));
    }

    private static String reasonSuffix(NextWork nextWork) {
        return nextWork.restReason().isEmpty() ? "" : ": " + nextWork.restReason();
    }

    /** How long to wait before asking again, unless something happens. */
    Duration idleWait(NextWork nextWork, Instant now) {
        var due = nextWork.nextDue().map(at -> Duration.between(now, at)).orElse(IDLE_WAIT_MAX);
        var nap = due.isNegative() || due.compareTo(IDLE_WAIT_MAX) > 0 ? IDLE_WAIT_MAX : due;
        return nap.isZero() ? Duration.ofNanos(1) : nap;
    }
}
