package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.FrontierBlockedException;
import dev.orbweaver.internal.frontier.FrontierEvent.QueuedUrlState;
import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Predicate;

/** Takes dead letters of a job back, shard by shard and host by host. */
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

    /** How many letters were taken back; {@code tell} has the fleet know of each host at once. */
    long run(Runnable tell, long now) {
        var count = 0L;
        try {
            for (var shard : shards.all()) {
                count += run(shard, tell, now);
            }
            return count;
        } catch (IOException e) {
            throw new FrontierBlockedException(e);
        }
    }

    private long run(Shards.Shard shard, Runnable tell, long now) throws IOException {
        var packed = bytes(shard.base + ":dr:" + job.number());
        for (var stretch : connection.execute(redis -> redis.smembers(packed))) {
            spillLoader.loadDeadLetters(shard, job.number(), SpilledRange.decode(stretch), now);
        }
        var key = bytes(shard.base + ":dead:" + job.number());
        var ids = connection.execute(redis -> redis.hkeys(key));
        var count = 0L;
        for (var from = 0; from < ids.size(); from += AT_ONCE) {
            var some = ids.subList(from, Math.min(from + AT_ONCE, ids.size()));
            var byHost = new LinkedHashMap<String, List<ShardUrlReader.DeadRecord>>();
            for (var deadRecord : read(key, some)) {
                byHost.computeIfAbsent(deadRecord.url().url().url().host(), _ -> new ArrayList<>())
                        .add(deadRecord);
            }
            for (var each : byHost.entrySet()) {
                count += requeue(each.getKey(), each.getValue(), tell, now);
            }
        }
        shard.markReady(now);
        return count;
    }

    private List<ShardUrlReader.DeadRecord> read(byte[] key, List<byte[]> ids) throws IOException {
        var deadRecords = new ArrayList<ShardUrlReader.DeadRecord>();
        for (var each : connection.execute(redis -> redis.hmget(key, ids.toArray(byte[][]::new)))) {
            if (each.hasValue()) {
                deadRecords.add(ShardUrlReader.read(job.number(), each.getValue()));
            }
        }
        deadRecords.sort(Comparator.comparingLong(deadRecord -> deadRecord.url().url().foundAt()));
        deadRecords.removeIf(
                deadRecord -> !which.test(DeadLetter.of(deadRecord.url(), deadRecord.cause())));
        return deadRecords;
    }

    private long requeue(
            String host, List<ShardUrlReader.DeadRecord> deadRecords, Runnable tell, long now) {
        if (claimedHosts.find(host).isEmpty()) {
            var answer = hostClaimer.claimHost(host, bytes(""), true, now);
            if (!string(answer.get(1)).isEmpty()) {
                var _ = claimedHosts.addClaimed(withFailuresReset(answer), now);
            }
        }
        if (claimedHosts.find(host).isEmpty()) {
            return requeueUnclaimed(host, deadRecords, now);
        }
        var mine = claimedHosts.find(host).get();
        for (var deadRecord : deadRecords) {
            mine.change(
                    'V',
                    UrlId.of(deadRecord.url()).bytes(),
                    freshRecord(deadRecord),
                    bytes(deadRecord.cause().id()));
            mine.jobsWithMore.add(job.number());
        }
        tell.run();
        return deadRecords.size();
    }

    private static byte[] freshRecord(ShardUrlReader.DeadRecord deadRecord) {
        var before = deadRecord.url();
        return RedisRecordCodec.write(
                new QueuedUrlState(before.url(), before.equivalentRedirect(), 0, 0, 0));
    }

    /** Another worker has the host, so it is thought to work; its letters wait behind the rest. */
    private long requeueUnclaimed(
            String host, List<ShardUrlReader.DeadRecord> deadRecords, long now) {
        var args = new ArrayList<byte[]>();
        args.add(bytes(host));
        args.add(bytes(job.number()));
        for (var deadRecord : deadRecords) {
            args.add(UrlId.of(deadRecord.url()).bytes());
            args.add(freshRecord(deadRecord));
            args.add(bytes(deadRecord.cause().id()));
        }
        var question = new Shards.ShardCall(shards.shardOf(host), Script.REQUEUE, args, _ -> {});
        return Long.parseLong(string(shards.query(List.of(question), now).getFirst()));
    }

    /** A claimed host as one that has just answered: somebody believes that it works again. */
    private static List<Object> withFailuresReset(List<?> claimed) {
        var host = string(claimed.get(0));
        var state = RedisRecordCodec.readHost(host, (byte[]) claimed.get(2));
        var all = new ArrayList<Object>(claimed);
        all.set(2, RedisRecordCodec.write(RedisRecordCodec.withFailuresReset(state)));
        return all;
    }
}
