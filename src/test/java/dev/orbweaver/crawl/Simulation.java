package dev.orbweaver.crawl;

import dev.orbweaver.disk.SimulatedDisk;
import dev.orbweaver.fetch.Fetcher.Resolution;
import dev.orbweaver.frontier.Batch;
import dev.orbweaver.frontier.Candidate;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.Lease;
import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.frontier.disk.DiskFrontier;
import dev.orbweaver.lab.Reply;
import dev.orbweaver.lab.SimulatedWeb;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.Extensions;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.model.Timings;
import dev.orbweaver.parse.HtmlParser;
import dev.orbweaver.scope.Reach;
import dev.orbweaver.scope.RuleScope;
import dev.orbweaver.scope.ScopeSettings;
import dev.orbweaver.url.CrawlUrls;
import dev.orbweaver.url.Normalisation;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;

/**
 * A whole crawl in virtual time on one thread: the real frontier over a simulated disk, the real
 * {@link Visit}s with the real parsers, and a simulated web. Only what the loop's threads and
 * sockets do is done here by a queue of events. The same seed gives the same crawl on any machine.
 *
 * <p>After every step the invariants are checked; killing the process is dropping everything but
 * the disk and opening the frontier again.
 */
final class Simulation {

    static final int PORT = 8080;
    private static final Path FOLDER = Path.of("/crawl/frontier");
    private static final String STORE = "store";
    private static final int WORKERS = 32;

    /** Something that happens at a time; of two at the same time the one planned first. */
    private record Event(long at, long order, Step step, Work work) {}

    /** Carries one step out. */
    private interface Work {
        Step run() throws IOException;
    }

    private final Random random;
    private final SimulatedWeb web;
    private final Politeness politeness;
    private final boolean kills;
    private final CrawlUrls urls = new CrawlUrls(Normalisation.DEFAULT);
    private final CrawlSettings settings =
            new CrawlSettings(
                    WORKERS,
                    true,
                    "orbweaver",
                    true,
                    new RetryPolicy(2, Duration.ofSeconds(5)),
                    new CrawlSettings.Limits(Long.MAX_VALUE, Long.MAX_VALUE, Duration.ofDays(3650)),
                    Duration.ofMinutes(5),
                    Duration.ofSeconds(5),
                    10,
                    1 << 20);
    private final Reader reader = new Reader(List.of(new HtmlParser(urls)), urls, 1 << 20);
    private final Map<String, Integer> asked = new HashMap<>();
    final Judge judge;
    final List<Capture> store = new ArrayList<>();
    private SimulatedDisk disk = new SimulatedDisk();
    private PriorityQueue<Event> events = newEvents();
    private Set<Long> inFlight = new HashSet<>();
    private Frontier frontier;
    private Etiquette etiquette;
    private long now = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();
    private long order;
    private long nextKill;
    private long steps;
    int killed;

    Simulation(long seed, SimulatedWeb web, Politeness politeness, boolean kills) {
        this.random = new Random(seed);
        this.web = web;
        this.politeness = politeness;
        this.kills = kills;
        this.judge = new Judge(politeness);
        this.frontier = open();
        this.etiquette = newEtiquette();
        this.nextKill = killTime();
    }

