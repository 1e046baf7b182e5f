package dev.orbweaver.fleet.redis;

import dev.orbweaver.fleet.redis.ScriptConstants.ShardKey;
import dev.orbweaver.fleet.redis.ShardUrlReader.DeadRecord;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Predicate;

/** Requeues dead letters of a job, shard by shard and host by host. */
final class DeadLetterRequeue {

    private static final int AT_ONCE = 1000;

    private final RedisConnection connection;
    private final Shards shards;
    private final ClaimedHosts claimedHosts;
    private final HostClaimer hostClaimer;
    private final SpillLoader spillLoader;
    private final JobId job;
    private final Predicate<DeadLetter> which;

    DeadLetterRequeue(
            RedisConnection link,
            Shards shards,
            ClaimedHosts claimedHosts,
            HostClaimer hostClaimer,
            SpillLoader spillLoader,
            JobId job,
            Predicate<DeadLetter> which) {
        this.connection = link;
        this.shards = shards;
        this.claimedHosts = claimedHosts;
        this.hostClaimer = hostClaimer;
        this.spillLoader = spillLoader;
        this.job = job;
        this.which = which;
    }

    /**
     * Requeues the dead letters of all shards.
     *
     * @param sendChanges sends the changes of each host to the fleet
     * @return the number of requeued dead letters
     */
    long run(Runnable sendChanges, long now) {
        var count = 0L;
        try {
            for (var shard : shards.all()) {
                count += run(shard, sendChanges, now);
            }
            return count;
        } catch (IOException e) {
            throw RedisUnavailableException.ofFrontier(e);
        }
    }

    private long run(Shards.Shard shard, Runnable sendChanges, long now) throws IOException {
        var packed = ShardKey.DEAD_RANGES.of(shard, job.number());
        for (var stretch : connection.execute(redis -> redis.smembers(packed))) {
            spillLoader.loadDeadLetters(shard, job.number(), SpilledRange.decode(stretch), now);
        }
        var key = ShardKey.DEAD.of(shard, job.number());
        var ids = connection.execute(redis -> redis.hkeys(key));
        var count = 0L;
        for (var from = 0; from < ids.size(); from += AT_ONCE) {
            var some = ids.subList(from, Math.min(from + AT_ONCE, ids.size()));
            var byHost = new LinkedHashMap<String, List<DeadRecord>>();
            for (var deadRecord : read(key, some)) {
                byHost.computeIfAbsent(deadRecord.url().url().url().host(), _ -> new ArrayList<>())
                        .add(deadRecord);
            }
            for (var each : byHost.entrySet()) {
                count += requeue(each.getKey(), each.getValue(), sendChanges, now);
            }
        }
        shard.markReady(now);
        return count;
    }

    private List<DeadRecord> read(byte[] key, List<byte[]> ids) throws IOException {
        var deadRecords = new ArrayList<DeadRecord>();
        for (var each : connection.execute(redis -> redis.hmget(key, ids.toArray(byte[][]::new)))) {
            if (each.hasValue()) {
                deadRecords.add(DeadRecord.read(job.number(), each.getValue()));
            }
        }
        deadRecords.sort(Comparator.comparingLong(deadRecord -> deadRecord.url().url().foundAt()));
        deadRecords.removeIf(
                deadRecord -> !which.test(DeadLetter.of(deadRecord.url(), deadRecord.cause())));
        return deadRecords;
    }

    private long requeue(
            String host, List<DeadRecord> deadRecords, Runnable sendChanges, long now) {
        if (claimedHosts.find(host).isEmpty()) {
            var claim = hostClaimer.claimHost(host, true, now);
            if (claim.host().isPresent()) {
                var _ = claimedHosts.addClaimed(claim.host().get().withFailuresReset(), now);
            }
        }
        if (claimedHosts.find(host).isEmpty()) {
            return requeueUnclaimed(host, deadRecords, now);
        }
        var mine = claimedHosts.find(host).get();
        for (var deadRecord : deadRecords) {
            mine.change(
                    new CommitRequest.Change.Requeued(fresh(deadRecord.url()), deadRecord.cause()));
            mine.jobsWithMore.add(job.number());
        }
        sendChanges.run();
        return deadRecords.size();
    }

    private static QueuedUrl fresh(QueuedUrl before) {
        return new QueuedUrl(before.url(), before.equivalentRedirect(), 0, 0, 0);
    }

    /**
     * Requeues dead letters of a host that another worker has claimed. The host is assumed to work;
     * its dead letters are appended to the queue.
     */
    private long requeueUnclaimed(String host, List<DeadRecord> deadRecords, long now) {
        var letters =
                deadRecords.stream()
                        .map(each -> new DeadRecord(fresh(each.url()), each.cause()))
                        .toList();
        return shards.query(
                new ShardRequest.Requeue(shards.shardOf(host), host, job.number(), letters), now);
    }
}
