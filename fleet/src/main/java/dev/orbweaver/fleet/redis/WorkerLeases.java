package dev.orbweaver.fleet.redis;

import dev.orbweaver.fleet.redis.ScriptConstants.CounterGroup;
import dev.orbweaver.internal.frontier.AdmissionHook;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.CrawlHooks;
import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.model.VisitNumber;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The leases of one worker: claims hosts, passes gates, sends the result of each lease to its
 * shard.
 */
final class WorkerLeases {

    private static final Logger LOG = LoggerFactory.getLogger(WorkerLeases.class);

    /** Milliseconds until a retry if the time is unknown. */
    private static final long RETRY_MILLIS = 100;

    private final WorkerState worker;
    private final FleetFigures figures;
    private final FleetGates gates;
    private final GateLeaseRenewer gateLeases;
    private final boolean staging;
    private final Map<Integer, Consumer<Lease>> abortListeners = new ConcurrentHashMap<>();

    WorkerLeases(
            WorkerState worker,
            FleetFigures figures,
            SeenCache seen,
            Optional<InstantSource> clock) {
        this.worker = worker;
        this.staging = clock.isPresent();
        this.figures = figures;
        this.gates =
                new FleetGates(
                        worker.connection,
                        worker.settings,
                        worker.claimedHosts.local::sharedPoliteness);
        this.gateLeases =
                new GateLeaseRenewer(
                        gates.gateLease,
                        clock.orElse(() -> Instant.ofEpochMilli(worker.latestTime)),
                        gates::renew,
                        lease ->
                                abortListeners
                                        .getOrDefault(lease.job().number(), _ -> {})
                                        .accept(lease));
        worker.shards.onServerRestart(
                () -> {
                    seen.clear(); // It may contain keys that the server has lost.
                    gates.onServerRestart();
                    worker.hostClaimer.onServerRestart();
                });
    }

    List<Lease> lease(int max, Optional<Map<JobId, Integer>> wanted, Instant now) {
        var time = worker.monotonic(now);
        if (!worker.flush().isStored() || !worker.runMaintenance(time).isStored()) {
            return List.of();
        }
        var leases = new ArrayList<Lease>();
        wanted.ifPresent(jobs -> jobs.keySet().removeAll(worker.inactiveJobs));
        try {
            if (wanted.isPresent()) {
                worker.quotas.restrict(
                        wanted.get(),
                        figures::pages,
                        worker.claimedHosts::leased,
                        worker.latestTime);
            }
            leases.addAll(leaseLocally(max, wanted, time));
            if (leases.size() < max) {
                worker.hostClaimer.refill(time, worker.latestTime);
                leases.addAll(leaseLocally(max - leases.size(), wanted, time));
            }
            // A host claimed for one job may have only URLs of another.
            var claimed = false;
            for (var got = 1; leases.size() < max && got > 0; ) {
                var jobs = wanted.map(WorkerLeases::wantedJobs);
                got =
                        jobs.isPresent() && jobs.get().isEmpty()
                                ? 0
                                : worker.hostClaimer.claim(
                                        max - leases.size(), jobs, worker.latestTime);
                claimed |= got > 0;
                leases.addAll(leaseLocally(max - leases.size(), wanted, time));
            }
            if (claimed) {
                worker.shards.agenda.send(); // So that other workers do not call these shards.
            }
            var _ = worker.sendUrgentChanges(time); // Leases that expired.
            return leases;
        } catch (FrontierUnavailableException e) {
            LOG.warn("could not lease more URLs: {}", e.getMessage());
            return leases; // These are leased already.
        } catch (IOException e) {
            LOG.warn("could not read the page quota or write the agenda: {}", e.getMessage());
            return leases;
        }
    }

    private static Set<Integer> wantedJobs(Map<JobId, Integer> wanted) {
        var jobs = new TreeSet<Integer>();
        wanted.forEach(
                (job, count) -> {
                    if (count > 0) {
                        jobs.add(job.number());
                    }
                });
        return jobs;
    }

