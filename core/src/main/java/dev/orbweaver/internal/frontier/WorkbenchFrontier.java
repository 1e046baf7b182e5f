package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.frontier.FrontierEvent.Health;
import dev.orbweaver.internal.frontier.FrontierEvent.HostUpdate;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.internal.url.RegistrableDomain;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The contract over a {@link Workbench}: decides what happens, writes it to the log as events,
 * applies them.
 *
 * <p>Every public call is one group in the log, so after a crash it has happened wholly or not at
 * all. One lock makes it one writer; the lock is held over the log's write because the order of the
 * log must be the order of the calls. A call that throws before its commit has changed the
 * workbench but not the log: the {@link ChangeGuard} then drops its events and refuses every
 * further call.
 */
public final class WorkbenchFrontier implements Frontier {

    private static final Logger LOG = LoggerFactory.getLogger(WorkbenchFrontier.class);

    /** From how many on the ends of leases that have ended long ago are swept out. */
    private static final int DEADLINES_SWEPT_AT = 10_000;

    /** When to try again at a host that is busy: nobody knows when it will not be. */
    private static final long BUSY_RETRY_MILLIS = 100;

    /** How many dead letters are taken back in one group. */
    private static final int REQUEUE_BATCH = 50_000;

    /**
     * Callers read the clock before they are let in, so a time may be a little older than the last
     * one; more than this, and the clock was set back.
     */
    private static final long CLOCK_STEP_MILLIS = 60_000;

    /** A delay longer than a century is as good as one, and leaves room to reckon. */
    private static final Duration DELAY_MAX = Duration.ofDays(36_500);

    private final Politeness politeness;
    private final Workbench bench;
    private final EventLog log;
    private final ChangeGuard guard;
    private final HostSchedule schedule = new HostSchedule();
    private final LeaseDeadlines leaseDeadlines = new LeaseDeadlines();
    private final Gates gates;
    private final Map<Integer, IntakeQuota> intakeQuotas = new HashMap<>();
    private final Map<Integer, AdmissionHook> admissionHooks = new HashMap<>();
    private final Map<Integer, HostSet> excluded = new HashMap<>();

    /** Leases that are out but not on disk yet. */
    private final List<Lease> uncommittedLeases = new ArrayList<>();

    /**
     * Goes on with whatever the workbench holds; leases that were out when the last process died
     * are lost.
     */
    public WorkbenchFrontier(Politeness politeness, Workbench bench, EventLog log, Instant now) {
        this.politeness = politeness;
        this.bench = bench;
        this.log = log;
        this.guard = new ChangeGuard(log::abort);
        var resumed = !bench.isEmpty();
        this.gates = new Gates(resumed ? now.toEpochMilli() : 0);
        reopen(now.toEpochMilli());
    }

    /** A frontier that dies with its process, for tests. */
    public static Frontier inMemory(Politeness politeness, Instant now) {
        return new WorkbenchFrontier(politeness, new Workbench(politeness), EventLog.NONE, now);
    }

    /**
     * The figures of a workbench that somebody else is working on: its leases are out, not lost.
     */
    public static FrontierStats stats(Workbench bench, Instant now) {
        var schedule = new HostSchedule();
        bench.hosts.inOrder().forEach(host -> schedule.reschedule(host, now.toEpochMilli()));
        return stats(bench, schedule);
    }

    /** The same of one job; hosts, which jobs share, are those of all. */
    public static FrontierStats stats(Workbench bench, JobId job, Instant now) {
        return new FrontierStats(
                bench.counters().getOrDefault(job.number(), new JobCounters()).ledger(),
                stats(bench, now).hosts(),
                bench.counters().getOrDefault(job.number(), new JobCounters()).deadByCause(),
                bench.counters().getOrDefault(job.number(), new JobCounters()).refusedByReason());
    }

    private static FrontierStats stats(Workbench bench, HostSchedule schedule) {
        return stats(bench.totalCounters(), schedule);
    }

