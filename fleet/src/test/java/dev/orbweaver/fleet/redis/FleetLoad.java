package dev.orbweaver.fleet.redis;

import static dev.orbweaver.internal.frontier.TestFrontier.durable;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.FrontierFixtures;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Measures what a fleet's frontier costs Redis, with fetches that take no time; for the benchmarks.
 */
public final class FleetLoad implements AutoCloseable {

    /**
     * The cost of pages.
     *
     * @param redisSeconds of Redis's CPU
     */
    public record PageCost(long pages, double redisSeconds, long roundTrips, long accepted) {}

    /**
     * The cost of fingerprints.
     *
     * @param bytes the additional memory of Redis
     * @param wrong URLs that were wrongly called duplicates
     */
    public record SeenCost(long urls, long bytes, double redisSeconds, long wrong) {}

    private static final int LINKS = 30;
    private static final int NEW_LINKS = 3;
    private static final int AT_ONCE = 200;
    private static final int OFFERED_AT_ONCE = 20_000;
    private static final int EMPTIED_EVERY = 25;

    private final RedisProcess redis;
    private final SplittableRandom random;

    /** Starts a Redis with its own directory. */
    public FleetLoad(Path directory, long seed) throws IOException {
        this.redis = RedisProcess.start(directory);
        this.random = new SplittableRandom(seed);
    }

    private CrawlUrl url(int hosts) {
        var host = "host" + random.nextInt(hosts) + ".example";
        var high = random.nextLong();
        return new CrawlUrl(
                "http://" + host + "/a/path/of/some/length/" + Long.toHexString(high) + ".html",
                host,
                new Fingerprint(high, (short) random.nextInt()));
    }

    /** Pages with thirty links each, three of them new, over this many hosts. */
    public PageCost pages(long count, int hosts) throws IOException {
        var politeness =
                new Politeness(
                        Duration.ofSeconds(1),
                        Duration.ofMillis(100),
                        Duration.ZERO,
                        1,
                        Duration.ofMinutes(10));
        var now = Fixture.START;
        var settings = FleetFixtures.patient(FleetSettings.of(redis.uri(), "pages", "w1"));
        try (var frontier = FleetFixtures.join(settings, politeness, now)) {
            var known = new ArrayList<Candidate>();
            while (known.size() < 10 * hosts) {
                known.add(new Candidate(url(hosts), Hop.LINK, 1, 0));
            }
            durable(frontier.offer(TestFrontier.JOB, known, now));
            var cpu = cpuSeconds();
            var trips = frontier.roundTrips();
            var pages = 0L;
            while (pages < count) {
                now = now.plusMillis(100);
                var settlements = new ArrayList<Settlement>();
                for (var lease : frontier.lease(AT_ONCE, now)) {
                    if (frontier.passGates(lease, lease.url(), address(lease), now).isEmpty()) {
                        frontier.sent(lease, now);
                        settlements.add(page(lease, ++pages, known, hosts, now));
                    }
                }
                settle(frontier, settlements, now);
            }
            return new PageCost(
                    pages,
                    cpuSeconds() - cpu,
                    frontier.roundTrips() - trips,
                    frontier.ledger().accepted());
        }
    }

    private static void settle(RedisFrontier frontier, List<Settlement> settlements, Instant now) {
        durable(frontier.settle(new CommitBatch(settlements, List.of()), now));
    }

    private Settlement page(
            Lease lease, long capture, List<Candidate> known, int hosts, Instant now) {
        var links = new ArrayList<Candidate>();
        for (var i = 0; i < LINKS - NEW_LINKS; i++) {
            links.add(known.get(random.nextInt(known.size())));
        }
        for (var i = 0; i < NEW_LINKS; i++) {
            links.add(new Candidate(url(hosts), Hop.LINK, 2, 0));
        }
        return new Settlement(
                lease,
                new Outcome.Done(true, 23_000),
                new HostSignal.Healthy(now, Duration.ofMillis(50)),
                capture,
                links,
                Map.of());
    }

    private static InetAddress address(Lease lease) {
        var number = lease.url().host().hashCode();
        return Fixture.ip(
                "10.%d.%d.%d".formatted(number >> 16 & 255, number >> 8 & 255, number & 255));
    }

    /**
     * Offers this many distinct URLs, then the first of them again; queues are emptied directly.
     */
    public SeenCost seen(long count, int shards) throws IOException {
        var hosts = 4 * shards;
        var settings =
                FleetFixtures.patient(FleetSettings.of(redis.uri(), "seen", "w1"))
                        .withShards(shards);
        try (var frontier = FleetFixtures.join(settings, FrontierFixtures.PLAIN, Fixture.START)) {
            var first = some(hosts);
            durable(frontier.offer(TestFrontier.JOB, first, Fixture.START));
            empty(settings, frontier.fingerprintKey(), hosts);
            var before = memory();
            var cpu = cpuSeconds();
            var offered = (long) first.size();
            for (var batch = 1; offered < count; batch++) {
                var next = some(hosts);
                durable(frontier.offer(TestFrontier.JOB, next, Fixture.START));
                offered += next.size();
                if (batch % EMPTIED_EVERY == 0) {
                    empty(settings, frontier.fingerprintKey(), hosts);
                }
            }
            var used = cpuSeconds() - cpu;
            empty(settings, frontier.fingerprintKey(), hosts);
            var bytes = memory() - before;
            var wrong = offered - frontier.ledger().accepted();
            try (var other =
                    FleetFixtures.join(
                            settings.withWorker("w2"), FrontierFixtures.PLAIN, Fixture.START)) {
                durable(other.offer(TestFrontier.JOB, first, Fixture.START));
                wrong += Math.abs(other.ledger().duplicate() - first.size());
            }
            return new SeenCost(offered - first.size(), bytes, used, wrong);
        }
    }

    private List<Candidate> some(int hosts) {
        var some = new ArrayList<Candidate>(OFFERED_AT_ONCE);
        while (some.size() < OFFERED_AT_ONCE) {
            some.add(new Candidate(url(hosts), Hop.LINK, 1, 0));
        }
        return some;
    }

    /** Deletes the queued URLs: only their permanent remains are measured here. */
    private void empty(FleetSettings settings, FingerprintKey key, int hosts) throws IOException {
        var keys = new ArrayList<String>();
        keys.add("DEL");
        for (var i = 0; i < hosts; i++) {
            var host = "host" + i + ".example";
            keys.add(
                    Shards.base(settings.fleet(), Shards.shardOf(key, host, settings.shards()))
                            + ":q:0:b:"
                            + host);
            keys.add(
                    Shards.base(settings.fleet(), Shards.shardOf(key, host, settings.shards()))
                            + ":q:0:c:"
                            + host);
        }
        var _ = redis.command(keys.toArray(String[]::new));
    }

    private long memory() throws IOException {
        return Long.parseLong(
                RedisConnection.field(redis.command("INFO", "memory"), "used_memory"));
    }

    private double cpuSeconds() throws IOException {
        var info = redis.command("INFO", "cpu");
        return Double.parseDouble(RedisConnection.field(info, "used_cpu_user"))
                + Double.parseDouble(RedisConnection.field(info, "used_cpu_sys"));
    }

    @Override
    public void close() {
        redis.close();
    }
}
