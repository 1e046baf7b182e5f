package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.crawl.CrawlEnd.Reason;
import dev.orbweaver.internal.crawl.TimeProfile.Phase;
import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.fetch.Fetcher;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.CrawlHooks;
import dev.orbweaver.internal.frontier.FrontierFailedException;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.NextWork;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.parse.ParsePool;
import dev.orbweaver.internal.parse.Parser;
import dev.orbweaver.internal.scope.Scope;
import dev.orbweaver.internal.sink.PreparedCapture;
import dev.orbweaver.internal.sink.Sink;
import dev.orbweaver.internal.traps.TrapBalances;
import dev.orbweaver.internal.url.CrawlUrls;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * The one loop. It leases URLs whose turn has come and gives each a virtual thread that carries out
 * what its {@link Visit} decides; the {@link Committer} makes the results facts. As many leases are
 * out as there are workers, at most.
 */
public final class Crawl {

    private static final Logger LOG = LoggerFactory.getLogger(Crawl.class);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

    private final CrawlSettings settings;
    private final CrawlFrontier frontier;
    private final Fetcher fetcher;
    private final InstantSource clock;
    private final CrawlListener listener;
    private final LoopPolicy loopPolicy;
    private final VisitContext visitContext;
    private final PageParser pageParser;
    private final DeferredLinkReader deferredLinkReader;
    private final Committer committer;
    private final Worker.Resources resources;
    private final StorageMonitor storage;

    /** Requests that could not begin for want of a socket. */
    private final StorageMonitor sockets;

    private final Governor governor;
    private final TimeProfile timeProfile = new TimeProfile();
    private final HeapGauge heap = new HeapGauge();
    private final SpaceLimits spaceLimits;
    private final Instant started;
    private final Map<Long, ActiveVisit> inFlight = new ConcurrentHashMap<>();
    private final LinkBudget linkBudget = LinkBudget.shared();
    private int stalledRequests;
    private volatile Optional<Throwable> failure = Optional.empty();

    /** What the frontier last said of itself, for the time when it says nothing any more. */
    private volatile FrontierStats lastStats;

    private volatile Optional<Duration> stopGrace = Optional.empty();
    private volatile boolean paused;
    private volatile boolean abandoned;
    private volatile Thread loopThread = Thread.currentThread();

    /** Puts the parts together; nothing is fetched before {@link #run}. */
    public Crawl(
            CrawlSettings settings,
            CrawlUrls urls,
            Scope scope,
            CrawlFrontier frontier,
            Fetcher fetcher,
            List<Parser> parsers,
            Sink sink,
            SpaceLimits spaceLimits,
            RobotsStore robots,
            ParsePool pool,
            InstantSource clock,
            CrawlListener listener) {
        this.settings = settings;
        this.frontier = frontier;
        this.fetcher = fetcher;
        this.clock = clock;
        this.listener = listener;
        this.started = clock.instant();
        this.lastStats = frontier.stats();
        this.loopPolicy = new LoopPolicy(settings);
        this.visitContext = new VisitContext(settings, urls, scope, robots);
        frontier.attach(
                new CrawlHooks(
                        visitContext.trapDetector(),
                        lease ->
                                Optional.ofNullable(inFlight.get(lease.token()))
                                        .ifPresent(ActiveVisit::abort),
                        settings.limits().pages()));
        this.pageParser =
                new PageParser(
                        parsers,
                        urls,
                        new ContentReader.Limits(
                                settings.parseBytesMax(), settings.decompressionRatioMax()),
                        settings.productToken(),
                        pool);
        this.spaceLimits = spaceLimits;
        this.governor = new Governor(settings.concurrency(), spaceLimits.freeBytesMin());
        this.deferredLinkReader =
                new DeferredLinkReader(
                        spaceLimits, frontier, pageParser, visitContext, clock, this::fail);
        this.storage = new StorageMonitor(settings.diskRetryTimeout(), spaceLimits.storage());
        this.sockets = new StorageMonitor(settings.diskRetryTimeout(), LocalStorage.NONE);
        var visitListener = new VisitListener();
        this.committer =
                new Committer(
                        frontier,
                        sink,
                        clock,
                        settings.diskRetryTimeout(),
                        deferredLinkReader,
                        visitContext,
                        visitListener);
        this.resources =
                new Worker.Resources(
                        frontier,
                        fetcher,
                        sink,
                        clock,
                        visitContext,
                        pageParser,
                        linkBudget,
                        timeProfile,
                        storage,
                        sockets,
                        !settings.diskRetryTimeout().isZero(),
                        visitListener);
    }

