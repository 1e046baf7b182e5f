package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.frontier.FrontierEvent.Health;
import dev.orbweaver.internal.frontier.FrontierEvent.HostUpdate;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The frontier's state in memory: hosts with their queues, leases, seen sets, dead letters,
 * counters.
 *
 * <p>It changes only by {@link #apply}, which makes no decision and reads no clock. So the state
 * after a crash is the state before it: the journal has the events, and replaying them runs the
 * code that created the state. {@link #snapshot} writes the state as events too, so there is one
 * format and one reader.
 */
public final class Workbench {

    public static final int DELAYED_MAX = UrlQueue.DELAYED_MAX;

    /** Number of expired leases after which a URL becomes a dead letter. */
    private static final int LOST_MAX = 10;

    /**
     * Number of seeds that are kept in memory and returned as such. Of the others, which a seed
     * list has, only their hosts are known.
     */
    public static final int SEEDS_KEPT_MAX = 100_000;

    /** A leased URL, its deadline, and the other host that its visit requests, if any. */
    static final class LeasedUrl {
        final QueueEntry url;
        final HostQueue host;
        @Nullable HostQueue otherHost;
        long deadline;

        LeasedUrl(QueueEntry url, HostQueue host, long deadline) {
            this.url = url;
            this.host = host;
            this.deadline = deadline;
        }
    }

    final EffectivePoliteness effectivePoliteness;
    private final FrontierStore frontierStore;
    private final UrlQueue.QueueStorage queueStorage;
    private final SortedMap<Integer, JobCounters> counters = new TreeMap<>();
    final HostTable hosts = new HostTable();
    final Map<Long, LeasedUrl> leases = new LinkedHashMap<>();
    final SortedMap<Integer, List<CrawlUrl>> seeds = new TreeMap<>();
    final SortedMap<Integer, Map<String, SeedPosition>> seedPositions = new TreeMap<>();

    /** Accepted URLs by job and by condition with a limit. */
    final SortedMap<Integer, SortedMap<String, Long>> matching = new TreeMap<>();

    final Map<String, CommittedLength> committedLengths = new LinkedHashMap<>();
    final SortedMap<Integer, DeferredLinks> deferredLinks = new TreeMap<>();

    /** The jobs' shares of the turns; like their politeness they are neither logged nor stored. */
    private final Map<Integer, Integer> weights = new HashMap<>();

    private final Map<Integer, Integer> hostCounts = new HashMap<>();

    /** Jobs whose seen sets have changed since they were last committed. */
    private final Set<Integer> changedSeenSets = new HashSet<>();

    /** Queues by number; those of deleted jobs are null. */
    private final List<@Nullable UrlQueue> queues = new ArrayList<>();

    /** Numbers of queues that were removed with their hosts. */
    private final ArrayDeque<Integer> freeQueueIds = new ArrayDeque<>();

    /** Queued URLs of all jobs: every batch reads it, so it is not summed over the jobs. */
    private long queued;

    /** What {@link #prefetchSeen} has read: without a use the compiler may leave the reads out. */
    long prefetched;

    /** Gets job and last capture of known URLs whose visits end without a capture. */
    private BiConsumer<Integer, CaptureRef> abandonedVisits = (_, _) -> {};

    private long lastToken;
    private long latestTime;

    /** Creates a workbench with everything in memory. */
    public Workbench(Politeness politeness) {
        this(politeness, new MemoryStore());
    }

    public Workbench(Politeness politeness, FrontierStore frontierStore) {
        this.effectivePoliteness = new EffectivePoliteness(politeness);
        this.frontierStore = frontierStore;
        this.queueStorage = new UrlQueue.QueueStorage(frontierStore);
    }

    public void apply(FrontierEvent event) {
        switch (event) {
            case FrontierEvent.Accepted(var url) -> accept(url, 0);
            case FrontierEvent.AcceptedForLater(var url, var notBefore) -> accept(url, notBefore);
            case FrontierEvent.Visited e -> visited(e);
            case FrontierEvent.SeedsRead e ->
                    seedPositions
                            .computeIfAbsent(e.job(), _ -> new LinkedHashMap<>())
                            .put(e.position().list(), e.position());
            case FrontierEvent.MatchingAccepted e ->
                    matching.computeIfAbsent(e.job(), _ -> new TreeMap<>())
                            .merge(e.name(), e.count(), Long::sum);
            case FrontierEvent.Duplicates e -> counters(e.job()).duplicates += e.count();
            case FrontierEvent.LinksRefused e ->
                    counters(e.job()).addRefused(e.reason(), e.count());
            case FrontierEvent.Leased e -> lease(e);
            case FrontierEvent.Extended e -> requireLease(e.token()).deadline = e.deadline();
            case FrontierEvent.Released e -> release(removeLease(e.token()), e);
            case FrontierEvent.LeaseExpired e ->
                    expireLease(removeLease(e.token()), e.hostUpdate());
            case FrontierEvent.Done e -> finish(removeLease(e.token()), e);
            case FrontierEvent.RedirectedToEquivalent e ->
                    redirectToEquivalent(removeLease(e.token()), e);
            case FrontierEvent.OtherHostRequested e -> requestOtherHost(requireLease(e.token()), e);
            case FrontierEvent.Retried e -> retry(removeLease(e.token()), e);
            case FrontierEvent.DeadLettered e -> deadLetter(removeLease(e.token()), e);
            case FrontierEvent.Withdrawn e -> withdraw(removeLease(e.token()), e);
            case FrontierEvent.CrawlDelaySet e -> host(e.host()).crawlDelay(e.delay());
            case FrontierEvent.RequestedElsewhere e -> host(e.host()).requestedElsewhere(e.at());
            case FrontierEvent.ClockSetBack e -> setClockBack(e.by());
            case FrontierEvent.Downtime e -> addDowntime(e.by());
            case FrontierEvent.JobDeleted e -> delete(e);
            case FrontierEvent.Excluded e -> exclude(e);
            case FrontierEvent.LinksDeferred e -> defer(e.job(), 1, 0);
            case FrontierEvent.DeferredLinksOffered e -> defer(e.job(), -1, e.capture());
            case FrontierEvent.DeferredLinksState e ->
                    deferredLinks.put(
                            e.job(), new DeferredLinks(e.captures(), e.lastOfferedCapture()));
            case FrontierEvent.Requeued e -> requeue(e);
            case FrontierEvent.RevisitQueued e -> revisit(e);
            case FrontierEvent.BufferFlushed e -> bufferFlushed(e.segment());
            case FrontierEvent.LengthCommitted e ->
                    committedLengths.put(e.committed().name(), e.committed());
            case FrontierEvent.FileState e -> frontierStore.restoreFile(e);
            case FrontierEvent.Seen e -> addSeen(e);
            case FrontierEvent.Seed e -> addSeed(e.job(), e.url());
            case FrontierEvent.QueueState e -> restore(e);
            case FrontierEvent.QueuedUrlState(var url) -> restore(url);
            case FrontierEvent.DeadLetterState e ->
                    addDeadLetter(QueueEntry.from(e.url()), e.cause());
            case FrontierEvent.LeaseState e ->
                    addLease(QueueEntry.from(e.url()), e.token(), e.deadline());
            case FrontierEvent.HostState e -> restore(e);
            case FrontierEvent.CountersState e -> counters(e.job()).restore(e);
            case FrontierEvent.SnapshotEnd e -> restore(e);
        }
    }

    private void accept(AcceptedUrl event, long notBefore) {
        frontierStore.seen(event.job()).add(event.url().key());
        changedSeenSets.add(event.job());
        counters(event.job()).accepted++;
        advanceTime(event.foundAt());
        var url = new QueueEntry(event);
        url.notBefore = notBefore;
        var queue = queueOf(url);
        queue.accepted++;
        if (event.hop().isSeed()) {
            queue.seeded = true;
            addSeed(event.job(), event.url());
        }
        enqueue(url);
    }

    private void addSeed(int job, CrawlUrl url) {
        var known = seedsOf(job);
        if (known.size() < SEEDS_KEPT_MAX) {
            known.add(url);
        }
    }

    private void visited(FrontierEvent.Visited event) {
        var seen = frontierStore.seen(event.job());
        event.keys().forEach(seen::add);
        changedSeenSets.add(event.job());
        var jobCounters = counters(event.job());
        jobCounters.accepted += event.keys().size();
        jobCounters.done += event.keys().size();
    }

    /** Passes the hosts on which a job has a seed. */
    void forEachSeedHost(int job, Consumer<String> action) {
        for (var host : hosts.inOrder()) {
            var queue = host.queueOf(job);
            if (queue != null && queue.seeded) {
                action.accept(host.name);
            }
        }
    }

    private void enqueue(QueueEntry url) {
        var queue = queueOf(url);
        queue.add(url);
        addWaiting(queue, 1);
    }

    /** Counts the waiting URLs of a queue; if it is excluded, they count as withdrawn. */
    private void addWaiting(UrlQueue queue, int count) {
        var jobCounters = counters(queue.job);
        if (queue.isExcluded()) {
            jobCounters.withdrawn += count;
            jobCounters.addRefused(Refusal.EXCLUDED, count);
        } else {
            countQueued(queue.job, count);
        }
    }

    private void exclude(FrontierEvent.Excluded event) {
        var queue = queue(host(event.host()), event.job());
        if (queue.isExcluded() != event.excluded()) {
            addWaiting(queue, -queue.stored());
            queue.setExcluded(event.excluded());
            addWaiting(queue, queue.stored());
        }
    }

    private void lease(FrontierEvent.Leased event) {
        var queue = queue(host(event.host()), event.job());
        var url = leaseNext(queue, event.token(), event.at(), event.deadline());
        if (url.urlCheck() != event.urlCheck()) {
            throw new IllegalStateException(
                    "replay differs: next URL is " + url.url() + ", expected that of " + event);
        }
    }

    /**
     * Leases the next URL of a queue, like a {@link FrontierEvent.Leased}; which URL that is
     * becomes known only by taking it.
     */
    QueueEntry leaseNext(UrlQueue queue, long token, long at, long deadline) {
        var url = queue.take(at);
        countQueued(queue.job, -1);
        lastToken = token;
        advanceTime(at);
        addLease(url, token, deadline);
        return url;
    }

    private void addLease(QueueEntry url, long token, long deadline) {
        var host = host(url.url().host());
        host.leased++;
        countLease(host, url, 1);
        leases.put(token, new LeasedUrl(url, host, deadline));
    }

    private void countLease(HostQueue host, QueueEntry url, int count) {
        countersOf(url).leased += count;
        if (host.turn.jobs != null) {
            host.turn.jobs.countLease(url.accepted.job(), count);
        }
    }

    private LeasedUrl removeLease(long token) {
        var held = leases.remove(token);
        if (held == null) {
            throw new IllegalStateException("unknown lease " + token);
        }
        countLease(held.host, held.url, -1);
        held.host.leased--;
        if (held.otherHost != null) {
            held.otherHost.leased--;
        }
        return held;
    }

    private void release(LeasedUrl held, FrontierEvent.Released event) {
        if (event.notBefore() == 0) {
            requeueFirst(held, event.hostUpdate());
        } else {
            held.url.notBefore = event.notBefore();
            enqueue(held.url);
            updateHost(held, event.hostUpdate());
        }
    }

    private void requeueFirst(LeasedUrl held, HostUpdate hostUpdate) {
        putFirst(held.url);
        updateHost(held, hostUpdate);
    }

    private void putFirst(QueueEntry url) {
        var queue = queueOf(url);
        queue.addFirst(url);
        addWaiting(queue, 1);
    }

    private void expireLease(LeasedUrl held, HostUpdate hostUpdate) {
        held.url.expiredLeases++;
        if (held.url.expiredLeases >= LOST_MAX) {
            abandon(held.url, FailureCause.POISON);
            updateHost(held, hostUpdate);
        } else {
            requeueFirst(held, hostUpdate);
        }
    }

    private void finish(LeasedUrl held, FrontierEvent.Done event) {
        var jobCounters = countersOf(held.url);
        jobCounters.done++;
        jobCounters.bytes += event.bytes();
        if (event.page()) {
            jobCounters.pages++;
            held.host.pages++;
        }
        updateHost(held, event.hostUpdate());
    }

    private void retry(LeasedUrl held, FrontierEvent.Retried event) {
        held.url.attempts++;
        held.url.notBefore = event.notBefore();
        enqueue(held.url);
        updateHost(held, event.hostUpdate());
    }

    private void redirectToEquivalent(LeasedUrl held, FrontierEvent.RedirectedToEquivalent event) {
        putFirst(held.url.redirectedTo(event.url()));
        updateHost(held, event.hostUpdate());
    }

    private void deadLetter(LeasedUrl held, FrontierEvent.DeadLettered event) {
        addDeadLetter(held.url, event.cause());
        updateHost(held, event.hostUpdate());
    }

    private void withdraw(LeasedUrl held, FrontierEvent.Withdrawn event) {
        if (held.url.accepted.isRevisit()) {
            keepLastResult(held.url, false);
        } else {
            countersOf(held.url).withdrawn++;
            countersOf(held.url).addRefused(event.reason(), 1);
        }
        updateHost(held, event.hostUpdate());
    }

    /** Ends a visit without a response of a URL that has been visited before: it stays done. */
    private void keepLastResult(QueueEntry url, boolean hostDown) {
        var jobCounters = countersOf(url);
        jobCounters.done++;
        if (url.accepted.last() == LastResult.PAGE) {
            jobCounters.pages++;
        }
        frontierStore.addFailedVisit(url.toState(), hostDown);
    }

    private void requestOtherHost(LeasedUrl held, FrontierEvent.OtherHostRequested event) {
        if (held.otherHost != null) {
            held.otherHost.leased--;
            updateHost(held.otherHost, HostUpdate.at(event.at(), Health.UNKNOWN));
        }
        held.otherHost = host(event.host());
        held.otherHost.leased++;
    }

    void onAbandonedVisit(BiConsumer<Integer, CaptureRef> action) {
        abandonedVisits = action;
    }

    /** Gives a URL up of which there is no capture. */
    private void abandon(QueueEntry url, FailureCause cause) {
        addDeadLetter(url, cause);
        if (url.accepted.isRevisit()) {
            abandonedVisits.accept(url.accepted.job(), url.accepted.parent());
        }
    }

    private void addDeadLetter(QueueEntry url, FailureCause cause) {
        if (url.accepted.isRevisit()) {
            keepLastResult(url, cause == FailureCause.HOST_DOWN);
            return;
        }
        frontierStore.addDeadLetter(url.toState(), cause);
        countersOf(url).addDead(cause);
    }

    private void requeue(FrontierEvent.Requeued event) {
        var url = QueueEntry.from(event.url()).requeued();
        frontierStore.removeDeadLetter(event);
        countersOf(url).removeDead(event.cause());
        host(url.url().host()).resetFailures();
        advanceTime(event.at());
        enqueue(url);
    }

    private void revisit(FrontierEvent.RevisitQueued event) {
        var url = new QueueEntry(event.url());
        url.notBefore = event.notBefore();
        var jobCounters = countersOf(url);
        jobCounters.done--;
        if (event.url().last() == LastResult.PAGE) {
            jobCounters.pages--;
        }
        advanceTime(event.url().foundAt());
        enqueue(url);
    }

    /**
     * Updates the hosts of a visit. A visit shows the health of one host, but the delay applies to
     * both.
     */
    private void updateHost(LeasedUrl held, HostUpdate hostUpdate) {
        if (held.otherHost != null) {
            updateHost(held.otherHost, HostUpdate.at(hostUpdate.ended(), Health.UNKNOWN));
        }
        updateHost(held.host, hostUpdate);
    }

    private void updateHost(HostQueue host, HostUpdate hostUpdate) {
        advanceTime(hostUpdate.ended());
        if (host.update(hostUpdate)) {
            for (var queue : host.queues()) {
                while (queue.waiting() > 0) {
                    countQueued(queue.job, -1);
                    abandon(queue.take(Long.MAX_VALUE), FailureCause.HOST_DOWN);
                }
            }
        }
    }

    /**
     * Deletes a job. Its outstanding leases may have just sent a request, so the delay counts from
     * now.
     */
    private void delete(FrontierEvent.JobDeleted event) {
        for (var token : List.copyOf(leases.keySet())) {
            if (requireLease(token).url.accepted.job() == event.job()) {
                updateHost(removeLease(token), HostUpdate.at(event.at(), Health.UNKNOWN));
            }
        }
        for (var host : hosts.inOrder()) {
            var queue = host.queueOf(event.job());
            if (queue != null) {
                queue.forgetWaiting();
                host.remove(queue);
                queues.set(queue.id, null);
                effectivePoliteness.apply(host);
            }
        }
        effectivePoliteness.removeJob(event.job());
        weights.remove(event.job());
        hostCounts.remove(event.job());
        changedSeenSets.remove(event.job());
        var deleted = counters.remove(event.job());
        queued -= deleted == null ? 0 : deleted.queued;
        seeds.remove(event.job());
        seedPositions.remove(event.job());
        matching.remove(event.job());
        deferredLinks.remove(event.job());
        committedLengths
                .keySet()
                .removeIf(
                        name ->
                                name.startsWith(
                                        SharedFrontier.directoryOf(new JobId(event.job()))));
        frontierStore.deleteJob(event.job());
    }

    private void advanceTime(long at) {
        latestTime = Math.max(latestTime, at);
    }

    private void setClockBack(long by) {
        latestTime -= by;
        hosts.inOrder().forEach(host -> host.setClockBack(by));
        leases.values().forEach(held -> held.deadline -= by);
    }

    private void defer(int job, int captures, long takenUpTo) {
        var before = deferredLinks.getOrDefault(job, DeferredLinks.NONE);
        deferredLinks.put(
                job,
                new DeferredLinks(
                        before.captures() + captures,
                        Math.max(before.lastOfferedCapture(), takenUpTo)));
    }

    private void addDowntime(long by) {
        hosts.inOrder().forEach(host -> host.shiftDelay(latestTime, by));
        latestTime += by;
    }

    private void addSeen(FrontierEvent.Seen event) {
        event.keys().forEach(frontierStore.seen(event.job())::add);
        changedSeenSets.add(event.job());
    }

    private void restore(FrontierEvent.HostState event) {
        host(event.host()).restore(event);
    }

    private void restore(FrontierEvent.QueueState event) {
        var host = host(event.host());
        while (queues.size() <= event.id()) {
            queues.add(null);
        }
        var queue = new UrlQueue(event.id(), host, event.job(), queueStorage);
        add(host, queue);
        queues.set(event.id(), queue);
        queue.accepted = event.accepted();
        event.ranks()
                .forEach(
                        each ->
                                queue.restoreSegmentCounts(
                                        each.rank(), each.waiting(), each.taken()));
        queue.setExcluded(event.excluded());
        queue.seeded = event.seeded();
        countRestored(queue, queue.size);
    }

    private void restore(QueuedUrl event) {
        var url = QueueEntry.from(event);
        var queue = queueOf(url);
        if (url.notBefore > 0) {
            queue.add(url);
        } else {
            queue.addReleased(url);
        }
        countRestored(queue, 1);
    }

    /**
     * Counts restored URLs. Waiting ones are counted here; withdrawn ones are in the restored
     * counters.
     */
    private void countRestored(UrlQueue queue, int count) {
        if (!queue.isExcluded()) {
            countQueued(queue.job, count);
        }
    }

    private void restore(FrontierEvent.SnapshotEnd event) {
        while (queues.size() <= event.lastQueue()) {
            queues.add(null);
        }
        lastToken = event.lastToken();
        latestTime = event.latestTime();
    }

    FrontierEvent.SnapshotEnd snapshotEnd() {
        return new FrontierEvent.SnapshotEnd(queues.size() - 1, lastToken, latestTime);
    }

    private void add(HostQueue host, UrlQueue queue) {
        var first = host.firstQueue;
        host.add(queue);
        hostCounts.merge(queue.job, 1, Integer::sum);
        queue.setSuspended(!effectivePoliteness.isActive(queue.job));
        if (first != null && host.turn.jobs == null) {
            host.turn.jobs = new HostJobs(first);
            host.turn.jobs.add(first, weight(first.job), leased(host, first.job));
        }
        if (host.turn.jobs != null) {
            host.turn.jobs.add(queue, weight(queue.job), 0);
        }
        effectivePoliteness.apply(host);
    }

    private int leased(HostQueue host, int job) {
        return host.leased == 0
                ? 0
                : (int)
                        leases.values().stream()
                                .filter(held -> held.host == host)
                                .filter(held -> held.url.accepted.job() == job)
                                .count();
    }

    /** Returns on how many hosts a job has or had URLs. */
    int hostsOf(int job) {
        return hostCounts.getOrDefault(job, 0);
    }

    private int weight(int job) {
        return weights.getOrDefault(job, 1);
    }

    /** Sets a job's share of the turns. */
    void setWeight(int job, int weight) {
        weights.put(job, weight);
        for (var host : hosts.inOrder()) {
            if (host.turn.jobs != null) {
                host.turn.jobs.setWeight(job, weight);
            }
        }
    }

    private UrlQueue queueOf(QueueEntry url) {
        return queue(host(url.url().host()), url.accepted.job());
    }

    private UrlQueue queue(HostQueue host, int job) {
        var known = host.queueOf(job);
        if (known != null) {
            return known;
        }
        var spare = freeQueueIds.pollLast();
        var queue = new UrlQueue(spare == null ? queues.size() : spare, host, job, queueStorage);
        if (spare == null) {
            queues.add(queue);
        } else {
            queues.set(spare, queue);
        }
        add(host, queue);
        return queue;
    }

    private void countQueued(int job, int count) {
        counters(job).queued += count;
        queued += count;
    }

    private JobCounters countersOf(QueueEntry url) {
        return counters(url.accepted.job());
    }

    private JobCounters counters(int job) {
        return counters.computeIfAbsent(job, _ -> new JobCounters());
    }

    private HostQueue host(String name) {
        var host = hosts.find(name);
        if (host == null) {
            host = new HostQueue(name, effectivePoliteness.forHost(name));
            hosts.add(host);
        }
        return host;
    }

    private List<CrawlUrl> seedsOf(int job) {
        return seeds.computeIfAbsent(job, _ -> new ArrayList<>());
    }

    private LeasedUrl requireLease(long token) {
        return findLease(token)
                .orElseThrow(() -> new IllegalStateException("unknown lease " + token));
    }

    /** Returns a host's state; for an unknown host, that of a new one, which is not stored. */
    HostQueue hostOrNew(String name) {
        var host = hosts.find(name);
        return host == null ? new HostQueue(name, effectivePoliteness.forHost(name)) : host;
    }

    Optional<LeasedUrl> findLease(long token) {
        return Optional.ofNullable(leases.get(token));
    }

    /** Reads what the look-ups of many candidates need into the processor's cache. */
    void prefetchSeen(int job, List<Candidate> candidates) {
        var seen = frontierStore.seen(job);
        var read = 0L;
        for (var candidate : candidates) {
            read += seen.peek(candidate.url().key());
        }
        prefetched = read;
    }

    boolean hasSeen(int job, Fingerprint key) {
        return frontierStore.seen(job).contains(key);
    }

    int acceptedOn(String host, int job) {
        var known = hosts.find(host);
        var queue = known == null ? null : known.queueOf(job);
        return queue == null ? 0 : queue.accepted;
    }

    /** Returns how many URLs that match a condition with a limit a job has accepted. */
    long acceptedMatching(int job, String name) {
        return matching.getOrDefault(job, Collections.emptySortedMap()).getOrDefault(name, 0L);
    }

    /** Returns the jobs that have URLs or requests on a host. */
    Set<JobId> jobsOn(String name) {
        var jobs = new HashSet<JobId>();
        var host = hosts.find(name);
        if (host != null) {
            for (var queue : host.queues()) {
                if (queue.waiting() > 0 || leased(host, queue.job) > 0) {
                    jobs.add(new JobId(queue.job));
                }
            }
        }
        return jobs;
    }

    long nextToken() {
        return lastToken + 1;
    }

    /** Returns the latest time in any event. */
    long latestTime() {
        return latestTime;
    }

    public boolean isEmpty() {
        return hosts.size() == 0;
    }

    /** Commits the seen sets: changes since the last call will not be undone any more. */
    public void commitSeen() {
        for (var job : changedSeenSets) {
            frontierStore.seen(job).commit();
        }
        changedSeenSets.clear();
        queueStorage.compactBuffer();
    }

    Map<Integer, JobCounters> counters() {
        return Collections.unmodifiableMap(counters);
    }

    JobCounters countersOrZero(int job) {
        return counters().getOrDefault(job, new JobCounters());
    }

    Ledger ledger() {
        return totalCounters().ledger();
    }

    /** Returns the number of queued URLs of all jobs. */
    long queued() {
        return queued;
    }

    /** Returns whether the sums of the ledger hold, as they always must. */
    public boolean balances() {
        var ledger = ledger();
        return ledger.balances() && ledger.queued() == queued;
    }

    JobCounters totalCounters() {
        var total = new JobCounters();
        counters.values().forEach(total::add);
        return total;
    }

    FrontierStore store() {
        return frontierStore;
    }

    /** Returns the bytes of the URLs that are not in segments yet. */
    public long bufferBytes() {
        return queueStorage.urlBuffer.bytes();
    }

    /** Passes every URL in the buffer, to be flushed to a segment, by queue, rank and turn. */
    public void flushBuffer(FlushTarget out) throws IOException {
        queueStorage.bufferedQueues.sort(Comparator.comparingInt(queue -> queue.id));
        for (var queue : queueStorage.bufferedQueues) {
            // The URLs of a deleted job's queue are not needed any more.
            if (queues.get(queue.id) != null) {
                queue.flushTo(out);
            }
        }
    }

    /** Records that all URLs that were passed are in the segment with this number now. */
    public void bufferFlushed(long segment) {
        frontierStore.addSegment(segment);
        queueStorage.bufferedQueues.forEach(UrlQueue::bufferFlushed);
        queueStorage.bufferedQueues.clear();
        queueStorage.urlBuffer.clear();
    }

    /** Passes the queues that were removed, and how many URLs of the others were taken. */
    public void forEachTaken(TakenListener out) {
        for (var id = 0; id < queues.size(); id++) {
            var queue = queues.get(id);
            if (queue == null) {
                out.onRemoved(id);
            } else {
                var number = id;
                queue.forEachRankInSegments((rank, _, taken) -> out.onTaken(number, rank, taken));
            }
        }
    }

    /** Receives what a merge of segments leaves out, in the order of queue and rank. */
    public interface TakenListener {
        void onRemoved(int queue);

        void onTaken(int queue, int rank, int count);
    }

    /**
     * Records that the segments no longer contain {@code count} of a queue's URLs, all of which had
     * been taken.
     */
    public void removeTaken(int queue, int rank, int count) {
        var there = queues.get(queue);
        if (there != null) {
            there.removeTaken(rank, count);
        }
    }

    /**
     * Writes the state as events that restore it when applied to an empty workbench with the same
     * store. The buffer must be empty.
     */
    public void snapshot(Consumer<FrontierEvent> out) {
        new Snapshot(out).write(this);
    }

    /**
     * Removes a host with its queues. Leases on it end: their settlements are rejected.
     *
     * @return the tokens that have ended
     */
    List<Long> remove(HostQueue host) {
        var ended = new ArrayList<Long>(0);
        for (var token : List.copyOf(leases.keySet())) {
            var held = requireLease(token);
            if (held.host == host) {
                ended.add(token);
                var _ = removeLease(token);
            } else if (held.otherHost == host) {
                held.otherHost = null;
            }
        }
        for (var queue : host.queues()) {
            countQueued(queue.job, -queue.waiting());
            queue.clear();
            hostCounts.merge(queue.job, -1, Integer::sum);
            queues.set(queue.id, null);
            freeQueueIds.addLast(queue.id);
        }
        hosts.remove(host);
        return ended;
    }

    /** Writes the whole state, including that of the store, for comparison in tests. */
    void describe(Consumer<FrontierEvent> out) {
        new Snapshot(out).describe(this);
    }

    /** Returns how many URLs wait in memory for the time that their seed list says. */
    long waitingSeeds() {
        return queueStorage.waitingSeeds;
    }

    /** Receives URLs that are to be flushed to a segment. */
    public interface FlushTarget {
        /** Appends a URL to its queue and rank. */
        void add(int queue, int rank, UrlRecordBuffer urlRecord) throws IOException;
    }
}
