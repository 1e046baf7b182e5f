package dev.orbweaver.fleet.redis;

import dev.orbweaver.fleet.redis.ScriptConstants.ShardKey;
import dev.orbweaver.fleet.redis.ShardRequest.FindReply;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.Priority;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.frontier.UrlState;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads the state of one URL in a shard. */
final class ShardUrlReader {

    record DeadRecord(QueuedUrl url, FailureCause cause) {

        /** Decodes a dead letter as stored in a shard: the cause, a space, the record. */
        static DeadRecord read(int job, byte[] value) {
            var space = 0;
            while (value[space] != ' ') {
                space++;
            }
            var word = new String(value, 0, space, StandardCharsets.US_ASCII);
            var record = Arrays.copyOfRange(value, space + 1, value.length);
            return new DeadRecord(RedisRecordCodec.read(job, record), causeOf(word));
        }
    }

    private static final int AT_ONCE = 1000;

    private ShardUrlReader() {}

    /** The state of a URL, with its record if it has one. */
    record FoundUrl(
            UrlState state, Optional<QueuedUrl> url, Optional<FindReply.Scheduled> scheduled) {

        static FoundUrl of(UrlState state) {
            return new FoundUrl(state, Optional.empty(), Optional.empty());
        }

        static FoundUrl of(UrlState state, QueuedUrl url) {
            return new FoundUrl(state, Optional.of(url), Optional.empty());
        }
    }

    /** Finds a URL that this worker has not claimed. */
    static FoundUrl find(
            Shards shards,
            SpillLoader spillLoader,
            FleetSettings settings,
            JobId job,
            CrawlUrl url,
            long now) {
        var request = new ShardRequest.Find(shards.shardOf(url.host()), job.number(), url);
        return switch (shards.query(request, now)) {
            case FindReply.Never() -> FoundUrl.of(new UrlState.NeverAccepted());
            case FindReply.Settled() -> FoundUrl.of(new UrlState.Settled());
            case FindReply.Scheduled scheduled ->
                    new FoundUrl(new UrlState.Settled(), Optional.empty(), Optional.of(scheduled));
            case FindReply.Claimed(var claimed, var until) ->
                    FoundUrl.of(new UrlState.Leased(until, claimed.attempts()), claimed);
            case FindReply.Dead(DeadRecord(var dead, var cause)) ->
                    FoundUrl.of(new UrlState.Dead(cause, dead.attempts()), dead);
            case FindReply.Queued(var queued, var ahead, var due, var excluded) ->
                    FoundUrl.of(queued(queued, ahead, due, excluded), queued);
            case FindReply.Spilled reply -> spilled(shards, spillLoader, job, url, reply);
        };
    }

    private static UrlState queued(QueuedUrl url, int ahead, Instant due, boolean excluded) {
        return excluded
                ? new UrlState.Excluded(url.attempts())
                : new UrlState.Queued(
                        Priority.scoreOfRank(url.url().rank()), ahead, due, url.attempts());
    }

    private static FoundUrl spilled(
            Shards shards,
            SpillLoader spillLoader,
            JobId job,
            CrawlUrl url,
            FindReply.Spilled reply) {
        var id = new UrlId(job.number(), url.key());
        var shard = shards.shardOf(url.host());
        try {
            for (var in : reply.ranges()) {
                var found = spillLoader.find(shard, job.number(), in.range(), id);
                if (found.isPresent()) {
                    var state = found.get().url();
                    var ahead = in.ahead() + found.get().ahead();
                    return FoundUrl.of(
                            in.ahead() < 0
                                    ? new UrlState.Dead(FailureCause.HOST_DOWN, state.attempts())
                                    : queued(state, ahead, reply.due(), reply.excluded()),
                            state);
                }
            }
        } catch (IOException e) {
            throw RedisUnavailableException.ofFrontier(e);
        }
        return FoundUrl.of(reply.known() ? new UrlState.Settled() : new UrlState.NeverAccepted());
    }

    /**
     * Passes the dead letters of a shard.
     *
     * @return how many more are in files
     */
    static long deadLetters(
            RedisConnection link, Shards.Shard shard, int job, Consumer<DeadLetter> out)
            throws IOException {
        var key = ShardKey.DEAD.of(shard, job);
        var ids = link.execute(redis -> redis.hkeys(key));
        for (var from = 0; from < ids.size(); from += AT_ONCE) {
            var some = ids.subList(from, Math.min(from + AT_ONCE, ids.size()));
            for (var each : link.execute(redis -> redis.hmget(key, some.toArray(byte[][]::new)))) {
                if (each.hasValue()) {
                    var deadRecord = DeadRecord.read(job, each.getValue());
                    out.accept(DeadLetter.of(deadRecord.url(), deadRecord.cause()));
                }
            }
        }
        return link.execute(redis -> redis.smembers(ShardKey.DEAD_RANGES.of(shard, job))).stream()
                .mapToLong(stretch -> SpilledRange.decode(stretch).count())
                .sum();
    }

    private static FailureCause causeOf(String word) {
        for (var cause : FailureCause.values()) {
            if (cause.id().equals(word)) {
                return cause;
            }
        }
        throw new IllegalStateException("unknown failure cause " + word);
    }
}
