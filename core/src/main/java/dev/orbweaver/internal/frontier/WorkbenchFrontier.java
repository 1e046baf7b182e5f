package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.frontier.FrontierEvent.Health;
import dev.orbweaver.internal.frontier.FrontierEvent.HostUpdate;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A frontier over a {@link Workbench}: makes decisions, writes them to the log as events, applies
 * them.
 *
 * <p>Every public call is one group in the log, so after a crash all of it or nothing is stored.
 * One lock ensures a single writer; it is held during the log's write because the order of the log
 * must be the order of the calls. A call that throws before its commit has changed the workbench
 * but not the log: the {@link ChangeGuard} then discards its events and rejects every further call.
 */
public final class WorkbenchFrontier implements FrontierAdmin {

    private static final Logger LOG = LoggerFactory.getLogger(WorkbenchFrontier.class);

    /** Number of deadlines above which those of ended leases are removed. */
    private static final int DEADLINES_SWEPT_AT = 10_000;

    /** Milliseconds until the retry of a busy host, because the end of its visit is unknown. */
    private static final long BUSY_RETRY_MILLIS = 100;

    /** Maximum number of dead letters requeued in one group. */
    private static final int REQUEUE_BATCH = 50_000;

    /**
     * Tolerance for time that runs backwards. Callers read the clock before they get the lock, so a
     * time may be a little older than the last one; if by more than this, the clock was set back.
     */
    private static final long CLOCK_STEP_MILLIS = 60_000;

    private static final Duration DELAY_MAX = Duration.ofDays(36_500);

    private final Politeness politeness;
    private final Workbench bench;
    private final EventLog log;
    private final ChangeGuard guard;
    private final HostSchedule schedule;
    private final LeaseDeadlines leaseDeadlines = new LeaseDeadlines();
    private final Gates gates;
    private final Admission admission;

    /** Jobs with an open crawl. */
    private final Set<Integer> attachedJobs = new HashSet<>();

    /** Leases that are not on disk yet. */
    private final List<Lease> uncommittedLeases = new ArrayList<>();

    /** Continues with the state of the workbench and returns the leases of the previous process. */
    public WorkbenchFrontier(Politeness politeness, Workbench bench, EventLog log, Instant now) {
        this.politeness = politeness;
        this.bench = bench;
        this.log = log;
        this.guard = new ChangeGuard(log::abort);
        this.schedule = new HostSchedule(bench.effectivePoliteness);
        this.admission = new Admission(bench, this::record, this::reschedule);
        bench.onAbandonedVisit(admission::abandoned);
        var resumed = !bench.isEmpty();
        this.gates = new Gates(resumed ? now.toEpochMilli() : 0);
        reopen(now.toEpochMilli());
    }

    /** Creates a frontier without storage, for tests. */
    public static WorkbenchFrontier inMemory(Politeness politeness, Instant now) {
        return new WorkbenchFrontier(politeness, new Workbench(politeness), EventLog.NONE, now);
    }

    private void reopen(long now) {
        var gap = now - bench.latestTime();
        if (gap < 0) {
            record(new FrontierEvent.ClockSetBack(-gap));
        } else if (gap > CLOCK_STEP_MILLIS && !bench.isEmpty()) {
            record(new FrontierEvent.Downtime(gap));
        }
        // Each lease is returned to the front of its queue, so the last one taken is returned
        // first.
        for (var token : List.copyOf(bench.leases.keySet()).reversed()) {
            // The process died with all its leases. No URL is the cause, so none of these leases
            // counts as lost.
            record(new FrontierEvent.Released(token, 0, HostUpdate.at(now, Health.UNKNOWN)));
        }
        var _ = commit(); // The first call that changes something reports a failure.
        bench.hosts.inOrder().forEach(host -> schedule.reschedule(host, now));
    }

    /** Commits the recorded events: first in the log, then in the seen sets. */
    private CommitStatus commit() {
        var status = log.commit();
        if (status.isStored()) {
            bench.commitSeen();
        }
        return status;
    }

    /** Converts a caller's time. If the clock was set back, every wait keeps its length. */
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
    public CrawlFrontier job(JobId job) {
        return new WorkbenchJob(this, job);
    }

    FingerprintKey fingerprintKey() {
        return bench.store().fingerprintKey();
    }