    private static PriorityQueue<Event> newEvents() {
        return new PriorityQueue<>(
                Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
    }

    private long killTime() {
        return kills ? steps + 50 + random.nextInt(800) : Long.MAX_VALUE;
    }

    private Frontier open() {
        try {
            return DiskFrontier.open(disk, FOLDER, politeness, at());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private Etiquette newEtiquette() {
        var scope =
                new ScopeSettings(
                        Reach.ANY,
                        List.of(),
                        List.of(),
                        Integer.MAX_VALUE,
                        Extensions.SKIPPED_BY_DEFAULT,
                        false);
        return new Etiquette(
                settings, urls, new RuleScope(scope, Set.copyOf(frontier.seeds(JobId.ONLY))));
    }

    private Instant at() {
        return Instant.ofEpochMilli(now);
    }

    /** Crawls from the hub until nothing is due within the patience. */
    void run() throws IOException {
        var hub = urls.parse(web.hubUrl(PORT)).orElseThrow();
        frontier.offer(JobId.ONLY, List.of(Candidate.seed(hub, false)), at());
        while (step()) {
            steps++;
            judge.check(frontier.stats().ledger(), inFlight.size());
            if (steps >= nextKill) {
                kill();
            }
        }
        frontier.close();
    }

    /**
     * Everything but the disk is gone; what was appended to the store beyond its mark never
     * happened.
     */
    private void kill() {
        killed++;
        disk = disk.afterCrash();
        events = newEvents();
        inFlight = new HashSet<>();
        judge.allConnectionsClosed(now);
        now += random.nextInt(2_000);
        frontier = open();
        etiquette = newEtiquette();
        var committed = frontier.marks().stream().mapToLong(FileMark::length).findFirst().orElse(0);
        while (store.size() > committed) {
            store.removeLast();
        }
        nextKill = killTime();
    }

    private boolean step() throws IOException {
        var leases = frontier.lease(WORKERS - inFlight.size(), at());
        leases.forEach(this::begin);
        if (!leases.isEmpty()) {
            return true;
        }
        var outlook = frontier.outlook(at());
        var due = outlook.nextDue().map(Instant::toEpochMilli).orElse(Long.MAX_VALUE);
        if (!events.isEmpty() && events.peek().at() <= due) {
            var event = events.remove();
            now = Math.max(now, event.at());
            var _ = event.work().run();
            return true;
        }
        var patience = settings.patience().toMillis();
        if (due == Long.MAX_VALUE || (outlook.delayed() == 0 && due > now + patience)) {
            return false;
        }
        now = Math.max(now, due);
        return true;
    }

    private void begin(Lease lease) {
        if (!inFlight.add(lease.token())) {
            throw new AssertionError("leased twice at once: " + lease);
        }
        var visit = new Visit(lease, etiquette);
        carryOut(visit.begin(at()), visit, lease);
    }

    /** Plans a step's outcome for when it would come over the network. */
    private void carryOut(Step step, Visit visit, Lease lease) {
        switch (step) {
            case Step.Resolve(var url) -> later(20, visit, lease, step, () -> resolve(url, visit));
            case Step.Pass pass ->
                    later(
                            0,
                            visit,
                            lease,
                            step,
                            () ->
                                    visit.passed(
                                            pass,
                                            frontier.pass(
                                                    lease, pass.url(), pass.address(), at())));
            case Step.Fetch(var url, var address) ->
                    later(150, visit, lease, step, () -> connected(visit, lease, url, address));
            case Step.ReadRobots(var exchange) ->
                    later(
                            0,
                            visit,
                            lease,
                            step,
                            () -> {
                                var content = reader.robots(exchange);
                                return visit.robotsRead(
                                        exchange, content.bytes(), content.length());
                            });
            case Step.Parse(var exchange) ->
                    later(
                            2,
                            visit,
                            lease,
                            step,
                            () -> visit.parsed(exchange, reader.page(exchange, lease.hop())));
            case Step.End end -> plan(3, end, () -> commit(end));
        }
    }

    private void later(int millisMax, Visit visit, Lease lease, Step step, Work work) {
        plan(
                millisMax,
                step,
                () -> {
                    var next = work.run();
                    if (!next.equals(WAIT)) {
                        carryOut(next, visit, lease);
                    }
                    return next;
                });
    }

    private void plan(int millisMax, Step step, Work work) {
        var at = now + (millisMax == 0 ? 0 : random.nextInt(millisMax + 1));
        events.add(new Event(at, order++, step, work));
    }

    private Step resolve(CrawlUrl url, Visit visit) {
        Resolution found =
                web.resolve(url.host())
                        .<Resolution>map(Resolution.Found::new)
                        .orElseGet(() -> new Resolution.NotFound("no such name"));
        return visit.resolved(found, at());
    }

    /** The connection stands: the request goes out now and is answered after the host's latency. */
    private Step connected(Visit visit, Lease lease, CrawlUrl url, InetAddress address) {
        var attempt = asked.merge(url.text(), 1, Integer::sum) - 1;
        var reply = web.reply(url.host(), url.pathAndQuery(), PORT, attempt);
        var step = new Step.Fetch(url, address);
        if (reply.isEmpty()) {
            return visit.fetched(failed(url, FailureCause.CONNECT), at());
        }
        frontier.sent(lease, at());
        judge.arrived(url, address, now, robotsForbid(url));
        var sent = now;
        var latency = 1 + reply.get().latencyMillis() + random.nextInt(40);
        events.add(
                new Event(
                        now + latency,
                        order++,
                        step,
                        () -> {
                            judge.answered(url, now);
                            var next = visit.fetched(result(url, reply.get(), address, sent), at());
                            carryOut(next, visit, lease);
                            return next;
                        }));
        return WAIT;
    }

    /** Stands for "nothing to carry out yet": the answer's own event goes on. */
    private static final Step WAIT = new Step.Resolve(anyUrl());

    private static CrawlUrl anyUrl() {
        return new CrawlUrls(Normalisation.DEFAULT).parse("http://wait.test/").orElseThrow();
    }

    private boolean robotsForbid(CrawlUrl url) {
        return !url.pathAndQuery().equals("/robots.txt")
                && etiquette
                        .robots()
                        .known(url, at())
                        .filter(rules -> rules.judge(url.pathAndQuery()).allowed())
                        .isEmpty();
    }

    private FetchResult result(CrawlUrl url, Reply reply, InetAddress address, long sent) {
        if (reply.cutShort()) {
            return failed(url, FailureCause.DISCONNECT);
        }
        var head = new StringBuilder("HTTP/1.1 " + reply.status() + " X\r\n");
        reply.fields().forEach(field -> head.append(field).append("\r\n"));
        var raw = head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
        var exchange =
                new Exchange(
                        url,
                        new byte[0],
                        new ResponseHead(raw, reply.status()),
                        new Body.InMemory(reply.body(), reply.body().length),
                        address,
                        new Timings(
                                Instant.ofEpochMilli(sent),
                                Duration.ZERO,
                                Duration.ZERO,
                                Duration.ofMillis(now - sent)),
                        Optional.empty());
        var location = exchange.head().field("location");
        return location.isPresent() && reply.status() / 100 == 3
                ? new FetchResult.Redirected(exchange, location.get())
                : new FetchResult.Fetched(exchange);
    }

    private FetchResult failed(CrawlUrl url, FailureCause cause) {
        return new FetchResult.Failed(url, cause, cause.word(), at());
    }

    /** What the committer does: append, commit, only then tell. */
    private Step commit(Step.End end) {
        end.capture().ifPresent(store::add);
        var marks = List.of(new FileMark(STORE, store.size()));
        switch (end) {
            case Step.Settle(var settlement, _) -> {
                var refused =
                        frontier.settle(
                                new Batch(List.of(settlement.capturedAs(store.size())), marks),
                                at());
                if (refused > 0) {
                    throw new AssertionError("refused: " + settlement);
                }
            }
            case Step.GiveBack back -> {
                var _ = frontier.settle(new Batch(List.of(), marks), at());
                back.delay().ifPresent(d -> frontier.slowDown(back.lease().url().host(), d));
                frontier.offer(JobId.ONLY, back.found(), at());
                var _ = frontier.release(back.lease(), back.why(), at());
                if (back.delay().isPresent()) {
                    etiquette.robots().inForce(back.lease().url());
                }
            }
        }
        inFlight.remove(end.lease().token());
        return end;
    }
}
