package dev.orbweaver.crawl;

import dev.orbweaver.fetch.ContentReader;
import dev.orbweaver.fetch.Fetcher.Resolution;
import dev.orbweaver.frontier.Candidate;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.Lease;
import dev.orbweaver.lab.Reply;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Extensions;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.JobId;
import dev.orbweaver.parse.HtmlParser;
import dev.orbweaver.scope.Reach;
import dev.orbweaver.scope.RuleScope;
import dev.orbweaver.scope.ScopeSettings;
import dev.orbweaver.url.CrawlUrls;
import dev.orbweaver.url.Normalisation;

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
 * One process's life in virtual time, on one thread. All decisions are the real ones: {@link
 * Course} says how much to lease and when it is over, {@link Visit} what to do with a lease, {@link
 * Committer} commits. What threads and sockets do in between is a queue of events here.
 */
final class Life {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);
    private static final int RESOLVE_MILLIS = 20;
    private static final int CONNECT_MILLIS = 150;
    private static final int SLOW_CONNECT_MILLIS = 3_000;
    private static final int ANSWER_MILLIS = 40;
    private static final int COMMIT_MILLIS = 4;
    private static final long NOTHING_DUE = Long.MAX_VALUE;

    /** Something that happens at a time; of two at the same time the one planned first. */
    private record Event(long at, long order, Work work) {}

    private interface Work {
        void run() throws IOException;
    }

    private final World world;
    private final Terms terms;
    private final Frontier frontier;
    private final SimulatedStore store;
    private final Course course;
    private final Etiquette etiquette;
    private final Committer committer;
    private final Reader reader =
            new Reader(
                    List.of(new HtmlParser(URLS, true)),
                    URLS,
                    new ContentReader.Limits(1 << 20, 200));
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(
                    Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
    private final Instant began;
    private long order;
    private int inFlight;
    private boolean askFrontier = true;
    private long due = NOTHING_DUE;

    Life(World world, Terms terms, Frontier frontier, SimulatedStore store, RobotsStore robots) {
        this.world = world;
        this.terms = terms;
        this.frontier = frontier;
        this.store = store;
        this.began = world.wall();
        var settings = terms.settings();
        this.course = new Course(settings);
        var scope =
                new ScopeSettings(
                        Reach.ANY,
                        List.of(),
                        List.of(),
                        Integer.MAX_VALUE,
                        Extensions.SKIPPED_BY_DEFAULT,
                        false);
        this.etiquette =
                new Etiquette(
                        settings,
                        URLS,
                        new RuleScope(scope, Set.copyOf(frontier.seeds(JobId.ONLY))),
                        robots);
        frontier.show(JobId.ONLY, etiquette.novelty());
        this.committer =
                new Committer(
                        frontier,
                        store,
                        world::wall,
                        Duration.ZERO,
                        Committer.LinkRoom.ENDLESS,
                        etiquette,
                        new Nobody());
    }

    /** Offers the seed; to a resumed crawl it is old. */
    void seed() {
        var hub = URLS.parse(world.hub()).orElseThrow();
        frontier.offer(JobId.ONLY, List.of(Candidate.seed(hub, false)), world.wall());
    }

    /**
     * Goes one step on. Like the loop, it asks the frontier when something was committed and when
     * something falls due, and not in between.
     */
    Optional<CrawlEnd> step() throws IOException {
        if (askFrontier) {
            return leaseOrWait();
        }
        if (!events.isEmpty() && events.element().at() <= due) {
            var event = events.remove();
            world.passUntil(event.at());
            event.work().run();
        } else {
            world.passUntil(due);
            askFrontier = true;
        }
        return Optional.empty();
    }

    private Optional<CrawlEnd> leaseOrWait() {
        var ledger = frontier.ledger();
        var lost = terms.deaths(); // Workers that stand still too long lose their leases.
        if (!ledger.balances() || (ledger.leased() != inFlight && !lost)) {
            throw new AssertionError(ledger + " with " + inFlight + " in flight");
        }
        var wall = world.wall();
        var over = course.limitReached(ledger, Duration.between(began, wall));
        if (over.isPresent()) {
            return over;
        }
        var room = course.room(ledger, inFlight, 0, Integer.MAX_VALUE);
        var leases = frontier.lease(room, wall);
        leases.forEach(this::begin);
        if (!leases.isEmpty() && leases.size() == room) {
            askFrontier = false; // All hands are busy.
            due = NOTHING_DUE;
            return Optional.empty();
        }
        askFrontier = false;
        if (!frontier.recover()) {
            due = NOTHING_DUE;
            return course.blocked(inFlight, wall);
        }
        var outlook = frontier.outlook(wall);
        due = outlook.nextDue().map(world::trueTime).orElse(NOTHING_DUE);
        return course.nothingLeft(outlook, inFlight, wall);
    }

    private void begin(Lease lease) {
        course.leased();
        inFlight++;
        var visit = new Visit(lease, etiquette);
        carryOut(visit.begin(world.wall()), visit, lease);
    }

    /** Does what takes no time at once and plans the rest for when it would come about. */
    private void carryOut(Step first, Visit visit, Lease lease) {
        switch (first) {
            case Step.Resolve(var url) ->
                    in(RESOLVE_MILLIS, () -> resolved(world.resolve(url), visit, lease));
            case Step.Pass pass ->
                    carryOut(
                            visit.passed(
                                    pass,
                                    frontier.pass(lease, pass.url(), pass.address(), world.wall())),
                            visit,
                            lease);
            case Step.Fetch(var url, var address) ->
                    in(connectMillis(), () -> connected(visit, lease, url, address));
            case Step.ReadRobots(var exchange) ->
                    in(
                            0,
                            () -> {
                                var content = reader.robots(exchange);
                                carryOut(visit.robotsRead(exchange, content), visit, lease);
                            });
            case Step.Parse(var exchange) ->
                    in(
                            0,
                            () ->
                                    carryOut(
                                            visit.parsed(
                                                    exchange, reader.page(exchange, lease.hop())),
                                            visit,
                                            lease));
            case Step.End end -> in(commitMillis(), () -> commit(end));
        }
    }

    private void in(int millisMax, Work work) {
        var at = world.now() + (millisMax == 0 ? 0 : world.random.nextInt(millisMax + 1));
        events.add(new Event(at, order++, work));
    }

    /** Now and then a connection takes longer than any gate's delay. */
    private int connectMillis() {
        return world.random.nextInt(20) == 0 ? SLOW_CONNECT_MILLIS : CONNECT_MILLIS;
    }

    /** Now and then a worker stands still until its lease is long lost. */
    private int commitMillis() {
        return terms.deaths() && world.random.nextInt(400) == 0
                ? 2 * (int) terms.politeness().leaseTime().toMillis()
                : COMMIT_MILLIS;
    }

    private void resolved(Resolution resolution, Visit visit, Lease lease) {
        carryOut(visit.resolved(resolution, world.wall()), visit, lease);
    }

    /** The connection stands: the request goes out now and is answered after the host's latency. */
    private void connected(Visit visit, Lease lease, CrawlUrl url, InetAddress address) {
        var reply = world.reply(url);
        if (reply.isEmpty()) {
            var failed = world.failed(url, FailureCause.CONNECT);
            carryOut(visit.fetched(failed, world.wall()), visit, lease);
            return;
        }
        var sent = world.now();
        frontier.sent(lease, world.wall());
        world.visitors.came(url, sent);
        if (world.rules.isHost(url.host())) {
            var host = world.rules.host(url.host());
            world.judge.arrived(host, url.pathAndQuery(), address.hashCode(), sent);
        }
        var latency = 1 + reply.get().latencyMillis() + world.random.nextInt(ANSWER_MILLIS);
        events.add(
                new Event(
                        sent + latency,
                        order++,
                        () -> answered(visit, lease, url, address, reply.get(), sent)));
    }

    private void answered(
            Visit visit, Lease lease, CrawlUrl url, InetAddress address, Reply reply, long sent) {
        if (world.rules.isHost(url.host())) {
            world.judge.answered(world.rules.host(url.host()), url.pathAndQuery(), world.now());
        }
        var result = world.result(url, reply, address, sent);
        carryOut(visit.fetched(result, world.wall()), visit, lease);
    }

    private void commit(Step.End end) throws IOException {
        var ended = new Committer.Ended(end, end.capture().map(store::prepare));
        var _ = committer.commit(List.of(ended));
        etiquette.committed(end);
        inFlight--;
        askFrontier = true;
    }

    /** The committer's own thread never runs here, so there is nobody to be told anything. */
    private static final class Nobody implements Committer.Listener {

        @Override
        public void committed(List<Committer.Ended> ends) {
            throw new AssertionError("committed by a thread of its own");
        }

        @Override
        public void broken(Throwable error) {
            throw new AssertionError(error);
        }
    }
}
