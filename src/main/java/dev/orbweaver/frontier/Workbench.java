package dev.orbweaver.frontier;

import dev.orbweaver.frontier.FrontierEvent.Rest;
import dev.orbweaver.frontier.FrontierEvent.Touch;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Refusal;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
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
@SuppressWarnings(
        "EnumOrdinal") // Counts by reason; the snapshot keeps them in the order of the constants.
public final class Workbench {

    private static final int KEYS_PER_EVENT = 4096;

    /** Leases lost by a URL after which it is poison. */
    private static final int LOST_MAX = 10;

    /** A URL that is out, and until when. */
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

    private final long hostDelay;
    private final boolean delayFromEnd;
    final Map<String, HostQueue> hosts = new LinkedHashMap<>();
    final Map<Long, Holding> leases = new LinkedHashMap<>();
    final Map<Integer, List<CrawlUrl>> seeds = new HashMap<>();
    final List<DeadLetter> dead = new ArrayList<>();
    final Map<String, Long> marks = new LinkedHashMap<>();
    private final Map<Integer, FingerprintSet> seen = new HashMap<>();
    private final Map<FailureCause, Long> deadByCause = new EnumMap<>(FailureCause.class);
    private final long[] refused = new long[Refusal.values().length];
    private long lastId;
    private long lastToken;
    private long duplicates;
    private long accepted;
    private long queued;
    private long done;
    private long withdrawn;
    private long pages;
    private long bytes;

    /** An empty frontier under the given politeness. */
    public Workbench(Politeness politeness) {
        this.hostDelay = politeness.hostDelay().toMillis();
        this.delayFromEnd = politeness.perHost() == 1;
    }

    /** Makes one change. */
    public void apply(FrontierEvent event) {
        switch (event) {
            case FrontierEvent.Accepted e -> accept(e);
            case FrontierEvent.Duplicates e -> duplicates += e.count();
            case FrontierEvent.TurnedAway e -> refused[e.why().ordinal()] += e.count();
            case FrontierEvent.Leased e -> lease(e);
            case FrontierEvent.Extended e -> holding(e.token()).deadline = e.deadline();
            case FrontierEvent.Released e -> giveBack(take(e.token()), e.touch());
            case FrontierEvent.Lost e -> lose(take(e.token()), e.touch());
            case FrontierEvent.Done e -> finish(take(e.token()), e);
            case FrontierEvent.Respelled e -> respell(take(e.token()), e);
            case FrontierEvent.Visiting e -> visit(holding(e.token()), host(e.host()));
            case FrontierEvent.Retried e -> retry(take(e.token()), e);
            case FrontierEvent.Died e -> {
                var held = take(e.token());
                bury(held.url, e.cause());
                touch(held, e.touch());
            }
            case FrontierEvent.Withdrew e -> {
                touch(take(e.token()), e.touch());
                withdrawn++;
                refused[e.why().ordinal()]++;
            }
            case FrontierEvent.SlowedDown e -> host(e.host()).robotsDelay = e.delay();
            case FrontierEvent.Marked e -> marks.put(e.name(), e.length());
            case FrontierEvent.Seen e -> remember(e);
            case FrontierEvent.Seed e -> seedsOf(e.job()).add(e.url());
            case FrontierEvent.Restored e -> enqueue(QueuedUrl.from(e));
            case FrontierEvent.Buried e -> bury(QueuedUrl.from(e.url()), e.cause());
            case FrontierEvent.HostState e -> restore(e);
            case FrontierEvent.Counters e -> restore(e);
        }
    }

    private void remember(FrontierEvent.Seen event) {
        for (var key : event.keys()) {
            var _ = seen(event.job()).addIfNew(key);
        }
    }

    private void accept(FrontierEvent.Accepted event) {
        if (!seen(event.job()).addIfNew(event.url().key())) {
            throw new IllegalStateException("accepted twice: " + event.url());
        }
        if (event.hop().seed()) {
            seedsOf(event.job()).add(event.url());
        }
        accepted++;
        enqueue(new QueuedUrl(++lastId, event));
    }

    private void enqueue(QueuedUrl url) {
        host(url.url().host()).add(url);
        queued++;
    }

    private void lease(FrontierEvent.Leased event) {
        var host = host(event.host());
        var url =
                host.takeById(event.urlId())
                        .orElseThrow(() -> new IllegalStateException("not queued: " + event));
        hold(host, url, event.token(), event.deadline());
    }

    /**
     * The live form of {@link FrontierEvent.Leased}: the URL is the one just taken from its queue.
     */
    void hold(HostQueue host, QueuedUrl url, long token, long deadline) {
        queued--;
        host.leased++;
        lastToken = token;
        leases.put(token, new Holding(url, host, deadline));
    }

    private Holding take(long token) {
        var held = leases.remove(token);
        if (held == null) {
            throw new IllegalStateException("no such lease: " + token);
        }
        held.host.leased--;
        if (held.guestOf != null) {
            held.guestOf.leased--;
        }
        return held;
    }

    private void giveBack(Holding held, Touch touch) {
        held.host.addFirst(held.url);
        queued++;
        touch(held, touch);
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
        done++;
        bytes += event.bytes();
        if (event.page()) {
            pages++;
            held.host.pages++;
        }
        touch(held, event.touch());
    }

    private void retry(Holding held, FrontierEvent.Retried event) {
        held.url.attempts++;
        held.url.notBefore = event.notBefore();
        held.host.add(held.url);
        queued++;
        touch(held, event.touch());
    }

