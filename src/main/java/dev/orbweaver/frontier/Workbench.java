package dev.orbweaver.frontier;

import dev.orbweaver.frontier.FrontierEvent.Health;
import dev.orbweaver.frontier.FrontierEvent.Touch;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The frontier's state and nothing else: hosts with their queues, leases, seen sets, dead letters,
 * counters.
 *
 * <p>It changes only by {@link #apply}, which decides nothing and knows no clock. So the state
 * after a crash is the state before it: the journal holds the events, and replaying them is the
 * same code that made the state in the first place. {@link #snapshot} writes the state down as
 * events too, which keeps one format and one reader.
 */
public final class Workbench {

    /** Leases lost by a URL after which it is poison. */
    private static final int LOST_MAX = 10;

    /** A URL that is out, until when, and the other host its holder visits, if any. */
    static final class Holding {
        final QueuedUrl url;
        final HostQueue host;
        @Nullable HostQueue guestOf;
        long deadline;

        Holding(QueuedUrl url, HostQueue host, long deadline) {
            this.url = url;
            this.host = host;
            this.deadline = deadline;
        }
    }

    /** A URL given up, and why. */
    record DeadLetter(QueuedUrl url, FailureCause cause) {}

    private final Politeness politeness;
    private final Tally tally = new Tally();
    final Map<String, HostQueue> hosts = new LinkedHashMap<>();
    final Map<Long, Holding> leases = new LinkedHashMap<>();
    final Map<Integer, List<CrawlUrl>> seeds = new HashMap<>();
    final Map<Integer, FingerprintSet> seen = new HashMap<>();
    final List<DeadLetter> dead = new ArrayList<>();
    final Map<String, Long> marks = new LinkedHashMap<>();
    private long lastId;
    private long lastToken;
    private long latest;

    /** An empty frontier under the given politeness. */
    public Workbench(Politeness politeness) {
        this.politeness = politeness;
    }

    /** Makes one change. */
    public void apply(FrontierEvent event) {
        switch (event) {
            case FrontierEvent.Accepted e -> accept(e);
            case FrontierEvent.Duplicates e -> tally.duplicates += e.count();
            case FrontierEvent.TurnedAway e -> tally.refuse(e.why(), e.count());
            case FrontierEvent.Leased e -> lease(e);
            case FrontierEvent.Extended e -> holding(e.token()).deadline = e.deadline();
            case FrontierEvent.Released e -> release(take(e.token()), e);
            case FrontierEvent.Lost e -> lose(take(e.token()), e.touch());
            case FrontierEvent.Done e -> finish(take(e.token()), e);
            case FrontierEvent.Respelled e -> respell(take(e.token()), e);
            case FrontierEvent.Visiting e -> visit(holding(e.token()), e);
            case FrontierEvent.Retried e -> retry(take(e.token()), e);
            case FrontierEvent.Died e -> die(take(e.token()), e);
            case FrontierEvent.Withdrew e -> withdraw(take(e.token()), e);
            case FrontierEvent.SlowedDown e -> host(e.host()).robotsDelay = e.delay();
            case FrontierEvent.ClockSetBack e -> setClockBack(e.by());
            case FrontierEvent.Marked e -> marks.put(e.name(), e.length());
            case FrontierEvent.Seen e -> remember(e);
            case FrontierEvent.Seed e -> seedsOf(e.job()).add(e.url());
            case FrontierEvent.Restored e -> enqueue(QueuedUrl.from(e));
            case FrontierEvent.Buried e -> bury(QueuedUrl.from(e.url()), e.cause());
            case FrontierEvent.Held e -> hold(QueuedUrl.from(e.url()), e.token(), e.deadline());
            case FrontierEvent.HostState e -> restore(e);
            case FrontierEvent.Counters e -> restore(e);
        }
    }

    private void accept(FrontierEvent.Accepted event) {
        if (!seen(event.job()).addIfNew(event.url().key())) {
            throw new IllegalStateException("accepted twice: " + event.url());
        }
        if (event.hop().seed()) {
            seedsOf(event.job()).add(event.url());
        }
        tally.accepted++;
        happened(event.foundAt());
        enqueue(new QueuedUrl(++lastId, event));
    }

    private void enqueue(QueuedUrl url) {
        host(url.url().host()).add(url);
        tally.queued++;
    }

    private void lease(FrontierEvent.Leased event) {
        var next = host(event.host()).take(event.at());
        var url =
                next.filter(taken -> taken.id == event.urlId())
                        .orElseThrow(() -> new IllegalStateException("not next: " + event));
        tally.queued--;
        lastToken = event.token();
        happened(event.at());
        hold(url, event.token(), event.deadline());
    }

    private void hold(QueuedUrl url, long token, long deadline) {
        var host = host(url.url().host());
        host.leased++;
        tally.leased++;
        leases.put(token, new Holding(url, host, deadline));
    }

    private Holding take(long token) {
        var held = leases.remove(token);
        if (held == null) {
            throw new IllegalStateException("no such lease: " + token);
        }
        tally.leased--;
        held.host.leased--;
        if (held.guestOf != null) {
            held.guestOf.leased--;
        }
        return held;
    }

    private void release(Holding held, FrontierEvent.Released event) {
        if (event.notBefore() == 0) {
            giveBack(held, event.touch());
        } else {
            held.url.notBefore = event.notBefore();
            held.host.add(held.url);
            tally.queued++;
            touch(held, event.touch());
        }
    }

    private void giveBack(Holding held, Touch touch) {
        putFirst(held.url);
        touch(held, touch);
    }

    private void putFirst(QueuedUrl url) {
        host(url.url().host()).addFirst(url);
        tally.queued++;
    }

    private void lose(Holding held, Touch touch) {
        held.url.lost++;
        if (held.url.lost >= LOST_MAX) {
            bury(held.url, FailureCause.POISON);
            touch(held, touch);
        } else {
            giveBack(held, touch);
        }
    }

    private void finish(Holding held, FrontierEvent.Done event) {
        tally.done++;
        tally.bytes += event.bytes();
        if (event.page()) {
            tally.pages++;
            held.host.pages++;
        }
        touch(held, event.touch());
    }

    private void retry(Holding held, FrontierEvent.Retried event) {
        held.url.attempts++;
        held.url.notBefore = event.notBefore();
        enqueue(held.url);
        touch(held, event.touch());
    }

    private void respell(Holding held, FrontierEvent.Respelled event) {
        putFirst(held.url.respelled(event.url()));
        touch(held, event.touch());
    }

    private void die(Holding held, FrontierEvent.Died event) {
        bury(held.url, event.cause());
        touch(held, event.touch());
    }

    private void withdraw(Holding held, FrontierEvent.Withdrew event) {
        tally.withdrawn++;
        tally.refuse(event.why(), 1);
        touch(held, event.touch());
    }

    private void visit(Holding held, FrontierEvent.Visiting event) {
        if (held.guestOf != null) {
            held.guestOf.leased--;
            touch(held.guestOf, Touch.at(event.at(), Health.UNKNOWN));
        }
        held.guestOf = host(event.host());
        held.guestOf.leased++;
    }

    private void bury(QueuedUrl url, FailureCause cause) {
        dead.add(new DeadLetter(url, cause));
        tally.bury(cause);
    }

    /** What a visit showed of a host it shows of that one only; the delay is due to both. */
    private void touch(Holding held, Touch touch) {
        if (held.guestOf != null) {
            touch(held.guestOf, Touch.at(touch.ended(), Health.UNKNOWN));
        }
        touch(held.host, touch);
    }

    private void touch(HostQueue host, Touch touch) {
        happened(touch.ended());
        var givenUp = host.touch(touch);
        if (givenUp) {
            for (var url = host.take(Long.MAX_VALUE);
                    url.isPresent();
                    url = host.take(Long.MAX_VALUE)) {
                tally.queued--;
                bury(url.get(), FailureCause.HOST_DOWN);
            }
        }
    }

    private void happened(long at) {
        latest = Math.max(latest, at);
    }

    private void setClockBack(long by) {
        latest -= by;
        hosts.values().forEach(host -> host.setClockBack(by));
        leases.values().forEach(held -> held.deadline -= by);
    }

    private void remember(FrontierEvent.Seen event) {
        for (var key : event.keys()) {
            var _ = seen(event.job()).addIfNew(key);
        }
    }

    private void restore(FrontierEvent.HostState event) {
        var host = host(event.host());
        host.lastEnded = event.lastEnded();
        host.rest = event.rest();
        host.restUntil = event.restUntil();
        host.failures = event.failures();
        host.probes = event.probes();
        host.robotsDelay = event.delay();
        host.pages = event.pages();
    }

    private void restore(FrontierEvent.Counters event) {
        lastId = event.lastId();
        lastToken = event.lastToken();
        latest = event.latest();
        tally.restore(event);
    }

    FrontierEvent.Counters counters() {
        return new FrontierEvent.Counters(
                lastId,
                lastToken,
                latest,
                tally.duplicates,
                tally.accepted,
                tally.done,
                tally.withdrawn,
                tally.pages,
                tally.bytes,
                tally.refused());
    }

    private HostQueue host(String name) {
        return hosts.computeIfAbsent(name, this::newHost);
    }

    private HostQueue newHost(String name) {
        return new HostQueue(name, politeness);
    }

    private FingerprintSet seen(int job) {
        return seen.computeIfAbsent(job, _ -> new FingerprintSet());
    }

    private List<CrawlUrl> seedsOf(int job) {
        return seeds.computeIfAbsent(job, _ -> new ArrayList<>());
    }

    private Holding holding(long token) {
        return heldBy(token).orElseThrow(() -> new IllegalStateException("no lease " + token));
    }

    /** A host as it stands; one never met stands like a new one, and is not remembered for it. */
    HostQueue hostNamed(String name) {
        var host = hosts.get(name);
        return host == null ? newHost(name) : host;
    }

    Optional<Holding> heldBy(long token) {
        return Optional.ofNullable(leases.get(token));
    }

    boolean hasSeen(int job, Fingerprint key) {
        var keys = seen.get(job);
        return keys != null && keys.contains(key);
    }

    long nextToken() {
        return lastToken + 1;
    }

    /** The latest time that any event has named. */
    long latest() {
        return latest;
    }

    /** Whether anything was ever put in. */
    public boolean pristine() {
        return lastId == 0;
    }

    Tally tally() {
        return tally;
    }

    /** Writes the whole state as events that make it again when applied to an empty workbench. */
    public void snapshot(Consumer<FrontierEvent> out) {
        new Snapshot(out).write(this);
    }
}
