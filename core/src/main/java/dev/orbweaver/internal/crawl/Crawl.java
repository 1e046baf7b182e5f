package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.crawl.TimeProfile.Phase;
import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.CrawlHooks;
import dev.orbweaver.internal.frontier.FrontierFailedException;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.NextWork;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.parse.ParsePool;
import dev.orbweaver.internal.sink.PreparedCapture;
import dev.orbweaver.internal.sink.Sink;
import dev.orbweaver.internal.traps.TrapBalances;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.CrawlEnd.Reason;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.spi.Fetcher;
import dev.orbweaver.spi.PageHandlerException;
import dev.orbweaver.spi.Parser;
import dev.orbweaver.spi.Scope;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Runs a crawl: leases due URLs and starts a virtual thread for each. The thread executes what its
 * {@link Visit} decides, and the {@link Committer} commits the result. At most as many leases are
 * held as there are workers.
 */
public final class Crawl {

    private static final Logger LOG = LoggerFactory.getLogger(Crawl.class);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

    private final CrawlSettings settings;
    private final CrawlFrontier frontier;
    private final Fetcher fetcher;
    private final InstantSource clock;
    private final CrawlListener listener;

    /** What page handlers have still to process, when that is too much. */
    private final Supplier<Optional<String>> handlerBacklog;

    private final LoopPolicy loopPolicy;
    private final VisitContext visitContext;
    private final PageParser pageParser;
    private final DeferredLinkReader deferredLinkReader;
    private final Committer committer;
    private final Worker.Resources resources;
    private final StorageMonitor storage;

    /** Pauses leasing while requests fail because no socket is available. */
    private final StorageMonitor sockets;

    private final Governor governor;
    private final TimeProfile timeProfile = new TimeProfile();
    private final HeapGauge heap = new HeapGauge();
    private final SpaceLimits spaceLimits;
    private volatile Instant started;
    private final Map<Long, ActiveVisit> inFlight = new ConcurrentHashMap<>();
    private final LinkBudget linkBudget = LinkBudget.shared();
    private int stalledRequests;

    /** Whether seed lists have lines that were not offered yet. */
    private BooleanSupplier moreSeeds = () -> false;

    private volatile Consumer<CrawlUrl> linkCounter = _ -> {};
    private volatile Consumer<CaptureRef> abandonedVisits = _ -> {};

    private volatile Optional<Throwable> failure = Optional.empty();

    /** The latest frontier statistics, reported after the frontier has failed. */
    private volatile FrontierStats lastStats;

    private volatile Optional<Duration> stopGrace = Optional.empty();
    private volatile boolean paused;
    private boolean active = true;
    private volatile boolean abandoned;
    private volatile Thread loopThread = Thread.currentThread();