    synchronized CommitStatus offer(JobId job, List<Candidate> candidates, Instant now) {
        return guard.change(
                () -> {
                    admission.accept(job.number(), candidates, 0, true, advanceClock(now));
                    return commit();
                });
    }

    synchronized CommitStatus offerSeeds(JobId job, SeedBatch batch, Instant now) {
        return guard.change(
                () -> {
                    var number = job.number();
                    var time = advanceClock(now);
                    admission.acceptVisited(
                            number, batch.visited().stream().map(CrawlUrl::key).toList());
                    admission.accept(number, batch.candidates(), 0, true, time);
                    admission.acceptRevisits(number, batch.revisits(), time);
                    if (batch.malformed() > 0) {
                        recordRefused(number, Map.of(Refusal.MALFORMED, batch.malformed()));
                    }
                    record(new FrontierEvent.SeedsRead(number, batch.position()));
                    return commit();
                });
    }

    synchronized List<SeedPosition> seedPositions(JobId job) {
        guard.check();
        return List.copyOf(bench.seedPositions.getOrDefault(job.number(), Map.of()).values());
    }

    synchronized void forEachSeedHost(JobId job, Consumer<String> action) {
        guard.check();
        bench.forEachSeedHost(job.number(), action);
    }

    public synchronized List<Lease> lease(int max, Instant now) {
        return guard.change(() -> lease(max, LeaseDemand.ofAll(), now));
    }

    @Override
    public synchronized List<Lease> lease(int max, Map<JobId, Integer> wanted, Instant now) {
        return guard.change(() -> lease(max, LeaseDemand.of(wanted), now));
    }

    private List<Lease> lease(int max, LeaseDemand leaseDemand, Instant now) {
        if (!flush().isStored()) {
            return List.of();
        }
        var time = advanceClock(now);
        expireLeases(time);
        schedule.wakeDue(max, time);
        schedule.recall(leaseDemand, max);
        var leases = new ArrayList<Lease>();
        if (max > 0) {
            leases.addAll(uncommittedLeases);
            uncommittedLeases.clear();
        }
        while (leases.size() < max) {
            var queue = schedule.nextReady(leaseDemand, time);
            if (queue.isEmpty()) {
                break;
            }
            var host = queue.get().host;
            // The delay may have become longer since the host was queued.
            if (host.due() <= time && queue.get().workAvailableAt() <= time) {
                leases.add(leaseNext(queue.get(), time));
                leaseDemand.countLease(queue.get().job);
                schedule.countTurn(queue.get());
            }
            schedule.reschedule(host, time);
        }
        return tryCommit() ? leases : withhold(leases);
    }

    private boolean tryCommit() {
        if (commit() instanceof CommitStatus.Pending(var problem)) {
            LOG.warn(
                    "could not store leases, withholding them until the storage works: {}",
                    problem);
            return false;
        }
        return true;
    }

    /**
     * Withholds leases until they are written. If a request were sent before its lease is on disk,
     * another process that does not know of it could send the next request too soon.
     */
    private List<Lease> withhold(List<Lease> leases) {
        uncommittedLeases.addAll(leases);
        return List.of();
    }

    private Lease leaseNext(UrlQueue queue, long now) {
        var host = queue.host;
        if (host.hasBlockEnded(now)) {
            LOG.info("host {} is no longer blocked", host.name);
        }
        var token = bench.nextToken();
        var deadline = now + politeness.leaseTime().toMillis();
        var url = bench.leaseNext(queue, token, now, deadline);
        log.append(
                new FrontierEvent.Leased(
                        host.name, queue.job, url.urlCheck(), token, now, deadline));
        if (host.isStartToStart()) {
            host.turn.hold(now + host.delay());
            gates.reserve(token, host.turn.heldUntil);
        }
        leaseDeadlines.add(token, deadline);
        return url.lease(token, deadline);
    }

    private void expireLeases(long now) {
        if (leaseDeadlines.size() > DEADLINES_SWEPT_AT + 4 * bench.leases.size()) {
            leaseDeadlines.clear(); // Mostly of leases that ended before their deadlines.
            bench.leases.forEach((token, held) -> leaseDeadlines.add(token, held.deadline));
        }
        for (var token : leaseDeadlines.removeExpired(now)) {
            var held = bench.findLease(token);
            if (held.isPresent() && held.get().deadline >= now) {
                leaseDeadlines.add(token, held.get().deadline);
            } else if (held.isPresent()) {
                // The holder may have just sent a request, so the delay counts from now.
                record(new FrontierEvent.LeaseExpired(token, HostUpdate.at(now, Health.UNKNOWN)));
                gates.leaseEnded(token, now);
                reschedule(held.get(), now);
            }
        }
    }