    private static FrontierStats stats(JobCounters jobCounters, HostSchedule schedule) {
        return new FrontierStats(
                jobCounters.ledger(),
                schedule.hosts(),
                jobCounters.deadByCause(),
                jobCounters.refusedByReason());
    }

    private void reopen(long now) {
        var gap = now - bench.latestTime();
        if (gap < 0) {
            record(new FrontierEvent.ClockSetBack(-gap));
        } else if (gap > CLOCK_STEP_MILLIS && !bench.isEmpty()) {
            record(new FrontierEvent.Downtime(gap));
        }
        // Each goes to the front of its queue, so the first to be given back is the last taken.
        for (var token : List.copyOf(bench.leases.keySet()).reversed()) {
            // A process dies with everything it holds: no URL is to blame, so none is called lost.
            record(new FrontierEvent.Released(token, 0, HostUpdate.at(now, Health.UNKNOWN)));
        }
        commit();
        bench.hosts.inOrder().forEach(host -> schedule.reschedule(host, now));
    }

    /** What was recorded becomes a fact: first on disk, then for the seen sets. */
    private void commit() {
        log.commit();
        bench.commitSeen();
    }

    /** A caller's time. When the clock was set back, all that waits waits as long as before. */
    private long advanceClock(Instant now) {
        var time = now.toEpochMilli();
        if (time < bench.latestTime() - CLOCK_STEP_MILLIS) {
            var by = bench.latestTime() - time;
            record(new FrontierEvent.ClockSetBack(by));
            gates.setClockBack(by);
            bench.leases.forEach((token, held) -> leaseDeadlines.add(token, held.deadline));
            bench.hosts.inOrder().forEach(host -> schedule.reschedule(host, time));
        }
        return time;
    }

    @Override
    public FingerprintKey fingerprintKey() {
        return bench.store().fingerprintKey();
    }

    @Override
    public synchronized void offer(JobId job, List<Candidate> candidates, Instant now) {
        guard.run(
                () -> {
                    accept(job.number(), candidates, 0, advanceClock(now));
                    commit();
                });
    }

    private void accept(int job, List<Candidate> candidates, long parent, long now) {
        var intakeQuota = Optional.ofNullable(intakeQuotas.get(job));
        var admissionHook = admissionHooks.getOrDefault(job, AdmissionHook.NONE);
        var barred = excluded.getOrDefault(job, HostSet.NONE);
        var duplicates = 0;
        for (var candidate : candidates) {
            var url = candidate.url();
            if (bench.hasSeen(job, url.key())) {
                duplicates++;
                continue;
            }
            var refusal =
                    barred.contains(url.host())
                            ? Optional.of(Refusal.EXCLUDED)
                            : intakeQuota.flatMap(limited -> limited.refusal(url));
            if (refusal.isPresent()) {
                record(new FrontierEvent.LinksRefused(job, refusal.get(), 1));
            } else {
                intakeQuota.ifPresent(limited -> limited.countAccepted(url));
                var lowered = admissionHook.priorityPenalty(url, candidate.hop(), parent);
                record(accepted(job, candidate, parent, lowered, now));
                reschedule(url.host(), now);
            }
        }
        if (duplicates > 0) {
            record(new FrontierEvent.Duplicates(job, duplicates));
        }
    }

    private FrontierEvent accepted(
            int job, Candidate candidate, long parent, int lowered, long now) {
        var pages = bench.hostOrNew(candidate.url().host()).pages;
        return new FrontierEvent.Accepted(
                job,
                candidate.url(),
                candidate.hop(),
                candidate.depth(),
                candidate.hops(),
                parent,
                Priority.band(Math.max(0, Priority.score(candidate, pages) - lowered)),
                now);
    }

    @Override
    public synchronized List<Lease> lease(int max, Instant now) {
        return guard.change(
                () -> {
                    return lease(max, LeaseDemand.ofAll(), now);
                });
    }