    private List<Lease> leaseLocally(int max, Optional<Map<JobId, Integer>> wanted, Instant now) {
        var leases =
                wanted.isPresent()
                        ? worker.claimedHosts.local.lease(max, wanted.get(), now)
                        : worker.claimedHosts.local.lease(max, now);
        var own = new ArrayList<Lease>(leases.size());
        for (var lease : leases) {
            worker.claimedHosts.recordLease(lease);
            worker.quotas.countLease(lease.job().number());
            wanted.ifPresent(left -> left.merge(lease.job(), -1, Integer::sum));
            own.add(lease.with(own(lease.parent()), own(lease.lastVisit())));
        }
        return own;
    }

    /** Returns a reference to a capture as this worker's log has it. */
    private CaptureRef own(CaptureRef capture) {
        return capture.worker() == worker.number.current()
                ? CaptureRef.ofLine(capture.line())
                : capture;
    }

    private VisitNumber own(VisitNumber visit) {
        return visit.isFirst()
                ? visit
                : new VisitNumber(visit.number(), own(CaptureRef.unpack(visit.first())).packed());
    }

    Optional<Instant> passGates(Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        var time = worker.monotonic(now);
        if (!worker.flush().isStored() || !worker.claimedHosts.isOutstanding(lease)) {
            return Optional.of(time.plusMillis(RETRY_MILLIS));
        }
        if (worker.claimedHosts
                .find(lease.url().host())
                .filter(worker::mayHaveExpired)
                .isPresent()) {
            // This process may have been suspended: another worker may have claimed the host by
            // now.
            worker.claimedHosts.find(lease.url().host()).ifPresent(ClaimedHost::markChanged);
            return Optional.of(time.plusMillis(RETRY_MILLIS));
        }
        try {
            if (worker.claimedHosts.find(url.host()).isEmpty()) {
                var claim = worker.hostClaimer.claimHost(url.host(), false, worker.latestTime);
                if (claim.host().isEmpty()) {
                    return Optional.of(Instant.ofEpochMilli(claim.retryAt()));
                }
                var _ = worker.claimedHosts.addClaimed(claim.host().get(), worker.latestTime);
            }
            var again = gates.take(url.host(), address, worker.latestTime);
            var closed =
                    again.isPresent()
                            ? again.map(Instant::ofEpochMilli)
                            : worker.claimedHosts.local.passGates(lease, url, address, time);
            worker.claimedHosts
                    .find(url.host())
                    .filter(mine -> !mine.host.equals(lease.url().host()))
                    .filter(_ -> closed.isPresent())
                    .ifPresent(ClaimedHost::markChanged);
            if (!worker.sendUrgentChanges(time).isStored()) {
                return Optional.of(time.plusMillis(RETRY_MILLIS));
            }
            if (closed.isEmpty()) {
                trackGateLeases(lease, url, address);
            }
            return closed;
        } catch (IOException e) {
            LOG.warn("could not lease a gate: {}", e.getMessage());
            return Optional.of(time.plusMillis(RETRY_MILLIS));
        } catch (FrontierUnavailableException e) {
            LOG.warn("could not claim a host: {}", e.getMessage());
            return Optional.of(time.plusMillis(RETRY_MILLIS));
        }
    }

    private void trackGateLeases(Lease lease, CrawlUrl url, InetAddress address) {
        var held = gates.inFlightLimited(url.host(), address);
        if (held.isEmpty()) {
            gateLeases.requestEnded(lease.token()); // Of an earlier request.
        } else {
            gateLeases.requestStarted(lease, held, gates.leasedUntil(held));
        }
    }

    void attach(JobId job, CrawlHooks hooks) {
        abortListeners.put(job.number(), hooks.revoked());
        worker.hostClaimer.groupsRefills = staging && abortListeners.size() == 1;
        worker.quotas.setLimit(job.number(), hooks.maxPages());
        worker.offers.setAdmissionHook(job.number(), hooks.admission());
    }

    boolean isAttached(JobId job) {
        return abortListeners.containsKey(job.number());
    }

    /** Sets whether this worker leases URLs of jobs, and whether their settings count here. */
    void setActive(Collection<JobId> jobs, boolean active) {
        var _ = active ? worker.inactiveJobs.removeAll(jobs) : worker.inactiveJobs.addAll(jobs);
        worker.claimedHosts.local.setActive(jobs, active);
    }

