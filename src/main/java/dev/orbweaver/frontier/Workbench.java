package dev.orbweaver.frontier;

import dev.orbweaver.frontier.FrontierEvent.Health;
import dev.orbweaver.frontier.FrontierEvent.Touch;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
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

        /** Until when its host is held for this lease alone, start to start; else 0. */
        long heldTo;

        Holding(QueuedUrl url, HostQueue host, long deadline) {
            this.url = url;
            this.host = host;
            this.deadline = deadline;
        }
    }

    final Manners manners;
    private final Store store;
    private final UrlQueue.Stock stock;
    private final SortedMap<Integer, Tally> tallies = new TreeMap<>();
    final HostTable hosts = new HostTable();
    final Map<Long, Holding> leases = new LinkedHashMap<>();
    final SortedMap<Integer, List<CrawlUrl>> seeds = new TreeMap<>();
    final Map<String, FileMark> marks = new LinkedHashMap<>();
    final SortedMap<Integer, DeferredLinks> deferred = new TreeMap<>();

    /** The queues by number; those of deleted jobs are gone. */
    private final List<@Nullable UrlQueue> queues = new ArrayList<>();

    /** Numbers of queues that went away with their hosts. */
    private final ArrayDeque<Integer> spareNumbers = new ArrayDeque<>();

    private long lastToken;
    private long latest;

    /** An empty frontier under the given politeness, all in memory. */
    public Workbench(Politeness politeness) {
        this(politeness, new MemoryStore());
    }

    /** An empty frontier that keeps what grows in a store. */
    public Workbench(Politeness politeness, Store store) {
        this.manners = new Manners(politeness);
        this.store = store;
        this.stock = new UrlQueue.Stock(store);
    }

    /** Makes one change. */
    public void apply(FrontierEvent event) {
        switch (event) {
            case FrontierEvent.Accepted e -> accept(e);
            case FrontierEvent.Duplicates e -> tally(e.job()).duplicates += e.count();
            case FrontierEvent.TurnedAway e -> tally(e.job()).refuse(e.why(), e.count());
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
            case FrontierEvent.SlowedDown e -> host(e.host()).robotsDelay(e.delay());
            case FrontierEvent.ClockSetBack e -> setClockBack(e.by());
            case FrontierEvent.Absent e -> absent(e.by());
            case FrontierEvent.JobDeleted e -> delete(e);
            case FrontierEvent.Excluded e -> exclude(e);
            case FrontierEvent.LinksDeferred e -> defer(e.job(), 1, 0);
            case FrontierEvent.LinksTakenUp e -> defer(e.job(), -1, e.capture());
            case FrontierEvent.Deferred e ->
                    deferred.put(e.job(), new DeferredLinks(e.captures(), e.takenUpTo()));
            case FrontierEvent.Revived e -> revive(e);
            case FrontierEvent.Shelved e -> shelved(e.segment());
            case FrontierEvent.Marked e -> marks.put(e.mark().name(), e.mark());
            case FrontierEvent.Filed e -> store.filed(e);
            case FrontierEvent.Seen e -> remember(e);
            case FrontierEvent.Seed e -> seedsOf(e.job()).add(e.url());
            case FrontierEvent.QueueState e -> restore(e);
            case FrontierEvent.Restored e -> restore(e);
            case FrontierEvent.Buried e -> bury(QueuedUrl.from(e.url()), e.cause());
            case FrontierEvent.Held e -> hold(QueuedUrl.from(e.url()), e.token(), e.deadline());
            case FrontierEvent.HostState e -> restore(e);
            case FrontierEvent.Counters e -> tally(e.job()).restore(e);
            case FrontierEvent.End e -> restore(e);
        }
    }

    private void accept(FrontierEvent.Accepted event) {
        store.seen(event.job()).add(event.url().key());
        if (event.hop().seed()) {
            seedsOf(event.job()).add(event.url());
        }
        tally(event.job()).accepted++;
        happened(event.foundAt());
        var url = new QueuedUrl(event);
        queueOf(url).accepted++;
        enqueue(url);
    }

    private void enqueue(QueuedUrl url) {
        var queue = queueOf(url);
        queue.add(url);
        waits(queue, 1);
    }

    /** So many more URLs wait in a queue; where it is excluded, they are withdrawn instead. */
    private void waits(UrlQueue queue, int count) {
        var tally = tally(queue.job);
        if (queue.excluded) {
            tally.withdrawn += count;
            tally.refuse(Refusal.EXCLUDED, count);
        } else {
            tally.queued += count;
        }
    }

    private void exclude(FrontierEvent.Excluded event) {
        var queue = queue(host(event.host()), event.job());
        if (queue.excluded != event.out()) {
            waits(queue, -queue.stored());
            queue.excluded = event.out();
            waits(queue, queue.stored());
        }
    }

    private void lease(FrontierEvent.Leased event) {
        var queue = queue(host(event.host()), event.job());
        var url = handOut(queue, event.token(), event.at(), event.deadline());
        if (url.check() != event.check()) {
            throw new IllegalStateException("not next: " + url.url() + " for " + event);
        }
    }

    /**
     * Hands out the next URL of a queue. This is what a {@link FrontierEvent.Leased} stands for;
     * which URL it is, is known only when it is done.
     */
    QueuedUrl handOut(UrlQueue queue, long token, long at, long deadline) {
        var url = queue.take(at);
        tally(queue.job).queued--;
        lastToken = token;
        happened(at);
        hold(url, token, deadline);
        return url;
    }

    private void hold(QueuedUrl url, long token, long deadline) {
        var host = host(url.url().host());
        host.leased++;
        tallyOf(url).leased++;
        leases.put(token, new Holding(url, host, deadline));
    }

    private Holding take(long token) {
        var held = leases.remove(token);
        if (held == null) {
            throw new IllegalStateException("no such lease: " + token);
        }
        tallyOf(held.url).leased--;
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
            enqueue(held.url);
            touch(held, event.touch());
        }
    }

    private void giveBack(Holding held, Touch touch) {
        putFirst(held.url);
        touch(held, touch);
    }

    private void putFirst(QueuedUrl url) {
        var queue = queueOf(url);
        queue.addFirst(url);
        waits(queue, 1);
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
        var tally = tallyOf(held.url);
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
        tallyOf(held.url).withdrawn++;
        tallyOf(held.url).refuse(event.why(), 1);
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
        store.bury(url.restored(), cause);
        tallyOf(url).bury(cause);
    }

    private void revive(FrontierEvent.Revived event) {
        var url = QueuedUrl.from(event.url()).revived();
        store.revive(event);
        tallyOf(url).exhume(event.cause());
        host(url.url().host()).trustAgain();
        happened(event.at());
        enqueue(url);
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
        if (host.touch(touch)) {
            for (var queue : host.queues()) {
                while (queue.total() > 0) {
                    tally(queue.job).queued--;
                    bury(queue.take(Long.MAX_VALUE), FailureCause.HOST_DOWN);
                }
            }
        }
    }

    /** Leases that are out may be asking their hosts just now, so the delay counts from here. */
    private void delete(FrontierEvent.JobDeleted event) {
        for (var token : List.copyOf(leases.keySet())) {
            if (holding(token).url.facts.job() == event.job()) {
                touch(take(token), Touch.at(event.at(), Health.UNKNOWN));
            }
        }
        for (var host : hosts.inOrder()) {
            var queue = host.queueOf(event.job());
            if (queue != null) {
                host.remove(queue);
                queues.set(queue.id, null);
                host.treatedBy(manners.to(host));
            }
        }
        manners.forget(event.job());
        tallies.remove(event.job());
        seeds.remove(event.job());
        deferred.remove(event.job());
        marks.keySet()
                .removeIf(name -> name.startsWith(SharedFrontier.folderOf(new JobId(event.job()))));
        store.deleteJob(event.job());
    }

    private void happened(long at) {
        latest = Math.max(latest, at);
    }

    private void setClockBack(long by) {
        latest -= by;
        hosts.inOrder().forEach(host -> host.setClockBack(by));
        leases.values().forEach(held -> held.deadline -= by);
    }

    private void defer(int job, int captures, long takenUpTo) {
        var before = deferred.getOrDefault(job, DeferredLinks.NONE);
        deferred.put(
                job,
                new DeferredLinks(
                        before.captures() + captures, Math.max(before.takenUpTo(), takenUpTo)));
    }

    private void absent(long by) {
        hosts.inOrder().forEach(host -> host.waitOn(latest, by));
        latest += by;
    }

    private void remember(FrontierEvent.Seen event) {
        event.keys().forEach(store.seen(event.job())::add);
    }

    private void restore(FrontierEvent.HostState event) {
        host(event.host()).restore(event);
    }

    private void restore(FrontierEvent.QueueState event) {
        var host = host(event.host());
        while (queues.size() <= event.id()) {
            queues.add(null);
        }
        var queue = new UrlQueue(event.id(), host, event.job(), stock);
        add(host, queue);
        queues.set(event.id(), queue);
        queue.accepted = event.accepted();
        for (var band = 0; band < UrlQueue.BANDS; band++) {
            queue.restoreShelf(band, event.waiting().get(band), event.taken().get(band));
        }
        queue.excluded = event.excluded();
        restored(queue, queue.size);
    }

    private void restore(FrontierEvent.Restored event) {
        var url = QueuedUrl.from(event);
        var queue = queueOf(url);
        if (url.notBefore > 0) {
            queue.add(url);
        } else {
            queue.addGivenBack(url);
        }
        restored(queue, 1);
    }

    /** What waits counts itself; what is withdrawn is among the counters. */
    private void restored(UrlQueue queue, int count) {
        if (!queue.excluded) {
            tally(queue.job).queued += count;
        }
    }

    private void restore(FrontierEvent.End event) {
        while (queues.size() <= event.lastQueue()) {
            queues.add(null);
        }
        lastToken = event.lastToken();
        latest = event.latest();
    }

    FrontierEvent.End end() {
        return new FrontierEvent.End(queues.size() - 1, lastToken, latest);
    }

    private void add(HostQueue host, UrlQueue queue) {
        host.add(queue);
        if (manners.differ()) {
            host.treatedBy(manners.to(host));
        }
    }

    private UrlQueue queueOf(QueuedUrl url) {
        return queue(host(url.url().host()), url.facts.job());
    }

    private UrlQueue queue(HostQueue host, int job) {
        var known = host.queueOf(job);
        if (known != null) {
            return known;
        }
        var spare = spareNumbers.pollLast();
        var queue = new UrlQueue(spare == null ? queues.size() : spare, host, job, stock);
        if (spare == null) {
            queues.add(queue);
        } else {
            queues.set(spare, queue);
        }
        add(host, queue);
        return queue;
    }

    private Tally tallyOf(QueuedUrl url) {
        return tally(url.facts.job());
    }

    private Tally tally(int job) {
        return tallies.computeIfAbsent(job, _ -> new Tally());
    }

    private HostQueue host(String name) {
        var host = hosts.find(name);
        if (host == null) {
            host = new HostQueue(name, manners.to(name));
            hosts.add(host);
        }
        return host;
    }

    private List<CrawlUrl> seedsOf(int job) {
        return seeds.computeIfAbsent(job, _ -> new ArrayList<>());
    }

    private Holding holding(long token) {
        return heldBy(token).orElseThrow(() -> new IllegalStateException("no lease " + token));
    }

    /** A host as it stands; one never met stands like a new one, and is not remembered for it. */
    HostQueue hostNamed(String name) {
        var host = hosts.find(name);
        return host == null ? new HostQueue(name, manners.to(name)) : host;
    }

    Optional<Holding> heldBy(long token) {
        return Optional.ofNullable(leases.get(token));
    }

    boolean hasSeen(int job, Fingerprint key) {
        return store.seen(job).contains(key);
    }

    /** How many URLs a job ever had on a host. */
    int acceptedOn(String host, int job) {
        var known = hosts.find(host);
        var queue = known == null ? null : known.queueOf(job);
        return queue == null ? 0 : queue.accepted;
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
        return hosts.size() == 0;
    }

    /** What was done since the last call will not be undone any more. */
    public void committed() {
        for (var job : tallies.keySet()) {
            store.seen(job).commit();
        }
        stock.packNursery();
    }

    Map<Integer, Tally> tallies() {
        return Collections.unmodifiableMap(tallies);
    }

    Ledger ledger() {
        return total().ledger();
    }

    /** Whether the sums of the ledger hold, as they always must. */
    public boolean balances() {
        return ledger().balances();
    }

    /** All jobs' counters together. */
    Tally total() {
        var total = new Tally();
        tallies.values().forEach(total::add);
        return total;
    }

    Store store() {
        return store;
    }

    /** How many bytes the URLs take that are not on the shelf yet. */
    public long nurseryBytes() {
        return stock.nursery.bytes();
    }

    /** Hands every URL in the nursery over to be put on the shelf, by queue, band and turn. */
    public void handOverNursery(Shelver out) throws IOException {
        stock.nursing.sort(Comparator.comparingInt(queue -> queue.id));
        for (var queue : stock.nursing) {
            // A queue of a deleted job has nobody left who could ask for its URLs.
            if (queues.get(queue.id) != null) {
                queue.handOver(out);
            }
        }
    }

    /** All that was handed over is on the shelf now, as the segment of this number. */
    public void shelved(long segment) {
        store.shelved(segment);
        stock.nursing.forEach(UrlQueue::putOnShelf);
        stock.nursing.clear();
        stock.nursery.clear();
    }

    /**
     * For each queue and band, how many of its URLs on the shelf were taken, or -1 where the queue
     * is gone: four bands a queue, in the order of numbers.
     */
    public int[] taken() {
        var counts = new int[queues.size() * UrlQueue.BANDS];
        for (var id = 0; id < queues.size(); id++) {
            var queue = queues.get(id);
            for (var band = 0; band < UrlQueue.BANDS; band++) {
                counts[id * UrlQueue.BANDS + band] = queue == null ? -1 : queue.taken(band);
            }
        }
        return counts;
    }

    /** The shelf has let go of so many of a queue's URLs, all taken before. */
    public void unshelved(int queue, int band, int count) {
        var there = queues.get(queue);
        if (there != null) {
            there.unshelved(band, count);
        }
    }

    /**
     * Writes the state as events that make it again when applied to an empty workbench, with the
     * same store; the nursery must be empty.
     */
    public void snapshot(Consumer<FrontierEvent> out) {
        new Snapshot(out).write(this);
    }

    /**
     * Takes a host out with all that is here of it. Leases on it end without a word: what comes
     * back of them is refused.
     *
     * @return the tokens that have ended
     */
    List<Long> remove(HostQueue host) {
        var ended = new ArrayList<Long>(0);
        for (var token : List.copyOf(leases.keySet())) {
            var held = holding(token);
            if (held.host == host) {
                ended.add(token);
                var _ = take(token);
            } else if (held.guestOf == host) {
                held.guestOf = null;
            }
        }
        for (var queue : host.queues()) {
            tally(queue.job).queued -= queue.total();
            queue.drop();
            queues.set(queue.id, null);
            spareNumbers.addLast(queue.id);
        }
        hosts.remove(host);
        return ended;
    }

    /** Writes everything there is to know, wherever it lies, for a test to compare. */
    void describe(Consumer<FrontierEvent> out) {
        new Snapshot(out).describe(this);
    }

    /** Takes URLs that are to be put on the shelf. */
    public interface Shelver {
        /** Puts one behind those of its queue and band that are there. */
        void shelve(int queue, int band, UrlSlip slip) throws IOException;
    }
}