    @Override
    public synchronized List<Lease> lease(int max, Map<JobId, Integer> wanted, Instant now) {
        return guard.change(
                () -> {
                    return lease(max, LeaseDemand.of(wanted), now);
                });
    }

    private List<Lease> lease(int max, LeaseDemand leaseDemand, Instant now) {
        if (!flushPending()) {
            return List.of();
        }
        var time = advanceClock(now);
        expireLeases(time);
        schedule.wakeDue(max, time);
        var leases = new ArrayList<Lease>();
        if (max > 0) {
            leases.addAll(uncommittedLeases);
            uncommittedLeases.clear();
        }
        while (leases.size() < max) {
            var queue = schedule.nextReady(leaseDemand);
            if (queue.isEmpty()) {
                break;
            }
            var host = queue.get().host;
            // It may have been asked to slow down since it joined the line.
            if (host.due() <= time && queue.get().workAvailableAt() <= time) {
                leases.add(leaseNext(queue.get(), time));
                leaseDemand.countLease(queue.get().job);
                schedule.countTurn(queue.get().job);
            }
            schedule.reschedule(host, time);
        }
        return tryCommit() ? leases : withhold(leases);
    }

    private boolean tryCommit() {
        try {
            commit();
            return true;
        } catch (FrontierBlockedException e) {
            LOG.warn("leases are not on disk yet: {}", e.getMessage());
            return false;
        }
    }

    /**
     * A request that goes out before its lease is on disk might be followed by another too soon,
     * from a process that knows nothing of it. So these leases wait until they are written.
     */
    private List<Lease> withhold(List<Lease> leases) {
        uncommittedLeases.addAll(leases);
        return List.of();
    }

    private Lease leaseNext(UrlQueue queue, long now) {
        var host = queue.host;
        if (host.hasBlockEnded(now)) {
            LOG.info("host {} is released, its block has ended", host.name);
        }
        var token = bench.nextToken();
        var deadline = now + politeness.leaseTime().toMillis();
        var url = bench.leaseNext(queue, token, now, deadline);
        log.append(
                new FrontierEvent.Leased(
                        host.name, queue.job, url.urlCheck(), token, now, deadline));
        if (host.isStartToStart()) {
            host.heldUntil = Math.max(host.heldUntil, now + host.delay());
            bench.findLease(token).ifPresent(held -> held.reservedUntil = host.heldUntil);
        }
        leaseDeadlines.add(token, deadline);
        return url.lease(token, deadline);
    }

    private void expireLeases(long now) {
        if (leaseDeadlines.size() > DEADLINES_SWEPT_AT + 4 * bench.leases.size()) {
            leaseDeadlines.clear(); // Mostly of leases that ended long before their time.
            bench.leases.forEach((token, held) -> leaseDeadlines.add(token, held.deadline));
        }
        for (var token : leaseDeadlines.removeExpired(now)) {
            var held = bench.findLease(token);
            if (held.isPresent() && held.get().deadline >= now) {
                leaseDeadlines.add(token, held.get().deadline);
            } else if (held.isPresent()) {
                // The holder may have asked the host just now, so the delay counts from here.
                record(new FrontierEvent.LeaseExpired(token, HostUpdate.at(now, Health.UNKNOWN)));
                gates.leaseEnded(token, now);
                reschedule(held.get(), now);
            }
        }
    }