    /**
     * Crawls until the end, and says what end it was. Interrupting the thread stops the crawl at
     * once, in good order.
     */
    public CrawlEnd run() throws InterruptedException {
        loopThread = Thread.currentThread();
        committer.start();
        var end = leaseUntilEnd();
        var interrupted = Thread.interrupted();
        drain(interrupted ? Duration.ZERO : stopGrace.orElse(settings.stopGrace()));
        if (interrupted) {
            throw new InterruptedException("the crawl was interrupted; it can be resumed");
        }
        return failure.map(CrawlEnd::ofFailure).orElse(end);
    }

    private CrawlEnd leaseUntilEnd() {
        try {
            var end = endReached();
            while (end.isEmpty()) {
                sampleLoad();
                if (storage.isUsable(clock.instant()) && sockets.isUsable(clock.instant())) {
                    var leases = frontier.lease(paused ? 0 : availableLeases(), clock.instant());
                    leases.forEach(this::startVisit);
                    end = leases.isEmpty() ? awaitWork().or(this::endReached) : endReached();
                } else {
                    end = awaitStorage();
                }
            }
            return end.get();
        } catch (Throwable e) { // Out of memory too: any error ends the crawl with a reason.
            LOG.error("the crawl cannot go on", e);
            fail(e);
            return CrawlEnd.ofFailure(e);
        }
    }

    /** Nothing is leased while local storage fails: what is fetched could not be kept. */
    private Optional<CrawlEnd> awaitStorage() {
        var now = clock.instant();
        storage.timedOut(now).or(() -> sockets.timedOut(now)).ifPresent(this::fail);
        var _ =
                frontier.lease(
                        0, now); // Takes none, and gives those back that wait for this crawl.
        LockSupport.parkNanos(this, POLL_INTERVAL.toNanos());
        return endReached();
    }

    /** Ends the crawl because of an error; the first one is reported. */
    private synchronized void fail(Throwable error) {
        failure = failure.or(() -> Optional.of(error));
        LockSupport.unpark(loopThread);
    }

    private void startVisit(Lease lease) {
        loopPolicy.onLeased();
        var activeVisit = new ActiveVisit(lease);
        inFlight.put(lease.token(), activeVisit);
        var _ = Thread.startVirtualThread(new Worker(activeVisit, resources));
    }

    private int availableLeases() {
        return loopPolicy.availableLeases(
                frontier.ledger(), inFlight.size(), stalledRequests, governor.allowed());
    }

    /** Takes note of what the crawl waits for, and lets the governor see how it is doing. */
    private void sampleLoad() {
        var now = clock.instant();
        if (timeProfile.isDue(now)) {
            lastStats = frontier.stats();
            timeProfile.sampleHosts(lastStats.hosts(), now);
            stalledRequests = countStalled(now.minus(LoopPolicy.STALLED_AFTER));
        }
        if (governor.isDue(now)) {
            var before = governor.state();
            var backlog =
                    (double) (pageParser.queuedTasks() + committer.queueSize())
                            / settings.concurrency();
            governor.update(
                    new Governor.LoadSample(
                            committer.lastCommitDuration(),
                            backlog,
                            heap.usedFraction(),
                            spaceLimits.freeBytes().getAsLong()),
                    now);
            var after = governor.state();
            if (after.reductions() > before.reductions()) {
                LOG.info("fewer requests at once: {}", after.reason().orElse(""));
            }
        }
    }

    private int countStalled(Instant since) {
        return (int)
                inFlight.values().stream()
                        .filter(activeVisit -> activeVisit.isWaitingSinceBefore(since))
                        .count();
    }

    private Optional<CrawlEnd> endReached() {
        if (failure.isPresent()) {
            return Optional.of(CrawlEnd.ofFailure(failure.get()));
        }
        if (stopGrace.isPresent() || Thread.currentThread().isInterrupted()) {
            return Optional.of(new CrawlEnd(Reason.STOPPED, ""));
        }
        return loopPolicy.limitReached(frontier.ledger(), elapsed());
    }

    /**
     * There was nothing to lease: either that is the end, or what is awaited is waited for. Only
     * here is the frontier asked for its outlook.
     */
    private Optional<CrawlEnd> awaitWork() {
        var now = clock.instant();
        if (frontier.flush() instanceof CommitStatus.Pending(var problem)) {
            LockSupport.parkNanos(this, POLL_INTERVAL.toNanos());
            return loopPolicy.endIfBlocked(problem, inFlight.size(), now);
        }
        var takingUp =
                deferredLinkReader.readMore(); // First: what it takes up is then in the outlook.
        var nextWork = frontier.nextWork(now);
        var end = loopPolicy.endIfExhausted(nextWork, inFlight.size(), now);
        if (end.isEmpty() || takingUp) {
            LockSupport.parkNanos(this, loopPolicy.idleWait(nextWork, now).toNanos());
            return Optional.empty();
        }
        return end;
    }

