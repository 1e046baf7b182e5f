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
import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.NextWork;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.parse.ParsePool;
import dev.orbweaver.internal.parse.Parser;
import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.internal.scope.Scope;
import dev.orbweaver.internal.sink.PreparedCapture;
import dev.orbweaver.internal.sink.Sink;
import dev.orbweaver.internal.traps.TrapBalances;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.ResponseHead;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
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
    private final Sink sink;
    private final InstantSource clock;
    private final CrawlListener listener;
    private final LoopPolicy loopPolicy;
    private final VisitContext visitContext;
    private final PageParser pageParser;
    private final DeferredLinkReader deferredLinkReader;
    private final Committer committer;
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

    /** A robots.txt is read whatever it says it is, and no further than its rules are. */
    private static final Fetcher.HeadFilter ROBOTS_JUDGE =
            new Fetcher.HeadFilter() {
                @Override
                public Optional<String> refusalReason(ResponseHead head) {
                    return Optional.empty();
                }

                @Override
                public long bodyBytesMax() {
                    return RobotsRules.BYTES_MAX;
                }
            };

    /** A lease that is being worked on. */
    private static final class ActiveVisit {
        private final Lease lease;

        /** Since when it has been waiting for an answer. */
        private volatile Optional<Instant> waitingSince = Optional.empty();

        private @Nullable Thread fetchThread;
        private boolean aborted;

        /** What is reserved for its links until it is committed. */
        private int reservedLinks;

        private boolean finished;

        private ActiveVisit(Lease lease) {
            this.lease = lease;
        }

        private synchronized void holdReservation(LinkBudget budget, int reserved) {
            if (finished) {
                budget.release(reserved);
            } else {
                reservedLinks = reserved;
            }
        }

        /** Nothing of it is waited for any more. */
        private synchronized void finish(LinkBudget budget) {
            finished = true;
            budget.release(reservedLinks);
            reservedLinks = 0;
        }

        /** Ends the request that is in flight, and lets no other begin. */
        private synchronized void abort() {
            aborted = true;
            if (fetchThread != null) {
                fetchThread.interrupt();
            }
        }

        private synchronized void beginFetch() throws AbortedException {
            requireNotAborted();
            fetchThread = Thread.currentThread();
        }

        private synchronized void endFetch() {
            fetchThread = null;
            if (aborted) {
                var _ = Thread.interrupted(); // Only the request was to be interrupted.
            }
        }

        private synchronized void requireNotAborted() throws AbortedException {
            if (aborted) {
                throw new AbortedException();
            }
        }
    }

    /** A request was aborted, as its gate may be another worker's; the URL is fetched later. */
    private static final class AbortedException extends IOException {
        private static final long serialVersionUID = 1;
    }

    /** Puts the parts together; nothing is fetched before {@link #run}. */
    public Crawl(
            CrawlSettings settings,
            CrawlUrls urls,
            Scope scope,
            CrawlFrontier frontier,
            Fetcher fetcher,
            List<Parser> parsers,
            Sink sink,
            InstantSource clock,
            CrawlListener listener) {
        this(
                settings,
                urls,
                scope,
                frontier,
                fetcher,
                parsers,
                sink,
                SpaceLimits.UNLIMITED,
                RobotsStore.NO_STORE,
                ParsePool.shared(),
                clock,
                listener);
    }

    /**
     * The same with limited room for URLs that wait, a place to keep what robots.txt files say, and
     * the threads that documents are parsed on.
     */
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
        this.sink = sink;
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
        this.committer =
                new Committer(
                        frontier,
                        sink,
                        clock,
                        settings.diskRetryTimeout(),
                        deferredLinkReader,
                        visitContext,
                        new CommitListener());
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
        return failure.map(Crawl::failureEnd).orElse(end);
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
        } catch (Throwable e) { // Out of memory too: whatever it is, the crawl ends with a reason.
            LOG.error("the crawl cannot go on", e);
            fail(e);
            return failureEnd(e);
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

    /** Ends the crawl because of an error; the first one is the one that is told. */
    private synchronized void fail(Throwable error) {
        failure = failure.or(() -> Optional.of(error));
        LockSupport.unpark(loopThread);
    }

    private void startVisit(Lease lease) {
        loopPolicy.onLeased();
        var activeVisit = new ActiveVisit(lease);
        inFlight.put(lease.token(), activeVisit);
        var _ = Thread.startVirtualThread(new Worker(activeVisit));
    }

    private void submit(Committer.FinishedVisit finishedVisit) {
        if (abandoned || !committer.submit(finishedVisit)) {
            finishedVisit
                    .preparedCapture()
                    .ifPresent(preparedCapture -> Committer.deleteFile(preparedCapture.records()));
        }
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
                        .filter(
                                each ->
                                        each.waitingSince
                                                .filter(at -> at.isBefore(since))
                                                .isPresent())
                        .count();
    }

    private Optional<CrawlEnd> endReached() {
        if (failure.isPresent()) {
            return Optional.of(failureEnd(failure.get()));
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
            inFlight.values().forEach(activeVisit -> release(activeVisit.lease, now));
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

    private static CrawlEnd failureEnd(Throwable error) {
        var message = error.getMessage();
        var ofTheDisk =
                error instanceof IOException
                        || error instanceof UncheckedIOException
                        || (error instanceof FrontierFailedException failed
                                && failed.isStorageFailure());
        return new CrawlEnd(
                ofTheDisk ? Reason.BROKEN : Reason.INTERNAL,
                message == null ? error.toString() : message);
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

    /** What was learned of places that go on for ever, as text. */
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

    /** Carries one visit out. */
    private final class Worker implements Runnable {

        private final ActiveVisit activeVisit;
        private final Lease lease;
        private final Visit visit;
        private Body received = Body.EMPTY;
        private Optional<PreparedCapture> preparedCapture = Optional.empty();
        private int reserved;

        Worker(ActiveVisit activeVisit) {
            this.activeVisit = activeVisit;
            this.lease = activeVisit.lease;
            this.visit = new Visit(lease, visitContext);
        }

        @Override
        public void run() {
            try {
                Step step = visit.begin(clock.instant());
                while (!(step instanceof Step.End)) {
                    step = execute(step);
                }
                finish((Step.End) step);
            } catch (AbortedException e) {
                Committer.deleteFile(received);
                requeue();
            } catch (IOException e) {
                Committer.deleteFile(received);
                storageFailed(e);
            } catch (FrontierUnavailableException e) {
                LOG.warn("{} is fetched again: {}", lease.url(), e.getMessage());
                Committer.deleteFile(received);
                requeueOrFail(new IOException(e.getMessage(), e));
            } catch (FrontierFailedException e) {
                Committer.deleteFile(received);
                fail(e);
            } catch (Throwable e) {
                // Whatever it is, it belongs to this URL and must not cost another.
                LOG.error("while visiting {}", lease.url(), e);
                finishFailed(e);
            }
        }

        private Step execute(Step step) throws IOException {
            return switch (step) {
                case Step.Resolve(var url) -> visit.resolved(resolve(url), clock.instant());
                case Step.PassGates passGates -> visit.passed(passGates, pass(passGates));
                case Step.Fetch(var url, var address) ->
                        visit.fetched(fetch(url, address), clock.instant());
                case Step.ReadRobots(var exchange) ->
                        pageParser.runWithBody(exchange, () -> readRobots(exchange));
                case Step.Parse(var exchange) -> parse(exchange);
                case Step.End end -> end;
            };
        }

        /** A name server that does not answer stalls a visit as a host does. */
        private Fetcher.Resolution resolve(CrawlUrl url) {
            activeVisit.waitingSince = Optional.of(clock.instant());
            try {
                return fetcher.resolve(url);
            } finally {
                activeVisit.waitingSince = Optional.empty();
            }
        }

        private Step readRobots(Exchange exchange) throws IOException {
            var content = pageParser.readRobots(exchange);
            return prepare(visit.robotsRead(exchange, content));
        }

        private Step parse(Exchange exchange) throws IOException {
            var begun = System.nanoTime();
            var linkBytes = 0L;
            try {
                var step =
                        pageParser.parse(
                                exchange,
                                lease.hop(),
                                () -> reserved = reserveLinks(exchange),
                                page -> prepare(visit.parsed(exchange, page)));
                linkBytes = linkBytes(step);
                return step;
            } finally {
                activeVisit.holdReservation(linkBudget, linkBudget.shrinkTo(reserved, linkBytes));
                timeProfile.addNanos(Phase.PARSE, System.nanoTime() - begun);
            }
        }

        private int reserveLinks(Exchange exchange) throws AbortedException {
            var most = pageParser.linkCharsMax(exchange, lease.hop());
            var units = linkBudget.tryReserve(most);
            while (units < 0) {
                if (abandoned) {
                    throw new AbortedException();
                }
                units = linkBudget.tryReserve(most);
            }
            return units;
        }

        /** Those that are followed and those that are not: the capture holds both until then. */
        private static long linkBytes(Step step) {
            var bytes = 0L;
            if (step instanceof Step.End end && end.capture().isPresent()) {
                for (var link : end.capture().get().page().links()) {
                    bytes += link.url().text().length() + LinkBudget.LINK_BYTES;
                }
            }
            return bytes;
        }

        /** Prepares the capture of a visit that is over, so that the committer only appends. */
        private Step prepare(Step step) throws IOException {
            if (step instanceof Step.End end && end.capture().isPresent() && !abandoned) {
                preparedCapture = Optional.of(sink.prepare(end.capture().get()));
            }
            return step;
        }

        private Optional<Instant> pass(Step.PassGates passGates) {
            return frontier.passGates(lease, passGates.url(), passGates.address(), clock.instant());
        }

        private FetchResult fetch(CrawlUrl url, InetAddress address) throws IOException {
            var begun = System.nanoTime();
            activeVisit.waitingSince = Optional.of(clock.instant());
            activeVisit.beginFetch();
            FetchResult result;
            try {
                result =
                        fetcher.fetch(
                                url,
                                address,
                                () -> frontier.sent(lease, clock.instant()),
                                headFilter(url));
            } finally {
                activeVisit.waitingSince = Optional.empty();
                activeVisit.endFetch();
            }
            var answer = result;
            received = result.optionalExchange().map(Exchange::body).orElse(Body.EMPTY);
            activeVisit.requireNotAborted();
            result.optionalExchange()
                    .ifPresentOrElse(
                            exchange ->
                                    timeProfile.addResponse(
                                            exchange.timings(), visit.isRobotsRequest()),
                            () ->
                                    timeProfile.addNanos(
                                            failedPhase(answer), System.nanoTime() - begun));
            if (result instanceof FetchResult.NoResponse(_, var ended, var problem)) {
                problem.ifPresent(text -> sockets.onFailure(new IOException(text), ended));
            } else {
                sockets.onSuccess();
            }
            if (result instanceof FetchResult.Failed(_, var cause, var detail, _)
                    && cause == FailureCause.INTERNAL) {
                throw new IOException(detail); // Not the host's doing, so not the URL's fate.
            }
            return result;
        }

        private static Phase failedPhase(FetchResult result) {
            return result instanceof FetchResult.Failed(_, var cause, _, _)
                            && cause == FailureCause.CONNECT
                    ? Phase.CONNECT
                    : Phase.SERVER;
        }

        private Fetcher.HeadFilter headFilter(CrawlUrl url) {
            return visit.isRobotsRequest() || !url.equals(lease.url())
                    ? ROBOTS_JUDGE
                    : head -> visitContext.refusal(head, lease.hop());
        }

        private void finish(Step.End end) throws IOException {
            var exchange = end.capture().flatMap(Capture::exchange);
            if (preparedCapture.isEmpty()) {
                var _ =
                        exchange.isPresent()
                                ? pageParser.runWithBody(exchange.get(), () -> prepare(end))
                                : prepare(end);
            }
            var inFiles =
                    preparedCapture.filter(it -> it.records() instanceof Body.InFile).isPresent();
            if (received instanceof Body.InFile || inFiles) {
                storage.onSuccess();
            }
            Committer.deleteFile(received); // From here on the records hold the body.
            submit(new Committer.FinishedVisit(end, preparedCapture));
        }

        /**
         * What was fetched could not be kept. That is not the URL's doing, but it has cost a
         * request: so the try counts, and the next one is made after a delay, if local storage
         * works again by then.
         */
        private void storageFailed(IOException error) {
            LOG.warn("{} was fetched in vain: {}", lease.url(), String.valueOf(error.getMessage()));
            var now = clock.instant();
            storage.onFailure(error, now);
            received = Body.EMPTY;
            try {
                finish(visit.storageFailed(error, now));
            } catch (IOException worse) {
                fail(worse);
            }
        }

        /** Not the URL's doing: it comes again, unless nobody is to wait for the disk. */
        private void requeueOrFail(IOException error) {
            if (settings.diskRetryTimeout().isZero()) {
                fail(error);
                return;
            }
            requeue();
        }

        private void requeue() {
            visitContext.robots().releaseClaim(lease.url());
            submit(
                    new Committer.FinishedVisit(
                            new Step.Release(
                                    lease,
                                    new ReleaseReason.Stopping(clock.instant()),
                                    Optional.empty(),
                                    List.of(),
                                    Optional.empty()),
                            Optional.empty()));
        }

        private void finishFailed(Throwable error) {
            try {
                preparedCapture.ifPresent(
                        it -> Committer.deleteFile(it.records())); // What broke is no page.
                preparedCapture = Optional.empty();
                finish(visit.internalError(error, clock.instant()));
            } catch (Throwable worse) {
                fail(worse);
            }
        }
    }

    private final class CommitListener implements Committer.Listener {

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