    @Override
    public synchronized Optional<Instant> passGates(
            Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        return guard.change(
                () -> {
                    if (!flushPending()) {
                        return Optional.of(now.plusMillis(BUSY_RETRY_MILLIS));
                    }
                    var time = advanceClock(now);
                    var held = bench.findLease(lease.token());
                    if (held.isEmpty()) {
                        // Somebody else may be asking that host by now; the caller finds out when
                        // it gives
                        // back.
                        return Optional.of(Instant.ofEpochMilli(time + BUSY_RETRY_MILLIS));
                    }
                    var host = bench.hostOrNew(url.host());
                    var guest = host != held.get().host;
                    var wanted = gatesOf(host, address);
                    var opensAt =
                            Math.max(
                                    gates.opensAt(wanted, time),
                                    guest
                                            ? otherHostAvailableAt(host, time)
                                            : ownHostAvailableAt(host, time));
                    if (opensAt > time) {
                        return Optional.of(Instant.ofEpochMilli(opensAt));
                    }
                    gates.take(lease.token(), wanted, time);
                    if (guest) {
                        var left = held.get().otherHost;
                        record(
                                new FrontierEvent.OtherHostRequested(
                                        lease.token(), host.name, time));
                        reschedule(held.get(), time);
                        if (left != null) {
                            schedule.reschedule(left, time);
                        }
                        if (!tryCommit()) {
                            return Optional.of(Instant.ofEpochMilli(time + BUSY_RETRY_MILLIS));
                        }
                    }
                    return Optional.empty();
                });
    }

    /**
     * When a host may be asked by the holder of another host's lease: when it would itself be given
     * out.
     */
    private static long otherHostAvailableAt(HostQueue host, long now) {
        return Math.max(host.isFull() ? now + BUSY_RETRY_MILLIS : 0, host.availableAt());
    }

    /**
     * A host may have asked for a delay when several of its leases were out already: then each
     * waits for its turn, as if it were leased only now.
     */
    private static long ownHostAvailableAt(HostQueue host, long now) {
        if (host.crawlDelay() == 0) {
            return 0;
        }
        return host.leased > 1 ? now + BUSY_RETRY_MILLIS : host.availableAt();
    }

    private List<Gates.Gate> gatesOf(HostQueue host, InetAddress address) {
        var shared = bench.effectivePoliteness.shared();
        var wanted = new ArrayList<Gates.Gate>(3);
        if (host.isStartToStart() && host.delay() > 0) {
            wanted.add(new Gates.Gate(new Gates.Host(host.name), host.delay()));
        }
        if (shared.ipDelay().isPositive()) {
            wanted.add(new Gates.Gate(Gates.key(address), shared.ipDelay().toMillis()));
        }
        if (shared.domainDelay().isPositive()) {
            wanted.add(
                    new Gates.Gate(
                            new Gates.Domain(RegistrableDomain.of(host.name)),
                            shared.domainDelay().toMillis()));
        }
        for (var group : shared.groups()) {
            if (group.matches(host.name, address)) {
                wanted.add(new Gates.Gate(group, group.delay().toMillis(), group.maxInFlight()));
            }
        }
        return wanted;
    }

    @Override
    public synchronized void sent(Lease lease, Instant now) {
        guard.check();
        gates.sent(lease.token(), SettlementEvents.ceilMillis(now));
    }

    @Override
    public synchronized boolean extend(Lease lease, Instant deadline) {
        return guard.change(
                () -> {
                    var held = bench.findLease(lease.token());
                    if (held.isPresent() && deadline.toEpochMilli() > held.get().deadline) {
                        record(new FrontierEvent.Extended(lease.token(), deadline.toEpochMilli()));
                        commit();
                    }
                    return held.isPresent();
                });
    }

    @Override
    public synchronized boolean release(Lease lease, ReleaseReason why, Instant now) {
        return guard.change(
                () -> {
                    var time = advanceClock(now);
                    var held = bench.findLease(lease.token());
                    if (held.isEmpty()) {
                        return false;
                    }
                    record(SettlementEvents.event(lease, why));
                    gates.leaseEnded(lease.token(), time);
                    if (why instanceof ReleaseReason.GateClosed(var until)) {
                        var host = held.get().host;
                        // Nothing was sent, so what the host was held for need not be waited for.
                        var others =
                                host.heldUntil == held.get().reservedUntil ? 0 : host.heldUntil;
                        host.heldUntil = Math.max(others, SettlementEvents.ceilMillis(until));
                    }
                    reschedule(held.get(), time);
                    commit();
                    return true;
                });
    }

