package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.list;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.FrontierBlockedException;
import dev.orbweaver.internal.frontier.FrontierEvent.QueuedUrlState;
import dev.orbweaver.internal.frontier.UrlState;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads what a shard says of one URL. */
final class ShardUrlReader {

    /** A URL that was given up. */
    record DeadRecord(QueuedUrlState url, FailureCause cause) {}

    private static final int AT_ONCE = 1000;

    /** What an answer has before the stretches in which a URL may be. */
    private static final int SPILLED_HEAD = 4;

    private ShardUrlReader() {}

    /** Where a URL is, and its record where it has one. */
    record FoundUrl(UrlState state, Optional<QueuedUrlState> url) {

        static FoundUrl of(UrlState state) {
            return new FoundUrl(state, Optional.empty());
        }

        static FoundUrl of(UrlState state, QueuedUrlState url) {
            return new FoundUrl(state, Optional.of(url));
        }
    }

    /** Where a URL is that this worker does not hold. */
    static FoundUrl find(
            Shards shards,
            SpillLoader spillLoader,
            FleetSettings settings,
            JobId job,
            CrawlUrl url,
            long now) {
        var answer =
                list(shards.query(List.of(findCall(shards, job.number(), url)), now).getFirst());
        return switch (string(answer.getFirst())) {
            case "queued" -> queued(job, answer);
            case "held" -> {
                var held = RedisRecordCodec.read(job.number(), (byte[]) answer.get(1));
                var until = Instant.ofEpochMilli((long) Double.parseDouble(string(answer.get(2))));
                yield FoundUrl.of(new UrlState.Leased(until, held.attempts()), held);
            }
            case "dead" -> deadLetters(read(job.number(), (byte[]) answer.get(1)));
            case "cold" -> spilled(shards, spillLoader, job, url, answer);
            case "settled" -> FoundUrl.of(new UrlState.Settled());
            default -> FoundUrl.of(new UrlState.NeverAccepted());
        };
    }

    /** Of a URL that may lie in a file. */
    private static FoundUrl spilled(
            Shards shards, SpillLoader spillLoader, JobId job, CrawlUrl url, List<?> answer) {
        var id = new UrlId(job.number(), url.key());
        try {
            for (var i = SPILLED_HEAD; i < answer.size(); i += 2) {
                var in = SpilledRange.decode((byte[]) answer.get(i));
                var spilledUrl = spillLoader.find(shards.shardOf(url.host()), job.number(), in, id);
                if (spilledUrl.isPresent()) {
                    var before = Integer.parseInt(string(answer.get(i + 1)));
                    return FoundUrl.of(
                            spilled(answer, before, spilledUrl.get()), spilledUrl.get().url());
                }
            }
        } catch (IOException e) {
            throw new FrontierBlockedException(e);
        }
        return FoundUrl.of(
                string(answer.get(3)).isEmpty()
                        ? new UrlState.NeverAccepted()
                        : new UrlState.Settled());
    }

    private static UrlState spilled(List<?> answer, int before, SpillLoader.SpilledUrl spilledUrl) {
        var attempts = spilledUrl.url().attempts();
        if (before < 0) {
            return new UrlState.Dead(FailureCause.HOST_DOWN, attempts);
        }
        return string(answer.get(2)).isEmpty()
                ? new UrlState.Queued(
                        before + spilledUrl.ahead(),
                        Instant.ofEpochMilli(Long.parseLong(string(answer.get(1)))),
                        attempts)
                : new UrlState.Excluded(attempts);
    }

    static Shards.ShardCall findCall(Shards shards, int job, CrawlUrl url) {
        var bits = Offers.fingerprint(url);
        return Shards.queryCall(
                shards.shardOf(url.host()),
                Script.FIND,
                bytes(job),
                bytes(url.host()),
                new UrlId(job, url.key()).bytes(),
                bits.get(0),
                bits.get(1));
    }

    private static FoundUrl queued(JobId job, List<?> answer) {
        var url = RedisRecordCodec.read(job.number(), (byte[]) answer.get(1));
        var state =
                string(answer.get(4)).isEmpty()
                        ? new UrlState.Queued(
                                Integer.parseInt(string(answer.get(2))),
                                Instant.ofEpochMilli(Long.parseLong(string(answer.get(3)))),
                                url.attempts())
                        : new UrlState.Excluded(url.attempts());
        return FoundUrl.of(state, url);
    }

    private static FoundUrl deadLetters(DeadRecord deadRecord) {
        return FoundUrl.of(
                new UrlState.Dead(deadRecord.cause(), deadRecord.url().attempts()),
                deadRecord.url());
    }

    /** Hands on the dead letters of a shard; says how many of them lie in files. */
    static long deadLetters(
            RedisConnection link, Shards.Shard shard, int job, Consumer<DeadLetter> out)
            throws IOException {
        var key = bytes(shard.base + ":dead:" + job);
        var ids = link.execute(redis -> redis.hkeys(key));
        for (var from = 0; from < ids.size(); from += AT_ONCE) {
            var some = ids.subList(from, Math.min(from + AT_ONCE, ids.size()));
            for (var each : link.execute(redis -> redis.hmget(key, some.toArray(byte[][]::new)))) {
                if (each.hasValue()) {
                    var deadRecord = read(job, each.getValue());
                    out.accept(DeadLetter.of(deadRecord.url(), deadRecord.cause()));
                }
            }
        }
        return link.execute(redis -> redis.smembers(bytes(shard.base + ":dr:" + job))).stream()
                .mapToLong(stretch -> SpilledRange.decode(stretch).count())
                .sum();
    }

    /** A dead letter as a shard keeps it: the cause, a space, the record. */
    static DeadRecord read(int job, byte[] value) {
        var space = 0;
        while (value[space] != ' ') {
            space++;
        }
        var word = new String(value, 0, space, StandardCharsets.US_ASCII);
        var record = Arrays.copyOfRange(value, space + 1, value.length);
        return new DeadRecord(RedisRecordCodec.read(job, record), causeOf(word));
    }

    private static FailureCause causeOf(String word) {
        for (var cause : FailureCause.values()) {
            if (cause.id().equals(word)) {
                return cause;
            }
        }
        throw new IllegalStateException("no cause of failure is called " + word);
    }
}
