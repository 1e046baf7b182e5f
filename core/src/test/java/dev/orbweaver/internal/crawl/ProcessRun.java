package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.CrawlHooks;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.parse.HtmlParser;
import dev.orbweaver.internal.scope.RuleScope;
import dev.orbweaver.internal.scope.ScopeSettings;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FileExtensions;
import dev.orbweaver.model.ScopeType;
import dev.orbweaver.spi.Fetcher.Resolution;
import dev.orbweaver.testkit.SimulatedResponse;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * One process in virtual time, on one thread. All decisions are the real ones: {@link LoopPolicy}
 * decides how much to lease and when to end, {@link Visit} what to do with a lease, {@link
 * Committer} commits. A queue of events replaces threads and sockets.
 */
final class ProcessRun {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);
    private static final int RESOLVE_MILLIS = 20;
    private static final int CONNECT_MILLIS = 150;
    private static final int SLOW_CONNECT_MILLIS = 3_000;
    private static final int RESPONSE_MILLIS = 40;
    private static final int COMMIT_MILLIS = 4;
    private static final long NOTHING_DUE = Long.MAX_VALUE;

    /** An event at a time; of two at the same time the one planned first comes first. */
    private record Event(long at, long order, Work work) {}

    private interface Work {
        void run() throws IOException;
    }

    private final SimulatedEnvironment simulatedEnvironment;
    private final SimulationSettings settings;
    private final CrawlFrontier frontier;
    private final SimulatedSink store;
    private final LoopPolicy loopPolicy;
    private final VisitContext visitContext;
    private final Committer committer;
    private final PageParser pageParser =
            new PageParser(
                    List.of(new HtmlParser(URLS, true)),
                    URLS,
                    new ContentReader.Limits(1 << 20, 200));
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(
                    Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
    private final Instant startedAt;
    private long order;
    private int inFlight;
    private boolean frontierChanged = true;
    private long due = NOTHING_DUE;

    ProcessRun(
            SimulatedEnvironment simulatedEnvironment,
            SimulationSettings simulationSettings,
            CrawlFrontier frontier,
            SimulatedSink store,
            RobotsStore robots) {
        this.simulatedEnvironment = simulatedEnvironment;
        this.settings = simulationSettings;
        this.frontier = frontier;
        this.store = store;
        this.startedAt = simulatedEnvironment.wall();
        var settings = simulationSettings.settings();
        this.loopPolicy = new LoopPolicy(settings);
        var scope =
                new ScopeSettings(
                        ScopeType.ANY,
                        List.of(),
                        List.of(),
                        Integer.MAX_VALUE,
                        FileExtensions.SKIPPED_BY_DEFAULT,
                        false,
                        Set.of(),
                        Long.MAX_VALUE);
        this.visitContext =
                new VisitContext(
                        settings, URLS, new RuleScope(scope, Set.copyOf(frontier.seeds())), robots);
        frontier.attach(new CrawlHooks(visitContext.trapDetector(), _ -> {}, Long.MAX_VALUE));
        this.committer =
                new Committer(
                        frontier,
                        store,
                        simulatedEnvironment::wall,
                        Duration.ZERO,
                        Committer.LinkBackpressure.UNLIMITED,
                        visitContext,
                        () -> false,
                        new NoOpListener());
    }

    /** Offers the seed, which a resumed crawl already knows. */
    void seed() throws IOException {
        var hub = URLS.parse(simulatedEnvironment.hub()).orElseThrow();
        var status =
                frontier.offer(List.of(Candidate.seed(hub, false)), simulatedEnvironment.wall());
        status.requireStored();
    }

    /**
     * Executes one step. Like the loop, it polls the frontier when something was committed or
     * becomes due, and not in between.
     */
    Optional<CrawlEnd> step() throws IOException {
        if (frontierChanged) {
            return leaseOrWait();
        }
        if (!events.isEmpty() && events.element().at() <= due) {
            var event = events.remove();
            simulatedEnvironment.advanceTo(event.at());
            event.work().run();
        } else {
            simulatedEnvironment.advanceTo(due);
            frontierChanged = true;
        }
        return Optional.empty();
    }

    private Optional<CrawlEnd> leaseOrWait() {
        var ledger = frontier.ledger();
        var lost = settings.crashes(); // Workers that stall too long lose their leases.
        if (!ledger.balances() || (ledger.leased() != inFlight && !lost)) {
            throw new AssertionError(ledger + " with " + inFlight + " in flight");
        }
        var wall = simulatedEnvironment.wall();
        var over = loopPolicy.limitReached(ledger, Duration.between(startedAt, wall));
        if (over.isPresent()) {
            return over;
        }
        var room = loopPolicy.availableLeases(ledger, inFlight, 0, Integer.MAX_VALUE);
        var leases = frontier.lease(room, wall);
        leases.forEach(this::begin);
        if (!leases.isEmpty() && leases.size() == room) {
            frontierChanged = false; // All workers are busy.
            due = NOTHING_DUE;
            return Optional.empty();
        }
        frontierChanged = false;
        if (frontier.flush() instanceof CommitStatus.Pending(var problem)) {
            due = NOTHING_DUE;
            return loopPolicy.endIfBlocked(problem, inFlight, wall);
        }
        var nextWork = frontier.nextWork(wall);
        due = nextWork.nextDue().map(simulatedEnvironment::trueTime).orElse(NOTHING_DUE);
        return loopPolicy.endIfExhausted(nextWork, inFlight, wall);
    }

    private void begin(Lease lease) {
        loopPolicy.onLeased();
        inFlight++;
        var visit = new Visit(lease, visitContext);
        execute(visit.begin(simulatedEnvironment.wall()), visit, lease);
    }

    /** Executes immediate steps and schedules the others. */
    private void execute(Step first, Visit visit, Lease lease) {
        switch (first) {
            case Step.Resolve(var url) ->
                    schedule(
                            RESOLVE_MILLIS,
                            () -> onResolved(simulatedEnvironment.resolve(url), visit, lease));
            case Step.PassGates passGates ->
                    execute(
                            visit.passed(
                                    passGates,
                                    frontier.passGates(
                                            lease,
                                            passGates.url(),
                                            passGates.address(),
                                            simulatedEnvironment.wall())),
                            visit,
                            lease);
            case Step.Fetch(var url, var address) ->
                    schedule(connectMillis(), () -> onConnected(visit, lease, url, address));
            case Step.ReadRobots(var exchange) ->
                    schedule(
                            0,
                            () -> {
                                var content = pageParser.readRobots(exchange);
                                execute(visit.robotsRead(exchange, content), visit, lease);
                            });
            case Step.Parse(var exchange) ->
                    schedule(
                            0,
                            () ->
                                    execute(
                                            visit.parsed(
                                                    exchange,
                                                    pageParser.parsePage(exchange, lease.hop())),
                                            visit,
                                            lease));
            case Step.End end -> schedule(commitMillis(), () -> commit(end));
        }
    }

    private void schedule(int millisMax, Work work) {
        var at =
                simulatedEnvironment.now()
                        + (millisMax == 0 ? 0 : simulatedEnvironment.random.nextInt(millisMax + 1));
        events.add(new Event(at, order++, work));
    }

    /** Occasionally a connection takes longer than any gate's delay. */
    private int connectMillis() {
        return simulatedEnvironment.random.nextInt(20) == 0 ? SLOW_CONNECT_MILLIS : CONNECT_MILLIS;
    }

    /** Occasionally a worker stalls until its lease has expired. */
    private int commitMillis() {
        return settings.crashes() && simulatedEnvironment.random.nextInt(400) == 0
                ? 2 * (int) settings.politeness().leaseTime().toMillis()
                : COMMIT_MILLIS;
    }

    private void onResolved(Resolution resolution, Visit visit, Lease lease) {
        execute(visit.resolved(resolution, simulatedEnvironment.wall()), visit, lease);
    }

    /** Sends the request on an open connection; the response follows after the host's latency. */
    private void onConnected(Visit visit, Lease lease, CrawlUrl url, InetAddress address) {
        var simulatedResponse = simulatedEnvironment.reply(url);
        if (simulatedResponse.isEmpty()) {
            var failed = simulatedEnvironment.failed(url, FailureCause.CONNECT);
            execute(visit.fetched(failed, simulatedEnvironment.wall()), visit, lease);
            return;
        }
        var sent = simulatedEnvironment.now();
        frontier.sent(lease, simulatedEnvironment.wall());
        simulatedEnvironment.requestCounter.count(url, sent);
        if (simulatedEnvironment.rules.isHost(url.host())) {
            var host = simulatedEnvironment.rules.host(url.host());
            simulatedEnvironment.politenessChecker.onRequest(
                    host, url.pathAndQuery(), address.hashCode(), sent);
        }
        var latency =
                1
                        + simulatedResponse.get().latencyMillis()
                        + simulatedEnvironment.random.nextInt(RESPONSE_MILLIS);
        events.add(
                new Event(
                        sent + latency,
                        order++,
                        () ->
                                onResponse(
                                        visit,
                                        lease,
                                        url,
                                        address,
                                        simulatedResponse.get(),
                                        sent)));
    }

    private void onResponse(
            Visit visit,
            Lease lease,
            CrawlUrl url,
            InetAddress address,
            SimulatedResponse simulatedResponse,
            long sent) {
        if (simulatedEnvironment.rules.isHost(url.host())) {
            simulatedEnvironment.politenessChecker.onResponse(
                    simulatedEnvironment.rules.host(url.host()),
                    url.pathAndQuery(),
                    simulatedEnvironment.now());
        }
        var result = simulatedEnvironment.result(url, simulatedResponse, address, sent);
        execute(visit.fetched(result, simulatedEnvironment.wall()), visit, lease);
    }

    private void commit(Step.End end) throws IOException {
        var finishedVisit = new Committer.FinishedVisit(end, end.capture().map(store::prepare));
        var _ = committer.commit(List.of(finishedVisit));
        visitContext.onCommitted(end);
        inFlight--;
        frontierChanged = true;
    }

    /** The committer's own thread never runs here, so there is nothing to notify. */
    private static final class NoOpListener implements Committer.Listener {

        @Override
        public void committed(List<Committer.FinishedVisit> ends) {
            throw new AssertionError("committed by a thread of its own");
        }

        @Override
        public void failed(Throwable error) {
            throw new AssertionError(error);
        }
    }
}