    private void reschedule(Workbench.LeasedUrl held, long now) {
        schedule.reschedule(held.host, now);
        if (held.otherHost != null) {
            schedule.reschedule(held.otherHost, now);
        }
    }

    private void reschedule(String host, long now) {
        schedule.reschedule(bench.hostOrNew(host), now);
    }

    @Override
    public synchronized int settle(CommitBatch commitBatch, Instant now) {
        return guard.change(
                () -> {
                    var time = advanceClock(now);
                    var refused = 0;
                    for (var settlement : commitBatch.settlements()) {
                        var held = bench.findLease(settlement.lease().token());
                        if (held.isEmpty()) {
                            refused++;
                        } else {
                            settle(held.get(), settlement, time);
                        }
                    }
                    commitBatch
                            .committedLengths()
                            .forEach(mark -> record(new FrontierEvent.LengthCommitted(mark)));
                    commit();
                    return refused;
                });
    }

    private void settle(Workbench.LeasedUrl held, Settlement settlement, long now) {
        var job = settlement.lease().job().number();
        var blockedUntil = held.host.restUntil();
        record(SettlementEvents.event(settlement));
        if (held.host.restUntil() > blockedUntil) {
            logBlock(held.host);
        }
        gates.leaseEnded(settlement.lease().token(), now);
        recordRefused(job, settlement.refusedLinks());
        if (settlement.linksDeferred()) {
            record(new FrontierEvent.LinksDeferred(job, settlement.capture()));
        }
        accept(job, settlement.outlinks(), settlement.capture(), now);
        reschedule(held, now);
        if (settlement.outcome() instanceof Outcome.EquivalentRedirect(var url)) {
            reschedule(url.host(), now); // A normalisation may find two host names to be one.
        }
    }

    private static void logBlock(HostQueue host) {
        host.blockReason()
                .ifPresent(
                        why ->
                                LOG.info(
                                        "host {} is blocked until {}: {}",
                                        host.name,
                                        Instant.ofEpochMilli(host.restUntil()),
                                        why));
    }

    @Override
    public synchronized void setCrawlDelay(String host, Duration delay) {
        guard.run(
                () -> {
                    var millis = (delay.compareTo(DELAY_MAX) > 0 ? DELAY_MAX : delay).toMillis();
                    if (bench.hostOrNew(host).crawlDelay() != millis) {
                        record(new FrontierEvent.CrawlDelaySet(host, millis));
                        commit();
                    }
                });
    }

    @Override
    public synchronized void raiseCrawlDelay(String host, Duration delay) {
        guard.run(
                () -> {
                    if (delay.toMillis() > bench.hostOrNew(host).crawlDelay()) {
                        setCrawlDelay(host, delay);
                    }
                });
    }

    @Override
    public synchronized void setWeight(JobId job, int weight) {
        guard.run(
                () -> {
                    schedule.setWeight(job.number(), weight);
                });
    }

    @Override
    public synchronized void setPoliteness(JobId job, Politeness asked, Instant now) {
        guard.run(
                () -> {
                    var time = advanceClock(now);
                    bench.effectivePoliteness.setPoliteness(job.number(), asked);
                    for (var host : bench.hosts.inOrder()) {
                        if (host.queueOf(job.number()) != null) {
                            host.setPoliteness(bench.effectivePoliteness.forHost(host));
                            schedule.reschedule(host, time);
                        }
                    }
                });
    }

    @Override
    public synchronized void setIntakeLimits(JobId job, IntakeLimits limits) {
        guard.run(
                () -> {
                    if (limits.equals(IntakeLimits.NONE)) {
                        intakeQuotas.remove(job.number());
                    } else {
                        intakeQuotas.put(
                                job.number(), new IntakeQuota(bench, job.number(), limits));
                    }
                });
    }