    private void respell(Holding held, FrontierEvent.Respelled event) {
        held.host.addFirst(held.url.respelled(event.url()));
        queued++;
        touch(held, event.touch());
    }

    private static void visit(Holding held, HostQueue other) {
        held.guestOf = other;
        other.leased++;
    }

    private void bury(QueuedUrl url, FailureCause cause) {
        dead.add(new DeadLetter(url, cause));
        deadByCause.merge(cause, 1L, Long::sum);
    }

    private void touch(Holding held, Touch touch) {
        if (held.guestOf != null) {
            touch(held.guestOf, new Touch(touch.ended(), Rest.NONE, 0, false));
        }
        touch(held.host, touch);
    }

    private void touch(HostQueue host, Touch touch) {
        var givenUp = host.touch(touch, delayFromEnd ? hostDelay : 0);
        if (givenUp) {
            for (var url = host.take(Long.MAX_VALUE);
                    url.isPresent();
                    url = host.take(Long.MAX_VALUE)) {
                queued--;
                bury(url.get(), FailureCause.HOST_DOWN);
            }
        }
    }

    private void restore(FrontierEvent.HostState event) {
        var host = host(event.host());
        host.lastEnded = event.lastEnded();
        host.rest = event.rest();
        host.restUntil = event.restUntil();
        host.restLength = event.restLength();
        host.failures = event.failures();
        host.probes = event.probes();
        host.robotsDelay = event.delay();
        host.pages = event.pages();
    }

    private void restore(FrontierEvent.Counters event) {
        lastId = event.lastId();
        lastToken = event.lastToken();
        duplicates = event.duplicates();
        accepted = event.accepted();
        done = event.done();
        withdrawn = event.withdrawn();
        pages = event.pages();
        bytes = event.bytes();
        for (var i = 0; i < event.refused().size(); i++) {
            refused[i] = event.refused().get(i);
        }
    }

    HostQueue host(String name) {
        return hosts.computeIfAbsent(name, HostQueue::new);
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

    Optional<Holding> heldBy(long token) {
        return Optional.ofNullable(leases.get(token));
    }

    boolean hasSeen(int job, Fingerprint key) {
        return seen(job).contains(key);
    }

    long nextToken() {
        return lastToken + 1;
    }

    /** Whether anything was ever put in. */
    public boolean pristine() {
        return lastId == 0;
    }

    Ledger ledger() {
        // A withdrawn URL was accepted first, so only what was turned away at the door counts as
        // refused here.
        var refusedAtTheDoor = Arrays.stream(refused).sum() - withdrawn;
        return new Ledger(
                duplicates + refusedAtTheDoor + accepted,
                duplicates,
                refusedAtTheDoor,
                accepted,
                queued,
                leases.size(),
                done,
                dead.size(),
                withdrawn,
                pages,
                bytes);
    }

    Map<Refusal, Long> refusedByReason() {
        var byReason = new EnumMap<Refusal, Long>(Refusal.class);
        for (var why : Refusal.values()) {
            if (refused[why.ordinal()] > 0) {
                byReason.put(why, refused[why.ordinal()]);
            }
        }
        return byReason;
    }

    Map<FailureCause, Long> deadByCause() {
        return new EnumMap<>(deadByCause);
    }

    /** Writes the whole state as events that make it again when applied to an empty workbench. */
    public void snapshot(Consumer<FrontierEvent> out) {
        seen.forEach((job, keys) -> snapshotSeen(job, keys, out));
        seeds.forEach(
                (job, urls) -> urls.forEach(url -> out.accept(new FrontierEvent.Seed(job, url))));
        hosts.values().forEach(host -> out.accept(stateOf(host)));
        hosts.values().forEach(host -> host.inOrder().forEach(url -> out.accept(url.restored())));
        dead.forEach(
                letter ->
                        out.accept(
                                new FrontierEvent.Buried(letter.url().restored(), letter.cause())));
        marks.forEach((name, length) -> out.accept(new FrontierEvent.Marked(name, length)));
        leases.forEach((_, held) -> out.accept(held.url.restored()));
        leases.forEach(
                (token, held) ->
                        out.accept(
                                new FrontierEvent.Leased(
                                        held.host.name, held.url.id, token, held.deadline)));
        leases.forEach((token, held) -> visiting(token, held).ifPresent(out));
        out.accept(
                new FrontierEvent.Counters(
                        lastId,
                        lastToken,
                        duplicates,
                        accepted,
                        done,
                        withdrawn,
                        pages,
                        bytes,
                        Arrays.stream(refused).boxed().toList()));
    }

    private static Optional<FrontierEvent> visiting(long token, Holding held) {
        return Optional.ofNullable(held.guestOf)
                .map(host -> new FrontierEvent.Visiting(token, host.name));
    }

    private static void snapshotSeen(int job, FingerprintSet keys, Consumer<FrontierEvent> out) {
        var chunk = new ArrayList<Fingerprint>(KEYS_PER_EVENT);
        keys.forEach(
                key -> {
                    chunk.add(key);
                    if (chunk.size() == KEYS_PER_EVENT) {
                        out.accept(new FrontierEvent.Seen(job, List.copyOf(chunk)));
                        chunk.clear();
                    }
                });
        out.accept(new FrontierEvent.Seen(job, List.copyOf(chunk)));
    }

    private static FrontierEvent stateOf(HostQueue host) {
        return new FrontierEvent.HostState(
                host.name,
                host.lastEnded,
                host.rest,
                host.restUntil,
                host.restLength,
                host.failures,
                host.probes,
                host.robotsDelay,
                host.pages);
    }
}
