package dev.orbweaver.fleet.redis;

import static dev.orbweaver.internal.frontier.TestFrontier.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.FrontierFixtures;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Random;

/** The fingerprints in Redis: exact, and packed for any number of them. */
@Slow
class SeenSetTest {

    @TempDir Path directory;

    @Test
    void aUrlIsTakenInOnceByWhicheverWorkerAndEverySetStaysPacked() throws IOException {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        var oracle = new HashSet<Long>();
        try (var redis = RedisProcess.start(directory)) {
            var settings = FleetFixtures.settings(redis.uri()).withShards(1);
            try (var one = FleetFixtures.join(settings, FrontierFixtures.PLAIN, Fixture.START);
                    var two =
                            FleetFixtures.join(
                                    settings.withWorker("w2"),
                                    FrontierFixtures.PLAIN,
                                    Fixture.START)) {
                for (var round = 0; round < 20; round++) {
                    var some = new ArrayList<Candidate>();
                    for (var i = 0; i < 1000; i++) {
                        // Of every length, of both signs, and often repeated.
                        var high = random.nextLong() >> (random.nextInt(4) * 12);
                        some.add(candidate(high));
                        some.add(candidate(high + random.nextInt(2)));
                    }
                    some.forEach(each -> oracle.add(each.url().key().high()));
                    durable(
                            (round % 2 == 0 ? one : two)
                                    .offer(TestFrontier.JOB, some, Fixture.START));
                    durable(
                            (round % 3 == 0 ? one : two)
                                    .offer(TestFrontier.JOB, some, Fixture.START));
                    assertThat(one.ledger().accepted())
                            .as("round %d of seed %d", round, seed)
                            .isEqualTo(oracle.size());
                }
            }
            var base = Shards.base(settings.fleet(), 0) + ":s:0";
            var buckets = Integer.parseInt(redis.command("HGET", base, "b").split("\r\n", -1)[1]);
            assertThat(buckets).isGreaterThan(oracle.size() / 250);
            for (var i = 0; i < buckets; i++) {
                assertThat(redis.command("OBJECT", "ENCODING", base + ":" + i))
                        .as("bucket %d of %d, seed %d", i, buckets, seed)
                        .contains("intset");
            }
        }
    }

    private static Candidate candidate(long high) {
        // The other sixteen bits do not matter here, so they are the same for the same number.
        var url =
                new CrawlUrl(
                        "http://a.example/" + high, "a.example", new Fingerprint(high, (short) 0));
        return new Candidate(url, Hop.LINK, 1, 0);
    }
}