    @Override
    public synchronized void exclude(JobId job, HostSet hosts, Instant now) {
        guard.run(
                () -> {
                    var time = advanceClock(now);
                    excluded.put(job.number(), hosts);
                    for (var host : bench.hosts.inOrder()) {
                        var queue = host.queueOf(job.number());
                        if (queue != null && queue.excluded != hosts.contains(host.name)) {
                            record(
                                    new FrontierEvent.Excluded(
                                            job.number(), host.name, !queue.excluded));
                            schedule.reschedule(host, time);
                        }
                    }
                    commit();
                });
    }

    @Override
    public synchronized void setAdmissionHook(JobId job, AdmissionHook admissionHook) {
        guard.run(
                () -> {
                    admissionHooks.put(job.number(), admissionHook);
                });
    }

    @Override
    public synchronized void deleteJob(JobId job, Instant now) {
        guard.run(
                () -> {
                    var time = advanceClock(now);
                    var ending =
                            bench.leases.entrySet().stream()
                                    .filter(
                                            held ->
                                                    held.getValue().url.accepted.job()
                                                            == job.number())
                                    .map(Map.Entry::getKey)
                                    .toList();
                    schedule.removeJob(job.number());
                    record(new FrontierEvent.JobDeleted(job.number(), time));
                    intakeQuotas.remove(job.number());
                    admissionHooks.remove(job.number());
                    ending.forEach(token -> gates.leaseEnded(token, time));
                    bench.hosts.inOrder().forEach(host -> schedule.reschedule(host, time));
                    commit();
                });
    }

    @Override
    public synchronized void offerDeferred(
            JobId job,
            long capture,
            List<Candidate> found,
            Map<Refusal, Integer> refused,
            Instant now) {
        guard.run(
                () -> {
                    var time = advanceClock(now);
                    recordRefused(job.number(), refused);
                    accept(job.number(), found, capture, time);
                    record(new FrontierEvent.DeferredLinksOffered(job.number(), capture));
                    commit();
                });
    }

    private void recordRefused(int job, Map<Refusal, Integer> refused) {
        refused.forEach((why, count) -> record(new FrontierEvent.LinksRefused(job, why, count)));
    }

    @Override
    public synchronized DeferredLinks deferredLinks(JobId job) {
        guard.check();
        return bench.deferredLinks.getOrDefault(job.number(), DeferredLinks.NONE);
    }

    @Override
    public synchronized long queuedBytes() {
        guard.check();
        return bench.ledger().queued() * bench.store().bytesPerUrl();
    }

    @Override
    public synchronized long requeueDeadLetters(
            JobId job, Predicate<DeadLetter> which, Instant now) {
        var time = guard.change(() -> advanceClock(now));
        var revived = 0L;
        // The caller's predicate runs outside of a change: if it throws, nothing is half done.
        for (var some = nextDeadLetters(job, which, time);
                !some.isEmpty();
                some = nextDeadLetters(job, which, time)) {
            requeue(some, time);
            revived += some.size();
        }
        return revived;
    }

    private void requeue(List<FrontierEvent.Requeued> some, long now) {
        guard.run(
                () -> {
                    for (var letter : some) {
                        record(letter);
                        reschedule(letter.url().url().url().host(), now);
                    }
                    commit();
                });
    }

    /** Some of the dead letters that are to be taken back: there may be more than memory holds. */
    private List<FrontierEvent.Requeued> nextDeadLetters(
            JobId job, Predicate<DeadLetter> which, long now) {
        var some = new ArrayList<FrontierEvent.Requeued>();
        bench.store()
                .forEachDeadLetter(
                        (url, cause) -> {
                            if (some.size() < REQUEUE_BATCH
                                    && url.url().job() == job.number()
                                    && which.test(DeadLetter.of(url, cause))) {
                                some.add(new FrontierEvent.Requeued(url, cause, now));
                            }
                        });
        return some;
    }

    /** Takes a host in on loan, or more URLs of one that is here already. */
    public synchronized void addClaimedHost(HostClaim hostClaim, Instant now) {
        guard.run(
                () -> {
                    var time = advanceClock(now);
                    var name = hostClaim.host().host();
                    if (bench.hosts.find(name) == null) {
                        bench.apply(hostClaim.host());
                        bench.hostOrNew(name).heldUntil = hostClaim.delayedUntil();
                    }
                    hostClaim.urls().forEach(bench::apply);
                    reschedule(name, time);
                });
    }