    /** Detaches a crawl: the frontier outlives it and must not keep it in memory. */
    void detach(JobId job) {
        abortListeners.remove(job.number());
        worker.offers.setAdmissionHook(job.number(), AdmissionHook.NONE);
    }

    /**
     * Records that a request is being sent. Takes no lock that is held during calls of Redis,
     * because it is called on the path that sends requests.
     */
    void sent(Lease lease, Instant now) {
        worker.claimedHosts.local.sent(lease, now);
    }

    CommitStatus extend(Lease lease, Instant deadline) {
        return worker.claimedHosts.local.extend(lease, deadline);
    }

    CommitStatus release(Lease lease, ReleaseReason why, Instant now) {
        var time = worker.monotonic(now);
        gateLeases.requestEnded(lease.token());
        if (!worker.claimedHosts.isOutstanding(lease)) {
            return new CommitStatus.Rejected(1);
        }
        var released = worker.claimedHosts.local.release(lease, why, time);
        if (staging && !worker.shards.hasQueued() && why instanceof ReleaseReason.RobotsFetched) {
            worker.stage(1); // If it is lost, the URL is leased again with its host.
            if (worker.latestTime < worker.stagedUntil()) {
                return released;
            }
        }
        var sent = worker.sendChanges(time);
        var refused = worker.claimedHosts.takeRefused();
        if (!sent.isStored()) {
            return sent;
        }
        return refused == 0 ? released : new CommitStatus.Rejected(1);
    }

    /** Settles leases; returns when Redis has the result. */
    CommitStatus settle(CommitBatch commitBatch, Instant now) {
        var time = worker.monotonic(now);
        var valid = collectValid(commitBatch);
        var offered = worker.sendOffers(); // Links before the settlements that depend on them.
        var rejected = settleLocally(commitBatch, valid, time);
        if (!offered.isStored()) {
            worker.shards.queue(worker.claimedHosts.commitCalls(time));
            var _ = worker.claimedHosts.takeRefused();
            return offered;
        }
        return sendSettlements(rejected, time);
    }

    /**
     * Settles leases here, and sends the result to Redis later together with others, unless it must
     * be known there at once.
     */
    CommitStatus stage(CommitBatch commitBatch, Instant now) {
        var time = worker.monotonic(now);
        var limited =
                commitBatch.settlements().stream()
                        .anyMatch(each -> worker.quotas.isLimited(each.lease().job().number()));
        var rejected = settleLocally(commitBatch, collectValid(commitBatch), time);
        if (staging && !limited && rejected == 0 && !worker.shards.hasQueued()) {
            worker.stage(commitBatch.settlements().size());
            if (worker.latestTime < worker.stagedUntil()) {
                worker.claimedHosts.endBatch();
                return new CommitStatus.Staged();
            }
        }
        return sendSettlements(rejected, time);
    }

    /** Sends staged settlements if it is time, or in any case. */
    CommitStatus storeStaged(boolean force, Instant now) {
        var time = worker.monotonic(now);
        if (worker.hasStaged() && !force && worker.latestTime < worker.stagedUntil()) {
            return new CommitStatus.Staged();
        }
        return sendSettlements(0, time);
    }

    /** Returns the settlements of leases that have not ended, and collects their links. */
    private List<Settlement> collectValid(CommitBatch commitBatch) {
        var valid = new ArrayList<Settlement>();
        var seen = new HashSet<Long>();
        for (var settlement : commitBatch.settlements()) {
            gateLeases.requestEnded(settlement.lease().token());
            if (worker.claimedHosts.isOutstanding(settlement.lease())
                    && seen.add(settlement.lease().token())) {
                valid.add(settlement);
            }
        }
        collectLinks(valid);
        return valid;
    }

    /** Applies settlements here; returns how many were rejected because their leases had ended. */
    private int settleLocally(CommitBatch commitBatch, List<Settlement> valid, Instant time) {
        noteResults(valid);
        var settled =
                worker.claimedHosts.local.settle(
                        new CommitBatch(valid.stream().map(this::withoutLinks).toList(), List.of()),
                        time);
        worker.settledPages += valid.size();
        worker.lengths.add(commitBatch.committedLengths());
        var refused = settled instanceof CommitStatus.Rejected(var leases) ? leases : 0;
        return commitBatch.settlements().size() - valid.size() + refused;
    }

