package dev.orbweaver.crawl;

import dev.orbweaver.crawl.CrawlEnd.Reason;
import dev.orbweaver.crawl.Waiting.Phase;
import dev.orbweaver.fetch.ContentReader;
import dev.orbweaver.fetch.Fetcher;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.FrontierBlockedException;
import dev.orbweaver.frontier.FrontierFailedException;
import dev.orbweaver.frontier.FrontierStats;
import dev.orbweaver.frontier.Lease;
import dev.orbweaver.frontier.Outlook;
import dev.orbweaver.frontier.Pause;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.parse.ParsePool;
import dev.orbweaver.parse.Parser;
import dev.orbweaver.robots.RobotsRules;
import dev.orbweaver.scope.Scope;
import dev.orbweaver.sink.Prepared;
import dev.orbweaver.sink.Sink;
import dev.orbweaver.url.CrawlUrls;

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
    private static final Duration FINISH_NAP = Duration.ofMillis(20);

    private final CrawlSettings settings;
    private final Frontier frontier;
    private final Fetcher fetcher;
    private final Sink sink;
    private final InstantSource clock;
    private final CrawlListener listener;
    private final Course course;
    private final Etiquette etiquette;
    private final Reader reader;
    private final DeferredReading deferred;
    private final Committer committer;
    private final StorageMonitor storage;

    /** Requests that could not begin for want of a socket. */
    private final StorageMonitor sockets;

    private final Governor governor;
    private final Waiting waiting = new Waiting();
    private final HeapGauge heap = new HeapGauge();
    private final Room room;
    private final Instant started;
    private final Map<Long, Flight> inFlight = new ConcurrentHashMap<>();
    private final LinkBudget links = LinkBudget.shared();
    private int stalled;
    private volatile Optional<Throwable> failure = Optional.empty();

    /** What the frontier last said of itself, for the time when it says nothing any more. */
    private volatile FrontierStats lastStats;

    private volatile Optional<Duration> stopGrace = Optional.empty();
    private volatile boolean paused;
    private volatile boolean abandoned;
    private volatile Thread loop = Thread.currentThread();

    /** A robots.txt is read whatever it says it is, and no further than its rules are. */
    private static final Fetcher.HeadJudge ROBOTS_JUDGE =
            new Fetcher.HeadJudge() {
                @Override
                public Optional<String> objection(ResponseHead head) {
                    return Optional.empty();
                }

                @Override
                public long bodyBytesMax() {
                    return RobotsRules.BYTES_MAX;
                }
            };

    /** A lease that is being worked on. */
    private static final class Flight {
        private final Lease lease;

        /** Since when it has been waiting for an answer. */
        private volatile Optional<Instant> asked = Optional.empty();

        private @Nullable Thread fetching;
        private boolean aborted;

        /** What is reserved for its links until it is committed. */
        private int links;

        private boolean over;

        private Flight(Lease lease) {
            this.lease = lease;
        }

        private synchronized void keeps(LinkBudget budget, int reserved) {
            if (over) {
                budget.release(reserved);
            } else {
                links = reserved;
            }
        }

        /** Nothing of it is waited for any more. */
        private synchronized void isOver(LinkBudget budget) {
            over = true;
            budget.release(links);
            links = 0;
        }

        /** Ends the request that is in flight, and lets no other begin. */
        private synchronized void abort() {
            aborted = true;
            if (fetching != null) {
                fetching.interrupt();
            }
        }

        private synchronized void fetches() throws AbortedException {
            requireNotAborted();
            fetching = Thread.currentThread();
        }

        private synchronized void fetched() {
            fetching = null;
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
            Frontier frontier,
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
                Room.ENDLESS,
                RobotsStore.NOTHING,
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
            Frontier frontier,
            Fetcher fetcher,
            List<Parser> parsers,
            Sink sink,
            Room room,
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
        this.course = new Course(settings);
        this.etiquette = new Etiquette(settings, urls, scope, robots);
        frontier.show(JobId.ONLY, etiquette.novelty());
        frontier.whenRevoked(
                JobId.ONLY,
                lease -> Optional.ofNullable(inFlight.get(lease.token())).ifPresent(Flight::abort));
        frontier.limitPages(JobId.ONLY, settings.limits().pages());
        this.reader =
                new Reader(
                        parsers,
                        urls,
                        new ContentReader.Limits(
                                settings.contentBytesMax(), settings.contentRatioMax()),
                        settings.productToken(),
                        pool);
        this.room = room;
        this.governor = new Governor(settings.workers(), room.freeBytesMin());
        this.deferred =
                new DeferredReading(room, frontier, reader, etiquette, clock, this::breakOff);
        this.storage = new StorageMonitor(settings.diskPatience(), room.storage());
        this.sockets = new StorageMonitor(settings.diskPatience(), LocalStorage.NONE);
        this.committer =
                new Committer(
                        frontier,
                        sink,
                        clock,
                        settings.diskPatience(),
                        deferred,
                        etiquette,
                        new Commits());
    }

    /**
     * Crawls until the end, and says what end it was. Interrupting the thread stops the crawl at
     * once, in good order.
     */
    public CrawlEnd run() throws InterruptedException {
        loop = Thread.currentThread();
        committer.start();
        var end = leaseUntilTheEnd();
        var interrupted = Thread.interrupted();
        letFinish(interrupted ? Duration.ZERO : stopGrace.orElse(settings.grace()));
        if (interrupted) {
            throw new InterruptedException("the crawl was interrupted; it can be resumed");
        }
        return failure.map(Crawl::broken).orElse(end);
    }

    private CrawlEnd leaseUntilTheEnd() {
        try {
            var end = ending();
            while (end.isEmpty()) {
                watch();
                if (storage.usable(clock.instant()) && sockets.usable(clock.instant())) {
                    var leases = frontier.lease(paused ? 0 : room(), clock.instant());
                    leases.forEach(this::begin);
                    end = leases.isEmpty() ? nothingLeft().or(this::ending) : ending();
                } else {
                    end = awaitStorage();
                }
            }
            return end.get();
        } catch (Throwable e) { // Out of memory too: whatever it is, the crawl ends with a reason.
            LOG.error("the crawl cannot go on", e);
            breakOff(e);
            return broken(e);
        }
    }

    /** Nothing is leased while local storage fails: what is fetched could not be kept. */
    private Optional<CrawlEnd> awaitStorage() {
        var now = clock.instant();
        storage.exhausted(now).or(() -> sockets.exhausted(now)).ifPresent(this::breakOff);
        var _ =
                frontier.lease(
                        0, now); // Takes none, and gives those back that wait for this crawl.
        LockSupport.parkNanos(this, FINISH_NAP.toNanos());
        return ending();
    }

    /** Ends the crawl because of an error; the first one is the one that is told. */
    private synchronized void breakOff(Throwable error) {
        failure = failure.or(() -> Optional.of(error));
        LockSupport.unpark(loop);
    }

    private void begin(Lease lease) {
        course.leased();
        var flight = new Flight(lease);
        inFlight.put(lease.token(), flight);
        var _ = Thread.startVirtualThread(new Worker(flight));
    }

    private void hand(Committer.Ended ended) {
        if (abandoned || !committer.put(ended)) {
            ended.prepared().ifPresent(prepared -> Committer.delete(prepared.records()));
        }
    }

    private int room() {
        return course.room(frontier.ledger(), inFlight.size(), stalled, governor.allowed());
    }

    /** Takes note of what the crawl waits for, and lets the governor see how it is doing. */
    private void watch() {
        var now = clock.instant();
        if (waiting.due(now)) {
            lastStats = frontier.stats();
            waiting.hosts(lastStats.hosts(), now);
            stalled = stalled(now.minus(Course.STALLED_AFTER));
        }
        if (governor.due(now)) {
            var before = governor.state();
            var backlog = (double) (reader.waiting() + committer.waiting()) / settings.workers();
            governor.look(
                    new Governor.Signs(
                            committer.takes(), backlog, heap.full(), room.freeBytes().getAsLong()),
                    now);
            var after = governor.state();
            if (after.narrowed() > before.narrowed()) {
                LOG.info("fewer requests at once: {}", after.why().orElse(""));
            }
        }
    }

    private int stalled(Instant since) {
        return (int)
                inFlight.values().stream()
                        .filter(each -> each.asked.filter(at -> at.isBefore(since)).isPresent())
                        .count();
    }

    private Optional<CrawlEnd> ending() {
        if (failure.isPresent()) {
            return Optional.of(broken(failure.get()));
        }
        if (stopGrace.isPresent() || Thread.currentThread().isInterrupted()) {
            return Optional.of(new CrawlEnd(Reason.STOPPED, ""));
        }
        return course.limitReached(frontier.ledger(), elapsed());
    }

    /**
     * There was nothing to lease: either that is the end, or what is awaited is waited for. Only
     * here is the frontier asked for its outlook.
     */
    private Optional<CrawlEnd> nothingLeft() {
        var now = clock.instant();
        if (!frontier.recover()) {
            LockSupport.parkNanos(this, FINISH_NAP.toNanos());
            return frontier.isAway() ? Optional.empty() : course.blocked(inFlight.size(), now);
        }
        var takingUp = deferred.takesUpMore(); // First: what it takes up is then in the outlook.
        var outlook = frontier.outlook(now);
        var end = course.nothingLeft(outlook, inFlight.size(), now);
        if (end.isEmpty() || takingUp) {
            LockSupport.parkNanos(this, course.nap(outlook, now).toNanos());
            return Optional.empty();
        }
        return end;
    }

    /**
     * Waits for what is under way, at most for the grace period, which a second stop may shorten;
     * the rest goes back to the frontier.
     */
    private void letFinish(Duration grace) throws InterruptedException {
        var begun = clock.instant();
        while (!inFlight.isEmpty()
                && failure.isEmpty()
                && clock.instant().isBefore(begun.plus(shorter(grace, stopGrace)))) {
            LockSupport.parkNanos(this, FINISH_NAP.toNanos());
        }
        abandoned = true;
        deferred.close();
        committer.close();
        inFlight.values().forEach(flight -> flight.isOver(links));
        if (failure.isEmpty()) {
            giveBackTheRest();
        }
    }

    private void giveBackTheRest() {
        var now = clock.instant();
        try {
            inFlight.values().forEach(flight -> giveBack(flight.lease, now));
        } catch (FrontierFailedException e) {
            LOG.error("the leases that are out come back when the crawl is resumed", e);
            breakOff(e);
        }
    }

    private void giveBack(Lease lease, Instant now) {
        try {
            var _ = frontier.release(lease, new Pause.Stopping(now), now);
        } catch (FrontierBlockedException e) {
            LOG.warn("a lease is given back in memory only: {}", e.getMessage());
        }
    }

    private static Duration shorter(Duration grace, Optional<Duration> asked) {
        return asked.filter(other -> other.compareTo(grace) < 0).orElse(grace);
    }

    private static CrawlEnd broken(Throwable error) {
        var message = error.getMessage();
        var ofTheDisk =
                error instanceof IOException
                        || error instanceof UncheckedIOException
                        || (error instanceof FrontierFailedException failed
                                && failed.isOfTheDisk());
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
        LockSupport.unpark(loop);
    }

    /** Takes no new URLs until {@link #resume}; what is under way finishes. */
    public void pause() {
        paused = true;
    }

    /** Goes on after {@link #pause}. */
    public void resume() {
        paused = false;
        LockSupport.unpark(loop);
    }

    /** Leaves these hosts alone from now on, and takes up again what was left alone before. */
    public void exclude(HostSet hosts) {
        frontier.exclude(JobId.ONLY, hosts, clock.instant());
        LockSupport.unpark(loop);
    }

    /** What was learned of places that go on for ever, as text. */
    public String learned() {
        return etiquette.novelty().learned();
    }

    /** Goes on with what was learned before; called before {@link #run}. */
    public void recall(String learned) {
        etiquette.novelty().recall(learned);
    }

    /** Shares trap balances with other workers on the same job; called before {@link #run}. */
    public void share(TrapAccounts accounts) {
        etiquette.novelty().share(accounts);
    }

    /** How it stands; once the frontier has failed, with the last figures it gave. */
    public CrawlStatus status() {
        try {
            lastStats = frontier.stats();
            return status(frontier.outlook(clock.instant()));
        } catch (FrontierFailedException e) {
            return status(new Outlook(false, inFlight.size(), 0, Optional.empty(), ""));
        }
    }

    private CrawlStatus status(Outlook outlook) {
        return new CrawlStatus(
                lastStats,
                outlook,
                elapsed(),
                inFlight.size(),
                fetcher.stats().openConnections(),
                paused,
                stopGrace.isPresent(),
                committer.trouble().or(storage::trouble).or(sockets::trouble),
                governor.state(),
                waiting.account());
    }

    private Duration elapsed() {
        return Duration.between(started, clock.instant());
    }

    /** Carries one visit out. */
    private final class Worker implements Runnable {

        private final Flight flight;
        private final Lease lease;
        private final Visit visit;
        private Body received = Body.EMPTY;
        private Optional<Prepared> prepared = Optional.empty();
        private int reserved;

        Worker(Flight flight) {
            this.flight = flight;
            this.lease = flight.lease;
            this.visit = new Visit(lease, etiquette);
        }

        @Override
        public void run() {
            try {
                Step step = visit.begin(clock.instant());
                while (!(step instanceof Step.End)) {
                    step = carryOut(step);
                }
                finish((Step.End) step);
            } catch (AbortedException e) {
                Committer.delete(received);
                comesAgain();
            } catch (IOException e) {
                Committer.delete(received);
                failedLocally(e);
            } catch (FrontierBlockedException e) {
                LOG.warn("{} comes again: {}", lease.url(), e.getMessage());
                Committer.delete(received);
                giveUpFor(new IOException(e.getMessage(), e));
            } catch (FrontierFailedException e) {
                Committer.delete(received);
                breakOff(e);
            } catch (Throwable e) {
                // Whatever it is, it belongs to this URL and must not cost another.
                LOG.error("while visiting {}", lease.url(), e);
                finishBroken(e);
            }
        }

        private Step carryOut(Step step) throws IOException {
            return switch (step) {
                case Step.Resolve(var url) -> visit.resolved(resolve(url), clock.instant());
                case Step.Pass pass -> visit.passed(pass, pass(pass));
                case Step.Fetch(var url, var address) ->
                        visit.fetched(fetch(url, address), clock.instant());
                case Step.ReadRobots(var exchange) ->
                        reader.work(exchange, () -> readRobots(exchange));
                case Step.Parse(var exchange) -> parse(exchange);
                case Step.End end -> end;
            };
        }

        /** A name server that does not answer stalls a visit as a host does. */
        private Fetcher.Resolution resolve(CrawlUrl url) {
            flight.asked = Optional.of(clock.instant());
            try {
                return fetcher.resolve(url);
            } finally {
                flight.asked = Optional.empty();
            }
        }

        private Step readRobots(Exchange exchange) throws IOException {
            var content = reader.robots(exchange);
            return prepare(visit.robotsRead(exchange, content));
        }

        private Step parse(Exchange exchange) throws IOException {
            var begun = System.nanoTime();
            var linkBytes = 0L;
            try {
                var step =
                        reader.read(
                                exchange,
                                lease.hop(),
                                () -> reserved = reserveLinks(exchange),
                                page -> prepare(visit.parsed(exchange, page)));
                linkBytes = linkBytes(step);
                return step;
            } finally {
                flight.keeps(links, links.keep(reserved, linkBytes));
                waiting.did(Phase.PARSE, System.nanoTime() - begun);
            }
        }

        private int reserveLinks(Exchange exchange) throws AbortedException {
            var most = reader.linkCharsMax(exchange, lease.hop());
            var units = links.tryReserve(most);
            while (units < 0) {
                if (abandoned) {
                    throw new AbortedException();
                }
                units = links.tryReserve(most);
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
                prepared = Optional.of(sink.prepare(end.capture().get()));
            }
            return step;
        }

        private Optional<Instant> pass(Step.Pass pass) {
            return frontier.pass(lease, pass.url(), pass.address(), clock.instant());
        }

        private FetchResult fetch(CrawlUrl url, InetAddress address) throws IOException {
            var begun = System.nanoTime();
            flight.asked = Optional.of(clock.instant());
            flight.fetches();
            FetchResult result;
            try {
                result =
                        fetcher.fetch(
                                url,
                                address,
                                () -> frontier.sent(lease, clock.instant()),
                                judge(url));
            } finally {
                flight.asked = Optional.empty();
                flight.fetched();
            }
            var answer = result;
            received = result.exchanged().map(Exchange::body).orElse(Body.EMPTY);
            flight.requireNotAborted();
            result.exchanged()
                    .ifPresentOrElse(
                            exchange -> waiting.answered(exchange.timings(), visit.asksForRobots()),
                            () -> waiting.did(failedIn(answer), System.nanoTime() - begun));
            if (result instanceof FetchResult.Unanswered(_, var ended, var problem)) {
                problem.ifPresent(text -> sockets.failed(new IOException(text), ended));
            } else {
                sockets.worked();
            }
            if (result instanceof FetchResult.Failed(_, var cause, var detail, _)
                    && cause == FailureCause.INTERNAL) {
                throw new IOException(detail); // Not the host's doing, so not the URL's fate.
            }
            return result;
        }

        private static Phase failedIn(FetchResult result) {
            return result instanceof FetchResult.Failed(_, var cause, _, _)
                            && cause == FailureCause.CONNECT
                    ? Phase.CONNECT
                    : Phase.SERVER;
        }

        private Fetcher.HeadJudge judge(CrawlUrl url) {
            return visit.asksForRobots() || !url.equals(lease.url())
                    ? ROBOTS_JUDGE
                    : head -> etiquette.objection(head, lease.hop());
        }

        private void finish(Step.End end) throws IOException {
            var exchange = end.capture().flatMap(Capture::exchange);
            if (prepared.isEmpty()) {
                var _ =
                        exchange.isPresent()
                                ? reader.work(exchange.get(), () -> prepare(end))
                                : prepare(end);
            }
            var inFiles = prepared.filter(it -> it.records() instanceof Body.InFile).isPresent();
            if (received instanceof Body.InFile || inFiles) {
                storage.worked();
            }
            Committer.delete(received); // From here on the records hold the body.
            hand(new Committer.Ended(end, prepared));
        }

        /**
         * What was fetched could not be kept. That is not the URL's doing, but it has cost a
         * request: so the try counts, and the next one is made after a delay, if local storage
         * works again by then.
         */
        private void failedLocally(IOException error) {
            LOG.warn("{} was fetched in vain: {}", lease.url(), String.valueOf(error.getMessage()));
            var now = clock.instant();
            storage.failed(error, now);
            received = Body.EMPTY;
            try {
                finish(visit.failedLocally(error, now));
            } catch (IOException worse) {
                breakOff(worse);
            }
        }

        /** Not the URL's doing: it comes again, unless nobody is to wait for the disk. */
        private void giveUpFor(IOException error) {
            if (settings.diskPatience().isZero()) {
                breakOff(error);
                return;
            }
            comesAgain();
        }

        private void comesAgain() {
            etiquette.robots().abandon(lease.url());
            hand(
                    new Committer.Ended(
                            new Step.GiveBack(
                                    lease,
                                    new Pause.Stopping(clock.instant()),
                                    Optional.empty(),
                                    List.of(),
                                    Optional.empty()),
                            Optional.empty()));
        }

        private void finishBroken(Throwable error) {
            try {
                prepared.ifPresent(it -> Committer.delete(it.records())); // What broke is no page.
                prepared = Optional.empty();
                finish(visit.broke(error, clock.instant()));
            } catch (Throwable worse) {
                breakOff(worse);
            }
        }
    }

    private final class Commits implements Committer.Listener {

        @Override
        public void committed(List<Committer.Ended> ends) {
            for (var ended : ends) {
                ended.prepared().map(Prepared::capture).ifPresent(listener::captured);
                etiquette.committed(ended.end());
                var flight = inFlight.remove(ended.end().lease().token());
                if (flight != null) {
                    flight.isOver(links);
                }
            }
            waiting.did(Phase.WRITE, committer.takes().toNanos() * ends.size());
            listener.committed();
            deferred.look();
            LockSupport.unpark(loop);
        }

        @Override
        public void broken(Throwable error) {
            breakOff(error);
        }
    }
}