    /**
     * Waits for what is under way, at most for the grace period, which a second stop may shorten;
     * the rest goes back to the frontier.
     */
    private void drain(Duration grace) throws InterruptedException {
        var begun = clock.instant();
        while (!inFlight.isEmpty()
                && failure.isEmpty()
                && clock.instant().isBefore(begun.plus(shorter(grace, stopGrace)))) {
            LockSupport.parkNanos(this, POLL_INTERVAL.toNanos());
        }
        abandoned = true;
        deferredLinkReader.close();
        committer.close();
        inFlight.values().forEach(activeVisit -> activeVisit.finish(linkBudget));
        if (failure.isEmpty()) {
            releaseRemaining();
        }
    }

    private void releaseRemaining() {
        var now = clock.instant();
        try {
            inFlight.values().forEach(activeVisit -> release(activeVisit.lease(), now));
        } catch (FrontierFailedException e) {
            LOG.error("the leases that are out come back when the crawl is resumed", e);
            fail(e);
        }
    }

    private void release(Lease lease, Instant now) {
        if (frontier.release(lease, new ReleaseReason.Stopping(now), now)
                instanceof CommitStatus.Pending(var problem)) {
            LOG.warn("released the lease of {} in memory only: {}", lease.url(), problem);
        }
    }

    private static Duration shorter(Duration grace, Optional<Duration> asked) {
        return asked.filter(other -> other.compareTo(grace) < 0).orElse(grace);
    }

    /**
     * Asks the crawl to end: pages under way may finish within the grace period. A second call can
     * only shorten it.
     */
    public void stop(Duration grace) {
        stopGrace = Optional.of(stopGrace.filter(g -> g.compareTo(grace) < 0).orElse(grace));
        LockSupport.unpark(loopThread);
    }

    /** Takes no new URLs until {@link #resume}; what is under way finishes. */
    public void pause() {
        paused = true;
    }

    /** Goes on after {@link #pause}. */
    public void resume() {
        paused = false;
        LockSupport.unpark(loopThread);
    }

    /** The state of the trap detector, as text. */
    public String trapState() {
        return visitContext.trapDetector().serialize();
    }

    /** Goes on with what was learned before; called before {@link #run}. */
    public void restoreTrapState(String learned) {
        visitContext.trapDetector().restore(learned);
    }

    /** Shares trap balances with other workers on the same job; called before {@link #run}. */
    public void shareTrapBalances(TrapBalances accounts) {
        visitContext.trapDetector().share(accounts);
    }

    /** How it stands; once the frontier has failed, with the last figures it gave. */
    public CrawlStatus status() {
        try {
            lastStats = frontier.stats();
            return status(frontier.nextWork(clock.instant()));
        } catch (FrontierFailedException e) {
            return status(NextWork.unknown(inFlight.size()));
        }
    }

    private CrawlStatus status(NextWork nextWork) {
        return new CrawlStatus(
                lastStats,
                nextWork,
                elapsed(),
                inFlight.size(),
                fetcher.stats().openConnections(),
                paused,
                stopGrace.isPresent(),
                committer.problem().or(storage::problem).or(sockets::problem),
                governor.state(),
                timeProfile.breakdown());
    }

    private Duration elapsed() {
        return Duration.between(started, clock.instant());
    }

    /** Takes visits from the workers to the committer, and out of those in flight. */
    private final class VisitListener implements Worker.Listener, Committer.Listener {

        @Override
        public boolean isAbandoned() {
            return abandoned;
        }

        @Override
        public void finished(Committer.FinishedVisit finishedVisit) {
            if (abandoned || !committer.submit(finishedVisit)) {
                finishedVisit
                        .preparedCapture()
                        .ifPresent(prepared -> Committer.deleteFile(prepared.records()));
            }
        }

        @Override
        public void committed(List<Committer.FinishedVisit> ends) {
            for (var finishedVisit : ends) {
                finishedVisit
                        .preparedCapture()
                        .map(PreparedCapture::capture)
                        .ifPresent(listener::captured);
                visitContext.onCommitted(finishedVisit.end());
                var activeVisit = inFlight.remove(finishedVisit.end().lease().token());
                if (activeVisit != null) {
                    activeVisit.finish(linkBudget);
                }
            }
            timeProfile.addNanos(
                    Phase.WRITE, committer.lastCommitDuration().toNanos() * ends.size());
            listener.committed();
            deferredLinkReader.poll();
            LockSupport.unpark(loopThread);
        }

        @Override
        public void failed(Throwable error) {
            fail(error);
        }
    }
}