    /** Passes on what visits have found, for jobs that visit URLs again. */
    private void noteResults(List<Settlement> settlements) {
        var planned =
                settlements.stream()
                        .filter(
                                each ->
                                        worker.claimedHosts.planners.containsKey(
                                                each.lease().job().number()))
                        .toList();
        readRates(planned);
        for (var settlement : planned) {
            settlement
                    .result()
                    .ifPresent(
                            result ->
                                    worker.claimedHosts.noteResult(
                                            settlement.lease(),
                                            result,
                                            new CaptureRef(
                                                    worker.number.current(),
                                                    settlement.capture())));
        }
    }

    /**
     * Reads what was observed on the pages of hosts, once for each claim: only the owner of a claim
     * changes it. If Redis is unavailable, the visits do not count for their hosts.
     */
    private void readRates(List<Settlement> settlements) {
        var missing = new LinkedHashMap<ClaimedHost, Set<Integer>>();
        for (var settlement : settlements) {
            worker.claimedHosts
                    .withoutRates(settlement.lease())
                    .ifPresent(
                            mine ->
                                    missing.computeIfAbsent(mine, _ -> new TreeSet<>())
                                            .add(settlement.lease().job().number()));
        }
        var hosts = new ArrayList<ClaimedHost>();
        var requests = new ArrayList<ShardRequest.ReadRates>();
        missing.forEach(
                (mine, jobs) ->
                        jobs.forEach(
                                job -> {
                                    hosts.add(mine);
                                    requests.add(
                                            new ShardRequest.ReadRates(
                                                    worker.shards.shardOf(mine.host),
                                                    job,
                                                    List.of(mine.host)));
                                }));
        if (requests.isEmpty()) {
            return;
        }
        try {
            var replies = worker.shards.query(requests, worker.latestTime);
            for (var i = 0; i < replies.size(); i++) {
                hosts.get(i).rates.put(requests.get(i).job(), replies.get(i).getFirst());
            }
        } catch (FrontierUnavailableException e) {
            LOG.debug("could not read the rates of {} hosts: {}", hosts.size(), e.getMessage());
        }
    }

    private CommitStatus sendSettlements(int rejected, Instant time) {
        var changes = worker.sendChanges(time);
        var sent = changes.isStored() ? worker.lengths.send() : changes;
        if (!sent.isStored()) {
            var _ = worker.claimedHosts.takeRefused();
            return sent;
        }
        worker.overflow.ifPresent(each -> each.runMaintenance(worker.latestTime));
        return CommitStatus.ofRejected(rejected + worker.claimedHosts.takeRefused());
    }

    private void collectLinks(List<Settlement> settlements) {
        for (var settlement : settlements) {
            var job = settlement.lease().job().number();
            worker.addOffers(job, settlement.outlinks(), settlement.capture());
            if (settlement.linksDeferred()) {
                worker.offers.count(job, CounterGroup.DEFERRED.of(worker.settings.worker()), 1);
            }
            if (settlement.outcome() instanceof Outcome.EquivalentRedirect(var url)
                    && !url.host().equals(settlement.lease().url().host())) {
                worker.claimedHosts.markMoving(settlement.lease());
                moveToOtherHost(settlement.lease(), url);
            }
        }
    }

    private void moveToOtherHost(Lease lease, CrawlUrl url) {
        var id = new UrlId(lease.job().number(), lease.url().key());
        var before = worker.claimedHosts.url(id, lease.url().host()).orElseThrow();
        worker.offers.addMoved(
                new QueuedUrl(before.url().redirectedTo(url), true, 0, before.expiredLeases(), 0));
    }

    private Settlement withoutLinks(Settlement settlement) {
        var lease = settlement.lease();
        settlement
                .refusedLinks()
                .forEach(
                        (why, count) ->
                                worker.claimedHosts.count(lease, CounterGroup.refused(why), count));
        var elsewhere =
                settlement.outcome() instanceof Outcome.EquivalentRedirect(var url)
                        && !url.host().equals(lease.url().host());
        return Settlement.of(
                lease,
                elsewhere ? new Outcome.Withdrawn(Refusal.SCOPE) : settlement.outcome(),
                settlement.signal());
    }

    void close() {
        gateLeases.close();
    }
}