    /** Wires the components; nothing is fetched before {@link #run}. */
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
            CrawlListener listener,
            PageExtractor extractor,
            Supplier<Optional<String>> handlerBacklog) {
        this.handlerBacklog = handlerBacklog;
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
                        new RatedAdmission(
                                visitContext.trapDetector(),
                                settings.priorities(),
                                url -> linkCounter.accept(url),
                                last -> abandonedVisits.accept(last)),
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
                        pool,
                        extractor);
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
                        this::hasFreeSlots,
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
     * Crawls until an end condition is met and returns it. Interrupting the thread stops the crawl
     * immediately and cleanly.
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
        return failure.map(Crawl::endOfFailure).orElse(end);
    }

    private static CrawlEnd endOfFailure(Throwable error) {
        var message = error.getMessage() == null ? error.toString() : error.getMessage();
        return new CrawlEnd(endReason(error), message);
    }

    private static Reason endReason(Throwable error) {
        return switch (error) {
            case PageHandlerException _ -> Reason.HANDLER_FAILED;
            case IOException _, UncheckedIOException _ -> Reason.BROKEN;
            case FrontierFailedException failed when failed.isStorageFailure() -> Reason.BROKEN;
            default -> Reason.INTERNAL;
        };
    }

    private CrawlEnd leaseUntilEnd() {
        try {
            var end = endReached();
            while (end.isEmpty()) {
                sampleLoad();
                updateActivity();
                if (storage.isUsable(clock.instant()) && sockets.isUsable(clock.instant())) {
                    var leases = frontier.lease(availableLeases(), clock.instant());
                    leases.forEach(this::startVisit);
                    end = leases.isEmpty() ? awaitWork().or(this::endReached) : endReached();
                } else {
                    end = awaitStorage();
                }
            }
            return end.get();
        } catch (Throwable e) { // Out of memory too: any error ends the crawl with a reason.
            LOG.error("the crawl loop failed", e);
            fail(e);
            return endOfFailure(e);
        }
    }

    /**
     * Waits for local storage to recover. Nothing is leased meanwhile, because it could not be
     * stored.
     */
    private Optional<CrawlEnd> awaitStorage() {
        var now = clock.instant();
        storage.timedOut(now).or(() -> sockets.timedOut(now)).ifPresent(this::fail);
        // Leases nothing, but releases the leases that wait for this crawl.
        var _ = frontier.lease(0, now);
        LockSupport.parkNanos(this, POLL_INTERVAL.toNanos());
        return endReached();
    }

    /** Ends the crawl because of an error; the first one is reported. */
    public synchronized void fail(Throwable error) {
        failure = failure.or(() -> Optional.of(error));
        LockSupport.unpark(loopThread);
    }

    private void startVisit(Lease lease) {
        loopPolicy.onLeased();
        var activeVisit = new ActiveVisit(lease);
        inFlight.put(lease.token(), activeVisit);
        var _ = Thread.startVirtualThread(new Worker(activeVisit, resources));
    }

    /** Returns whether results may wait a little before they are stored. */
    private boolean hasFreeSlots() {
        return !paused && stopGrace.isEmpty() && inFlight.size() * 2 < settings.concurrency();
    }

    private int availableLeases() {
        if (paused || handlerBacklog.get().isPresent()) {
            return 0;
        }
        return loopPolicy.availableLeases(
                frontier.ledger(), inFlight.size(), stalledRequests, governor.allowed());
    }

    /**
     * Tells the frontier when a paused crawl has no more requests in flight, and when it continues:
     * in between it has no effect on other jobs.
     */
    private void updateActivity() {
        var isActive = !paused || !inFlight.isEmpty();
        if (isActive != active) {
            active = isActive;
            frontier.setActive(isActive);
        }
    }

    /** Samples what the crawl waits for and updates the governor. */
    private void sampleLoad() {
        var now = clock.instant();
        if (timeProfile.isDue(now)) {
            lastStats = frontier.stats();
            if (paused) {
                timeProfile.skip(now);
            } else {
                timeProfile.sampleHosts(lastStats.hosts(), now);
            }
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
                LOG.info("reducing concurrency: {}", after.reason().orElse(""));
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
            return Optional.of(endOfFailure(failure.get()));
        }
        if (stopGrace.isPresent() || Thread.currentThread().isInterrupted()) {
            return Optional.of(new CrawlEnd(Reason.STOPPED, ""));
        }
        return loopPolicy.limitReached(frontier.ledger(), elapsed());
    }

    /**
     * Handles a loop pass without leases: returns the end of the crawl, or waits for more work.
     * Only here is the frontier queried for its next work.
     */
    private Optional<CrawlEnd> awaitWork() {
        var now = clock.instant();
        if (frontier.flush() instanceof CommitStatus.Pending(var problem)) {
            LockSupport.parkNanos(this, POLL_INTERVAL.toNanos());
            return loopPolicy.endIfBlocked(problem, inFlight.size(), now);
        }
        // Before nextWork, so that it includes the links that are offered here, and the last seeds.
        var reading = deferredLinkReader.readMore();
        var seedsPending = moreSeeds.getAsBoolean();
        var nextWork = frontier.nextWork(now);
        var end = loopPolicy.endIfExhausted(nextWork, inFlight.size(), now);
        if (end.isEmpty() || reading || seedsPending) {
            LockSupport.parkNanos(this, loopPolicy.idleWait(nextWork, now).toNanos());
            return Optional.empty();
        }
        return end;
    }

    /**
     * Waits for visits in flight, at most for the grace period, which a second stop may shorten.
     * The leases of the others are released.
     */
    private void drain(Duration grace) throws InterruptedException {
        var drainStart = clock.instant();
        while (!inFlight.isEmpty()
                && failure.isEmpty()
                && clock.instant().isBefore(drainStart.plus(shorter(grace, stopGrace)))) {
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
            LOG.error("could not release leases; they are requeued when the crawl is resumed", e);
            fail(e);
        }
    }

    private void release(Lease lease, Instant now) {
        if (frontier.release(lease, new ReleaseReason.Stopping(now), now)
                instanceof CommitStatus.Pending(var problem)) {
            LOG.warn("released the lease of {} in memory only: {}", lease.url(), problem);
        }
    }

    private static Duration shorter(Duration grace, Optional<Duration> requested) {
        return requested.filter(other -> other.compareTo(grace) < 0).orElse(grace);
    }

    /**
     * Requests the end of the crawl: visits in flight may finish within the grace period. A second
     * call can only shorten it.
     */
    public void stop(Duration grace) {
        stopGrace = Optional.of(stopGrace.filter(g -> g.compareTo(grace) < 0).orElse(grace));
        LockSupport.unpark(loopThread);
    }

    /** Counts the time of the run from an earlier start. Called before {@link #run}. */
    public void countTimeFrom(Instant start) {
        started = start;
    }

    /** Replaces the limits; the concurrency can be lowered only. */
    public void setLimits(CrawlSettings.Limits limits, int concurrency) {
        loopPolicy.setLimits(limits, concurrency);
        LockSupport.unpark(loopThread);
    }

    /** Leases no further URLs until {@link #resume}; visits in flight finish. */
    public void pause() {
        paused = true;
    }

    /** Continues after {@link #pause}. */
    public void resume() {
        paused = false;
        LockSupport.unpark(loopThread);
    }

    /** Returns a URL that this run gave up as part of a trap; empty if there is none. */
    public Optional<String> trapExample() {
        return visitContext.trapDetector().exampleUrl();
    }

    /** Returns the state of the trap detector as text. */
    public String trapState() {
        return visitContext.trapDetector().serialize();
    }

    /** Restores saved trap detector state; called before {@link #run}. */
    public void restoreTrapState(String state) {
        visitContext.trapDetector().restore(state);
    }

    /** Shares trap balances with other workers on the same job; called before {@link #run}. */
    public void shareTrapBalances(TrapBalances accounts) {
        visitContext.trapDetector().share(accounts);
    }

    /**
     * Passes the target of every link of a first visit that is not refused, and every new URL;
     * called before {@link #run}.
     */
    public void countLinks(Consumer<CrawlUrl> counter) {
        linkCounter = counter;
    }

    /**
     * Passes the last capture of each known URL whose next visit has ended because its host was
     * given up; called before {@link #run}.
     */
    public void onAbandonedVisit(Consumer<CaptureRef> action) {
        abandonedVisits = action;
    }

    /** Extends the scope by a seed. */
    public void addSeed(CrawlUrl seed) {
        visitContext.addSeed(seed);
    }

    /** Waits for seeds before it ends; called before {@link #run}. */
    public void awaitSeeds(BooleanSupplier pending) {
        moreSeeds = pending;
    }

    /** Returns whether the queue may grow. */
    public boolean hasRoom() {
        return !paused && deferredLinkReader.hasRoom();
    }

    /** Returns the current status; once the frontier has failed, with the last known figures. */
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
                committer.problem().or(storage::problem).or(sockets::problem).or(handlerBacklog),
                governor.state(),
                timeProfile.breakdown());
    }

    private Duration elapsed() {
        return Duration.between(started, clock.instant());
    }

    /** Passes finished visits to the committer and removes committed ones from those in flight. */
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