    public synchronized Optional<Instant> passGates(
            Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        return guard.change(
                () -> {
                    if (!flush().isStored()) {
                        return Optional.of(now.plusMillis(BUSY_RETRY_MILLIS));
                    }
                    var time = advanceClock(now);
                    var held = bench.findLease(lease.token());
                    if (held.isEmpty()) {
                        // Another lease may request that host by now; the caller is notified at the
                        // release.
                        return Optional.of(Instant.ofEpochMilli(time + BUSY_RETRY_MILLIS));
                    }
                    var host = bench.hostOrNew(url.host());
                    var guest = host != held.get().host;
                    var wanted =
                            Gates.wanted(
                                    host,
                                    address,
                                    bench.effectivePoliteness.shared(),
                                    bench.effectivePoliteness.sharedGroups());
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
     * Returns when the holder of another host's lease may request a host: when it could be leased
     * itself.
     */
    private static long otherHostAvailableAt(HostQueue host, long now) {
        return Math.max(host.isFull() ? now + BUSY_RETRY_MILLIS : 0, host.availableAt());
    }

    /**
     * Returns when the holder of a lease may request the lease's own host. A robots.txt may have
     * set a delay when several leases of the host were outstanding: then each waits for its turn,
     * as if it were leased only now.
     */
    private static long ownHostAvailableAt(HostQueue host, long now) {
        if (host.crawlDelay() == 0) {
            return 0;
        }
        return host.leased > 1 ? now + BUSY_RETRY_MILLIS : host.availableAt();
    }

    /** Reports a sent request without waiting for the lock, because event loops call it. */
    public void sent(Lease lease, Instant now) {
        guard.check();
        gates.sent(lease.token(), SettlementEvents.ceilMillis(now));
    }

    public synchronized CommitStatus extend(Lease lease, Instant deadline) {
        return guard.change(
                () -> {
                    var held = bench.findLease(lease.token());
                    if (held.isEmpty()) {
                        return new CommitStatus.Rejected(1);
                    }
                    if (deadline.toEpochMilli() <= held.get().deadline) {
                        return CommitStatus.durable();
                    }
                    record(new FrontierEvent.Extended(lease.token(), deadline.toEpochMilli()));
                    return commit();
                });
    }

    public synchronized CommitStatus release(Lease lease, ReleaseReason why, Instant now) {
        return guard.change(
                () -> {
                    var time = advanceClock(now);
                    var held = bench.findLease(lease.token());
                    if (held.isEmpty()) {
                        return new CommitStatus.Rejected(1);
                    }
                    record(SettlementEvents.event(lease, why));
                    var reserved = gates.leaseEnded(lease.token(), time);
                    if (why instanceof ReleaseReason.GateClosed(var until)) {
                        var turn = held.get().host.turn;
                        // Nothing was sent, so the reservation of the host need not be waited for.
                        turn.heldUntil = turn.heldUntil == reserved ? 0 : turn.heldUntil;
                        turn.hold(SettlementEvents.ceilMillis(until));
                    }
                    reschedule(held.get(), time);
                    return commit();
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

    public synchronized CommitStatus settle(CommitBatch commitBatch, Instant now) {
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
                    var status = commit();
                    return status.isStored() ? CommitStatus.ofRejected(refused) : status;
                });
    }

    private void settle(Workbench.LeasedUrl held, Settlement settlement, long now) {
        var job = settlement.lease().job().number();
        var blockedUntil = held.host.restUntil();
        record(SettlementEvents.event(settlement, held.host));
        if (held.host.restUntil() > blockedUntil) {
            logBlock(held.host);
        }
        gates.leaseEnded(settlement.lease().token(), now);
        recordRefused(job, settlement.refusedLinks());
        if (settlement.linksDeferred()) {
            record(new FrontierEvent.LinksDeferred(job, settlement.capture()));
        }
        admission.accept(
                job,
                settlement.outlinks(),
                settlement.capture(),
                !held.url.accepted.isRevisit(),
                now);
        reschedule(held, now);
        if (settlement.outcome() instanceof Outcome.EquivalentRedirect(var url)) {
            reschedule(url.host(), now); // Normalisation may map two host names to one.
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

    /** Sets the minimum delay of a host, from its robots.txt. */
    public synchronized CommitStatus setCrawlDelay(String host, Duration delay) {
        return guard.change(
                () -> {
                    var millis = clamp(delay).toMillis();
                    if (bench.hostOrNew(host).crawlDelay() == millis) {
                        return CommitStatus.durable();
                    }
                    record(new FrontierEvent.CrawlDelaySet(host, millis));
                    return commit();
                });
    }

    /**
     * Records the last requests that another program made, so that the first requests to these
     * hosts keep their delay. Hosts without URLs are left out.
     */
    public synchronized CommitStatus requestedElsewhere(
            Map<String, Instant> lastRequests, Instant now) {
        return guard.change(
                () -> {
                    var time = advanceClock(now);
                    lastRequests.forEach(
                            (name, at) -> {
                                var host = bench.hosts.find(name);
                                if (host != null) {
                                    // A time in the future would block the host until then.
                                    var millis = Math.min(at.toEpochMilli(), time);
                                    record(new FrontierEvent.RequestedElsewhere(name, millis));
                                    schedule.reschedule(host, time);
                                }
                            });
                    return commit();
                });
    }

    /** Limits a delay so that calculations do not overflow; the limit is longer than any crawl. */
    public static Duration clamp(Duration delay) {
        return delay.compareTo(DELAY_MAX) > 0 ? DELAY_MAX : delay;
    }

    /**
     * Raises the minimum delay of a host. A crawl that read no delay or a shorter one, because it
     * has another user agent or another copy of robots.txt, does not lower it.
     */
    public synchronized CommitStatus raiseCrawlDelay(String host, Duration delay) {
        return guard.change(
                () ->
                        clamp(delay).toMillis() > bench.hostOrNew(host).crawlDelay()
                                ? setCrawlDelay(host, delay)
                                : CommitStatus.durable());
    }

    @Override
    public synchronized void setWeight(JobId job, int weight) {
        guard.run(
                () -> {
                    schedule.setWeight(job.number(), weight);
                    bench.setWeight(job.number(), weight);
                });
    }

    @Override
    public synchronized void setPoliteness(JobId job, Politeness politeness, Instant now) {
        guard.run(
                () -> {
                    var time = advanceClock(now);
                    bench.effectivePoliteness.setPoliteness(job.number(), politeness);
                    for (var host : bench.hosts.inOrder()) {
                        if (host.queueOf(job.number()) != null) {
                            bench.effectivePoliteness.apply(host);
                            schedule.reschedule(host, time);
                        }
                    }
                });
    }

    @Override
    public synchronized void setActive(Collection<JobId> jobs, boolean active) {
        guard.run(
                () -> {
                    var changed = new HashSet<Integer>();
                    for (var job : jobs) {
                        if (bench.effectivePoliteness.setActive(job.number(), active)) {
                            changed.add(job.number());
                        }
                    }
                    if (!changed.isEmpty()) {
                        bench.hosts.inOrder().forEach(host -> setActive(host, changed, active));
                    }
                });
    }

    private void setActive(HostQueue host, Set<Integer> jobs, boolean active) {
        var found = false;
        for (var queue = host.firstQueue; queue != null; queue = queue.sibling) {
            if (jobs.contains(queue.job)) {
                queue.setSuspended(!active);
                found = true;
            }
        }
        if (found) {
            bench.effectivePoliteness.apply(host);
            schedule.reschedule(host, bench.latestTime());
        }
    }

    @Override
    public synchronized void setIntakeLimits(JobId job, IntakeLimits limits) {
        guard.run(() -> admission.setLimits(job.number(), limits));
    }

    @Override
    public synchronized CommitStatus exclude(JobId job, HostSet hosts, Instant now) {
        return guard.change(
                () -> {
                    var time = advanceClock(now);
                    admission.exclude(job.number(), hosts);
                    for (var host : bench.hosts.inOrder()) {
                        var queue = host.queueOf(job.number());
                        if (queue != null && queue.isExcluded() != hosts.contains(host.name)) {
                            record(
                                    new FrontierEvent.Excluded(
                                            job.number(), host.name, !queue.isExcluded()));
                            schedule.reschedule(host, time);
                        }
                    }
                    return commit();
                });
    }

    synchronized void attach(JobId job, CrawlHooks hooks) {
        guard.run(
                () -> {
                    admission.setHook(job.number(), hooks.admission());
                    attachedJobs.add(job.number());
                });
    }

    @Override
    public synchronized CommitStatus deleteJob(JobId job, Instant now) {
        return guard.change(
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
                    admission.removeJob(job.number());
                    attachedJobs.remove(job.number());
                    ending.forEach(token -> gates.leaseEnded(token, time));
                    bench.hosts.inOrder().forEach(host -> schedule.reschedule(host, time));
                    return commit();
                });
    }

    synchronized CommitStatus offerDeferred(
            JobId job,
            long capture,
            List<Candidate> found,
            Map<Refusal, Integer> refused,
            Instant now) {
        return guard.change(
                () -> {
                    var time = advanceClock(now);
                    recordRefused(job.number(), refused);
                    admission.accept(job.number(), found, capture, true, time);
                    record(new FrontierEvent.DeferredLinksOffered(job.number(), capture));
                    return commit();
                });
    }

    private void recordRefused(int job, Map<Refusal, Integer> refused) {
        refused.forEach((why, count) -> record(new FrontierEvent.LinksRefused(job, why, count)));
    }

    synchronized DeferredLinks deferredLinks(JobId job) {
        guard.check();
        return bench.deferredLinks.getOrDefault(job.number(), DeferredLinks.NONE);
    }

    synchronized long queuedBytes() {
        guard.check();
        return bench.queued() * bench.store().bytesPerUrl();
    }

    /** Returns the queued URLs of all jobs. */
    synchronized long queued() {
        return bench.queued();
    }

    @Override
    public synchronized Requeued requeueDeadLetters(
            JobId job, Predicate<DeadLetter> which, Instant now) {
        var time = guard.change(() -> advanceClock(now));
        var requeued = 0L;
        var status = CommitStatus.durable();
        // The caller's predicate runs outside of a change: if it throws, no change is half applied.
        for (var some = nextDeadLetters(job, which, time);
                !some.isEmpty() && status.isStored();
                some = nextDeadLetters(job, which, time)) {
            status = requeue(some, time);
            requeued += some.size();
        }
        return new Requeued(requeued, status);
    }

    private CommitStatus requeue(List<FrontierEvent.Requeued> some, long now) {
        return guard.change(
                () -> {
                    for (var letter : some) {
                        record(letter);
                        reschedule(letter.url().url().url().host(), now);
                    }
                    return commit();
                });
    }

    /** Returns some of the dead letters to requeue: all of them may not fit into memory. */
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

    /** Adds a claimed host, or more URLs of one that is already here. */
    public synchronized void addClaimedHost(HostClaim hostClaim, Instant now) {
        guard.run(
                () -> {
                    var time = advanceClock(now);
                    var name = hostClaim.host().host();
                    if (bench.hosts.find(name) == null) {
                        bench.apply(hostClaim.host());
                        bench.hostOrNew(name).turn.hold(hostClaim.delayedUntil());
                    }
                    hostClaim
                            .urls()
                            .forEach(url -> bench.apply(new FrontierEvent.QueuedUrlState(url)));
                    reschedule(name, time);
                });
    }

    /** Returns the strictest settings of all jobs for addresses, domains and groups. */
    public synchronized Politeness sharedPoliteness() {
        guard.check();
        return bench.effectivePoliteness.shared();
    }

    /** Returns the state of a claimed host, without its URLs. */
    public synchronized Optional<HostClaim.ClaimState> claimState(String name) {
        guard.check();
        return Optional.ofNullable(bench.hosts.find(name)).map(HostClaim.ClaimState::of);
    }

    /** Removes a claimed host with all its URLs; its leases end. */
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

    synchronized boolean isActive(JobId job) {
        return bench.effectivePoliteness.isActive(job.number());
    }

    /** Returns whether another active job has URLs or an open crawl. */
    synchronized boolean hasOtherJobs(JobId job) {
        return Stream.concat(bench.counters().keySet().stream(), attachedJobs.stream())
                .filter(bench.effectivePoliteness::isActive)
                .anyMatch(other -> other != job.number());
    }

    /** Detaches a crawl: the frontier outlives it and must not keep it in memory. */
    synchronized void detach(JobId job) {
        attachedJobs.remove(job.number());
        if (!guard.hasFailed()) {
            admission.setHook(job.number(), AdmissionHook.NONE);
        }
    }

    public synchronized CommitStatus flush() {
        return guard.change(this::commit);
    }

    @Override
    public synchronized NextWork nextWork(Instant now) {
        return guard.change(
                () -> {
                    var time = flush().isStored() ? advanceClock(now) : now.toEpochMilli();
                    schedule.wakeDue(0, time);
                    var next = schedule.nextWaiting();
                    return new NextWork(
                            schedule.hasReady(time),
                            bench.leases.size(),
                            schedule.delayedHosts(),
                            next.map(host -> Instant.ofEpochMilli(host.turn.dueAt)),
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

    /** Returns whether a job has accepted a URL. */
    public synchronized boolean hasAccepted(JobId job, CrawlUrl url) {
        guard.check();
        return bench.hasSeen(job.number(), url.key());
    }

    /**
     * Returns the state of a URL that a job has never accepted; empty if it has. It searches no
     * queue, so crawls do not wait for it.
     */
    public synchronized Optional<UrlLookup> findNeverAccepted(JobId job, CrawlUrl url) {
        return hasAccepted(job, url)
                ? Optional.empty()
                : Optional.of(
                        new UrlLookup(
                                new UrlState.NeverAccepted(),
                                Optional.empty(),
                                seedsFrom(job, 0),
                                committedLengths(),
                                stats().refusedByReason(),
                                bench.jobsOn(url.host())));
    }

    synchronized List<CrawlUrl> seedsFrom(JobId job, int position) {
        guard.check();
        var all = bench.seeds.getOrDefault(job.number(), List.of());
        return List.copyOf(all.subList(Math.min(position, all.size()), all.size()));
    }

    @Override
    public synchronized List<CommittedLength> committedLengths() {
        guard.check();
        return committedLengths(bench);
    }

    /** Returns the committed lengths of a workbench that another process uses. */
    public static List<CommittedLength> committedLengths(Workbench bench) {
        return List.copyOf(bench.committedLengths.values());
    }

    @Override
    public synchronized Ledger ledger() {
        guard.check();
        return bench.ledger();
    }

    synchronized Ledger ledger(JobId job) {
        guard.check();
        return bench.countersOrZero(job.number()).ledger();
    }

    @Override
    public synchronized FrontierStats stats() {
        guard.check();
        return FrontierStats.of(bench.totalCounters(), schedule.hosts());
    }

    @Override
    public synchronized FrontierStats stats(JobId job) {
        guard.check();
        var alone = bench.counters().size() <= 1; // Then hosts without URLs are its own, too.
        return FrontierStats.of(
                bench.countersOrZero(job.number()),
                alone
                        ? schedule.hosts()
                        : schedule.hosts(job.number(), bench.hostsOf(job.number())));
    }

    @Override
    public synchronized long leased() {
        guard.check();
        return bench.leases.size();
    }

    @Override
    public synchronized HostPoliteness politeness(JobId job, String host) {
        guard.check();
        return bench.effectivePoliteness.of(job.number(), bench.hostOrNew(host));
    }

    @Override
    public synchronized List<ForeignSetting> foreignSettings(JobId job) {
        guard.check();
        return bench.effectivePoliteness.foreignEverywhere(job.number());
    }

    @Override
    public synchronized JobHosts hosts(JobId job, int max, Instant now) {
        return guard.change(
                () -> {
                    if (flush().isStored()) {
                        schedule.wakeDue(0, advanceClock(now));
                    }
                    return JobHosts.of(bench, job.number(), max);
                });
    }

    @Override
    public synchronized Optional<JobHosts.Host> host(JobId job, String name, Instant now) {
        return guard.change(
                () -> {
                    if (flush().isStored()) {
                        schedule.wakeDue(0, advanceClock(now));
                    }
                    return Optional.of(JobHosts.of(bench, job.number(), name));
                });
    }

    @Override
    public synchronized void close() {
        log.close();
    }

    private void record(FrontierEvent event) {
        bench.apply(event); // First: an invalid event must never reach the log.
        log.append(event);
    }
}