    /** What holds for addresses, domains and groups, as the strictest job asks. */
    public synchronized Politeness sharedPoliteness() {
        guard.check();
        return bench.effectivePoliteness.shared();
    }

    /** How a host that is here on loan stands; its URLs are not told. */
    public synchronized Optional<HostClaim.ClaimState> claimState(String name) {
        guard.check();
        return Optional.ofNullable(bench.hosts.find(name)).map(HostClaim.ClaimState::of);
    }

    /** Lets a host on loan go, with everything that is here of it; its leases end. */
    public synchronized void releaseHost(String name, Instant now) {
        guard.run(
                () -> {
                    var host = bench.hosts.find(name);
                    if (host != null) {
                        schedule.remove(host);
                        bench.remove(host)
                                .forEach(token -> gates.leaseEnded(token, now.toEpochMilli()));
                    }
                });
    }

    @Override
    public synchronized boolean flushPending() {
        return guard.change(
                () -> {
                    try {
                        commit();
                        return true;
                    } catch (FrontierBlockedException e) {
                        return false;
                    }
                });
    }

    @Override
    public synchronized NextWork nextWork(Instant now) {
        return guard.change(
                () -> {
                    var time = flushPending() ? advanceClock(now) : now.toEpochMilli();
                    schedule.wakeDue(0, time);
                    var next = schedule.nextWaiting();
                    return new NextWork(
                            schedule.hasReady(time),
                            bench.leases.size(),
                            schedule.delayedHosts(),
                            next.map(host -> Instant.ofEpochMilli(host.dueAt)),
                            next.map(host -> host.name).orElse(""),
                            next.flatMap(HostQueue::restReason).orElse(""));
                });
    }

    @Override
    public synchronized boolean isExhausted(JobId job) {
        guard.check();
        var ledger = ledger(job);
        return ledger.queued() == 0 && ledger.leased() == 0;
    }

    @Override
    public synchronized UrlState explain(JobId job, CrawlUrl url) {
        guard.check();
        if (!bench.hasSeen(job.number(), url.key())) {
            return new UrlState.NeverAccepted();
        }
        return new UrlSearch(bench, job.number(), url).find();
    }

    @Override
    public synchronized List<CrawlUrl> seeds(JobId job) {
        guard.check();
        return List.copyOf(bench.seeds.getOrDefault(job.number(), List.of()));
    }

    @Override
    public synchronized List<CommittedLength> committedLengths() {
        guard.check();
        return committedLengths(bench);
    }

    /** The marks of a workbench that somebody else is working on. */
    public static List<CommittedLength> committedLengths(Workbench bench) {
        return List.copyOf(bench.committedLengths.values());
    }

    @Override
    public synchronized Ledger ledger() {
        guard.check();
        return bench.ledger();
    }

    @Override
    public synchronized Ledger ledger(JobId job) {
        guard.check();
        return tally(job).ledger();
    }

    private JobCounters tally(JobId job) {
        return bench.counters().getOrDefault(job.number(), new JobCounters());
    }

    @Override
    public synchronized FrontierStats stats() {
        guard.check();
        return stats(bench, schedule);
    }

    @Override
    public synchronized FrontierStats stats(JobId job) {
        guard.check();
        return stats(tally(job), schedule);
    }

    @Override
    public synchronized JobHosts hosts(JobId job, int max, Instant now) {
        return guard.change(
                () -> {
                    if (flushPending()) {
                        schedule.wakeDue(0, advanceClock(now));
                    }
                    return JobHosts.of(bench, job.number(), max);
                });
    }

    @Override
    public synchronized void close() {
        log.close();
    }

    private void record(FrontierEvent event) {
        bench.apply(event); // First: an event that cannot be applied must never reach the log.
        log.append(event);
    }
}
