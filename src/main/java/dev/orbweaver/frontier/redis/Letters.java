package dev.orbweaver.frontier.redis;

import static dev.orbweaver.frontier.redis.RedisLink.bytes;
import static dev.orbweaver.frontier.redis.RedisLink.list;
import static dev.orbweaver.frontier.redis.RedisLink.string;

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

/** Reads what a shard says of one URL. */
final class Letters {

    /** A URL that was given up. */
    record Letter(Restored url, FailureCause cause) {}

    /** What an answer has before the stretches in which a URL may be. */
    private static final int COLD_HEAD = 4;

    private Letters() {}

    /** Where a URL is that this worker does not hold. */
    static Explanation explain(
            Shards shards, Loads loads, FleetSettings settings, JobId job, CrawlUrl url, long now) {
        var answer = list(shards.ask(List.of(question(shards, job.number(), url)), now).getFirst());
        return switch (string(answer.getFirst())) {
            case "queued" -> queued(job, answer);
            case "held" ->
                    new Explanation.Leased(
                            Instant.ofEpochMilli(now).plus(settings.hostLease()),
                            Records.read(job.number(), (byte[]) answer.get(1)).attempts());
            case "dead" -> dead(read(job.number(), (byte[]) answer.get(1)));
            case "cold" -> cold(shards, loads, job, url, answer);
            case "settled" -> new Explanation.Settled();
            default -> new Explanation.NeverAccepted();
        };
    }

    /** Of a URL that may lie in a file. */
    private static Explanation cold(
            Shards shards, Loads loads, JobId job, CrawlUrl url, List<?> answer) {
        var id = new UrlId(job.number(), url.key());
        try {
            for (var i = COLD_HEAD; i < answer.size(); i += 2) {
                var in = Stretch.read((byte[]) answer.get(i));
                var found = loads.find(shards.of(url.host()), job.number(), in, id);
                if (found.isPresent()) {
                    var attempts = found.get().url().attempts();
                    var before = Integer.parseInt(string(answer.get(i + 1)));
                    if (before < 0) {
                        return new Explanation.Dead(FailureCause.HOST_DOWN, attempts);
                    }
                    return string(answer.get(2)).isEmpty()
                            ? new Explanation.Queued(
                                    before + found.get().ahead(),
                                    Instant.ofEpochMilli(Long.parseLong(string(answer.get(1)))),
                                    attempts)
                            : new Explanation.Excluded(attempts);
                }
            }
        } catch (IOException e) {
            throw new FrontierBlockedException(e);
        }
        return string(answer.get(3)).isEmpty()
                ? new Explanation.NeverAccepted()
                : new Explanation.Settled();
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

    private static Explanation queued(JobId job, List<?> answer) {
        var url = Records.read(job.number(), (byte[]) answer.get(1));
        return string(answer.get(4)).isEmpty()
                ? new Explanation.Queued(
                        Integer.parseInt(string(answer.get(2))),
                        Instant.ofEpochMilli(Long.parseLong(string(answer.get(3)))),
                        url.attempts())
                : new Explanation.Excluded(url.attempts());
    }

    private static Explanation dead(Letter letter) {
        return new Explanation.Dead(letter.cause(), letter.url().attempts());
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
