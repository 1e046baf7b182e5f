package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.fleet.redis.ScriptConstants.CounterGroup;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.DeferredLinks;
import dev.orbweaver.internal.frontier.FrontierAdmin;
import dev.orbweaver.internal.frontier.IntakeLimits;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.SeedBatch;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * Makes changes to a whole job of a fleet: offers, weights, limits, exclusion, requeueing,
 * deletion.
 */
final class FleetJobAdmin {

    private static final int HOSTS_AT_ONCE = 500;

    private final WorkerState worker;
    private final WorkerLeases leases;

    FleetJobAdmin(WorkerState worker, WorkerLeases leases) {
        this.worker = worker;
        this.leases = leases;
    }

    CommitStatus offer(JobId job, List<Candidate> candidates, Instant now) {
        var _ = worker.advanceClock(now);
        var some = worker.overflow.map(Overflow::maxOfferBatch).orElse(Integer.MAX_VALUE);
        for (var from = 0; from < candidates.size(); from += some) {
            var to = (int) Math.min((long) from + some, candidates.size());
            worker.addOffers(job.number(), candidates.subList(from, to), 0);
        }
        var status = worker.sendOffers();
        if (status.isStored()) {
            worker.overflow.ifPresent(each -> each.runMaintenance(worker.latestTime));
        }
        return status;
    }

    /**
     * Offers the URLs of a batch, then stores the position. Shards execute a batch once, even if
     * several workers read it, unless the job limits its hosts or domains: then a batch that is
     * read again counts its URLs as duplicates again.
     */
    CommitStatus offerSeeds(JobId job, SeedBatch batch, Instant now) {
        var _ = worker.advanceClock(now);
        var number = job.number();
        worker.seeds.collectHosts(number, batch);
        var limited = JobQuotas.isLimited(worker.offers.limits(number));
        if (limited) {
            worker.jobQuotas.enqueue(number, batch.candidates(), 0);
        }
        worker.shards.queue(
                worker.offers.seedCalls(
                        number,
                        batch.visited(),
                        limited ? List.of() : batch.candidates(),
                        SeedLists.number(batch.from()),
                        worker.latestTime));
        var conflict = new AtomicBoolean();
        worker.shards.queue(
                List.of(
                        new Shards.ShardCall<>(
                                new ShardRequest.SeedsRead(
                                        SeedLists.shard(worker.shards, number),
                                        number,
                                        batch.from(),
                                        batch.position()),
                                stored -> conflict.set(!stored))));
        var status = worker.sendOffers();
        if (status.isStored()) {
            worker.overflow.ifPresent(each -> each.runMaintenance(worker.latestTime));
        }
        return conflict.get() ? CommitStatus.ofRejected(1) : status;
    }

    void setWeight(JobId job, int weight) {
        worker.claimedHosts.local.setWeight(job, weight);
        worker.hostClaimer.setWeight(job.number(), weight);
    }

    void setPoliteness(JobId job, Politeness politeness, Instant now) {
        worker.claimedHosts.local.setPoliteness(job, politeness, worker.monotonic(now));
        worker.hostClaimer.setPoliteness(politeness);
    }

    void setIntakeLimits(JobId job, IntakeLimits limits) {
        worker.offers.setLimits(job.number(), limits);
        if (JobQuotas.isLimited(limits)) {
            try {
                worker.jobQuotas.initialise(job.number());
            } catch (IOException e) {
                throw RedisUnavailableException.ofFrontier(e);
            }
        }
    }

    CommitStatus exclude(JobId job, HostSet hosts, Instant now) {
        var time = worker.monotonic(now);
        if (hosts.isEmpty() && !worker.offers.hasExclusions(job.number())) {
            // Other workers may have a list; this worker has none.
            return CommitStatus.durable();
        }
        worker.offers.exclude(job.number(), hosts);
        var status = worker.releaseIdleHosts(time);
        var _ = worker.claimedHosts.local.exclude(job, hosts, time);
        for (var shard : worker.shards.all()) {
            var key = JobQuotas.acceptedKey(shard, job.number());
            var in = new ArrayList<String>();
            var out = new ArrayList<String>();
            for (var host : worker.query(redis -> redis.hkeys(key))) {
                (hosts.contains(string(host)) ? out : in).add(string(host));
            }
            excludeInShard(shard, job, true, out);
            excludeInShard(shard, job, false, in);
            shard.markReady(worker.latestTime);
        }
        return status;
    }

