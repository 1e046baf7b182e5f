package dev.orbweaver.frontier.redis;

import static dev.orbweaver.frontier.redis.RedisLink.bytes;
import static dev.orbweaver.frontier.redis.RedisLink.list;
import static dev.orbweaver.frontier.redis.RedisLink.string;

import dev.orbweaver.frontier.DeadLetter;
import dev.orbweaver.frontier.Explanation;
import dev.orbweaver.frontier.FrontierBlockedException;
import dev.orbweaver.frontier.FrontierEvent.Restored;
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
final class Letters {

    /** A URL that was given up. */
    record Letter(Restored url, FailureCause cause) {}

    private static final int AT_ONCE = 1000;

    /** What an answer has before the stretches in which a URL may be. */
    private static final int COLD_HEAD = 4;

    private Letters() {}

    /** Where a URL is, and its record where it has one. */
    record Sighting(Explanation state, Optional<Restored> url) {

        static Sighting of(Explanation state) {
            return new Sighting(state, Optional.empty());
        }

        static Sighting of(Explanation state, Restored url) {
            return new Sighting(state, Optional.of(url));
        }
    }

    /** Where a URL is that this worker does not hold. */
    static Sighting find(
            Shards shards, Loads loads, FleetSettings settings, JobId job, CrawlUrl url, long now) {
        var answer = list(shards.ask(List.of(question(shards, job.number(), url)), now).getFirst());
        return switch (string(answer.getFirst())) {
            case "queued" -> queued(job, answer);
            case "held" -> {
                var held = Records.read(job.number(), (byte[]) answer.get(1));
                var until = Instant.ofEpochMilli((long) Double.parseDouble(string(answer.get(2))));
                yield Sighting.of(new Explanation.Leased(until, held.attempts()), held);
            }
            case "dead" -> dead(read(job.number(), (byte[]) answer.get(1)));
            case "cold" -> cold(shards, loads, job, url, answer);
            case "settled" -> Sighting.of(new Explanation.Settled());
            default -> Sighting.of(new Explanation.NeverAccepted());
        };
    }

    /** Of a URL that may lie in a file. */
    private static Sighting cold(
            Shards shards, Loads loads, JobId job, CrawlUrl url, List<?> answer) {
        var id = new UrlId(job.number(), url.key());
        try {
            for (var i = COLD_HEAD; i < answer.size(); i += 2) {
                var in = Stretch.read((byte[]) answer.get(i));
                var found = loads.find(shards.of(url.host()), job.number(), in, id);
                if (found.isPresent()) {
                    var before = Integer.parseInt(string(answer.get(i + 1)));
                    return Sighting.of(cold(answer, before, found.get()), found.get().url());
                }
            }
        } catch (IOException e) {
            throw new FrontierBlockedException(e);
        }
        return Sighting.of(
                string(answer.get(3)).isEmpty()
                        ? new Explanation.NeverAccepted()
                        : new Explanation.Settled());
    }

    private static Explanation cold(List<?> answer, int before, Loads.Found found) {
        var attempts = found.url().attempts();
        if (before < 0) {
            return new Explanation.Dead(FailureCause.HOST_DOWN, attempts);
        }
        return string(answer.get(2)).isEmpty()
                ? new Explanation.Queued(
                        before + found.ahead(),
                        Instant.ofEpochMilli(Long.parseLong(string(answer.get(1)))),
                        attempts)
                : new Explanation.Excluded(attempts);
    }

    static Shards.Errand question(Shards shards, int job, CrawlUrl url) {
        var bits = Offers.fingerprint(url);
        return Shards.question(
                shards.of(url.host()),
                Script.FIND,
                bytes(job),
                bytes(url.host()),
                new UrlId(job, url.key()).bytes(),
                bits.get(0),
                bits.get(1));
    }

    private static Sighting queued(JobId job, List<?> answer) {
        var url = Records.read(job.number(), (byte[]) answer.get(1));
        var state =
                string(answer.get(4)).isEmpty()
                        ? new Explanation.Queued(
                                Integer.parseInt(string(answer.get(2))),
                                Instant.ofEpochMilli(Long.parseLong(string(answer.get(3)))),
                                url.attempts())
                        : new Explanation.Excluded(url.attempts());
        return Sighting.of(state, url);
    }

    private static Sighting dead(Letter letter) {
        return Sighting.of(
                new Explanation.Dead(letter.cause(), letter.url().attempts()), letter.url());
    }

    /** Hands on the dead letters of a shard; says how many of them lie in files. */
    static long dead(RedisLink link, Shards.Shard shard, int job, Consumer<DeadLetter> out)
            throws IOException {
        var key = bytes(shard.base + ":dead:" + job);
        var ids = link.ask(redis -> redis.hkeys(key));
        for (var from = 0; from < ids.size(); from += AT_ONCE) {
            var some = ids.subList(from, Math.min(from + AT_ONCE, ids.size()));
            for (var each : link.ask(redis -> redis.hmget(key, some.toArray(byte[][]::new)))) {
                if (each.hasValue()) {
                    var letter = read(job, each.getValue());
                    out.accept(DeadLetter.of(letter.url(), letter.cause()));
                }
            }
        }
        return link.ask(redis -> redis.smembers(bytes(shard.base + ":dr:" + job))).stream()
                .mapToLong(stretch -> Stretch.read(stretch).count())
                .sum();
    }

    /** A dead letter as a shard keeps it: the cause, a space, the record. */
    static Letter read(int job, byte[] value) {
        var space = 0;
        while (value[space] != ' ') {
            space++;
        }
        var word = new String(value, 0, space, StandardCharsets.US_ASCII);
        var record = Arrays.copyOfRange(value, space + 1, value.length);
        return new Letter(Records.read(job, record), causeOf(word));
    }

    private static FailureCause causeOf(String word) {
        for (var cause : FailureCause.values()) {
            if (cause.word().equals(word)) {
                return cause;
            }
        }
        throw new IllegalStateException("no cause of failure is called " + word);
    }
}