    private void excludeInShard(Shards.Shard shard, JobId job, boolean out, List<String> hosts) {
        for (var from = 0; from < hosts.size(); from += HOSTS_AT_ONCE) {
            var some = hosts.subList(from, Math.min(from + HOSTS_AT_ONCE, hosts.size()));
            var _ =
                    worker.shards.query(
                            new ShardRequest.Exclude(shard.number, job.number(), out, some),
                            worker.latestTime);
        }
    }

    /**
     * Records the last requests that another program made, so that the first requests to these
     * hosts keep their delay. Left out are hosts without seeds, and those that a worker has
     * claimed, because their last request was made by that worker.
     */
    CommitStatus requestedElsewhere(JobId job, Map<String, Instant> lastRequests, Instant now) {
        var time = worker.monotonic(now);
        for (var host : worker.seeds.knownHosts(job, lastRequests.keySet())) {
            if (worker.claimedHosts.find(host).isEmpty()) {
                worker.hostClaimer
                        .claimHost(host, true, worker.latestTime)
                        .host()
                        .ifPresent(
                                claimed ->
                                        worker.claimedHosts
                                                .addClaimed(claimed, worker.latestTime)
                                                .markChanged());
            }
        }
        var local = worker.claimedHosts.local.requestedElsewhere(lastRequests, time);
        return local.isStored() ? worker.releaseIdleHosts(time) : local;
    }

    CommitStatus deleteJob(JobId job, Instant now) {
        var time = worker.monotonic(now);
        var released = worker.releaseIdleHosts(time);
        if (!released.isStored()) {
            return released; // Unsent changes would recreate the job.
        }
        var _ = worker.claimedHosts.local.deleteJob(job, time);
        worker.claimedHosts.removeJob(job.number());
        leases.detach(job);
        worker.offers.removeJob(job.number());
        worker.jobQuotas.removeJob(job.number());
        worker.quotas.removeJob(job.number());
        try {
            new SeedPieces(worker.connection, worker.settings).deleteAll(job);
            new JobLines(worker.connection, worker.settings).deleteAll(job);
        } catch (IOException e) {
            throw RedisUnavailableException.ofFrontier(e);
        }
        for (var shard : worker.shards.all()) {
            var request = new ShardRequest.DeleteJob(shard.number, job.number(), HOSTS_AT_ONCE);
            while (worker.shards.query(request, worker.latestTime)) {
                shard.markReady(worker.latestTime);
            }
        }
        var _ = worker.query(redis -> redis.del(worker.seeds.key(job.number())));
        var _ = worker.query(redis -> redis.del(worker.seeds.hostsKey(job.number())));
        var _ = worker.query(redis -> redis.del(worker.jobQuotas.key(job.number())));
        var _ =
                worker.query(
                        redis ->
                                redis.del(
                                        bytes(
                                                SharedJobCache.trapsKey(
                                                        worker.settings, job.number()))));
        var _ = worker.query(redis -> redis.del(PageQuotas.key(worker.settings, job.number())));
        var _ = worker.query(redis -> redis.del(bytes(RevisitDuty.key(worker.settings, job))));
        return worker.sendChanges(time);
    }

    FrontierAdmin.Requeued requeueDeadLetters(JobId job, Predicate<DeadLetter> which, Instant now) {
        var time = worker.monotonic(now);
        var deadLetterRequeue =
                new DeadLetterRequeue(
                        worker.connection,
                        worker.shards,
                        worker.claimedHosts,
                        worker.hostClaimer,
                        worker.spillLoader,
                        job,
                        which);
        var urls =
                deadLetterRequeue.run(
                        () -> {
                            var _ = worker.releaseIdleHosts(time);
                        },
                        worker.latestTime);
        return new FrontierAdmin.Requeued(urls, worker.shards.flush(worker.latestTime));
    }

    CommitStatus offerDeferred(
            JobId job,
            long capture,
            DeferredLinks before,
            List<Candidate> found,
            Map<Refusal, Integer> refused,
            Instant now) {
        var _ = worker.monotonic(now);
        worker.offers.countRefused(job.number(), refused);
        worker.addOffers(job.number(), found, capture);
        worker.offers.count(job.number(), CounterGroup.DEFERRED.of(worker.settings.worker()), -1);
        worker.offers.count(
                job.number(),
                CounterGroup.LAST_OFFERED.of(worker.settings.worker()),
                Math.max(0, capture - before.lastOfferedCapture()));
        return worker.sendOffers();
    }
}
