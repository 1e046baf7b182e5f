package dev.orbweaver.fleet.redis;

import static dev.orbweaver.internal.frontier.TestFrontier.durable;

import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.FrontierFixtures;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Priority;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * More URLs than fit into Redis, and an oracle: each URL is made from a number, so that a bit for
 * each shows which of them were leased, are in Redis or in a file, and which twice.
 */
public final class OverflowLoad implements AutoCloseable {

    /**
     * The result.
     *
     * @param peakBytes the maximum memory that Redis used
     * @param refused how often Redis was full
     * @param evicted keys that Redis evicted
     * @param lost URLs that are missing, by the oracle and by the ledger
     * @param doubled URLs that are stored twice or were leased twice
     */
    public record Result(
            long urls,
            long cold,
            long leased,
            long peakBytes,
            long refused,
            long evicted,
            long lost,
            long doubled,
            long fileBytes,
            double redisSeconds) {}

    private static final int OFFERED_AT_ONCE = 20_000;
    private static final int LEASED_AT_ONCE = 100;
    private static final int HOSTS_AT_ONCE = 200;
    private static final int EVERY = 1_000_000;

    private final RedisProcess redis;
    private final FleetSettings settings;
    private final OverflowStore.InFiles place;
    private final int hosts;
    private final Consumer<String> progress;
    private final BitSet met = new BitSet();
    private long doubled;

    /** Starts a Redis with this much memory. */
    public OverflowLoad(
            Path directory, int megabytes, int shards, int hosts, Consumer<String> progress)
            throws IOException {
        this.redis =
                RedisProcess.start(
                        directory.resolve("redis"),
                        "--maxmemory",
                        megabytes + "mb",
                        "--maxmemory-policy",
                        "noeviction");
        this.place = new OverflowStore.InFiles(directory.resolve("tails"), 0);
        this.settings =
                FleetFixtures.patient(FleetSettings.of(redis.uri(), "overflow", "w1"))
                        .withShards(shards)
                        .withOverflowStore(place);
        this.hosts = hosts;
        this.progress = progress;
    }

    /** The finaliser of SplitMix64, which is a bijection. */
    private static long mixed(long number) {
        var z = number * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    private Candidate candidate(int number) {
        var high = mixed(number);
        var host = "host" + Long.remainderUnsigned(mixed(high), hosts) + ".example";
        var text = "http://" + host + "/a/path/of/some/length/" + number + ".html";
        return new Candidate(
                new CrawlUrl(text, host, new Fingerprint(high, (short) 0)), Hop.LINK, 1, 0);
    }

    private void meet(String url) {
        var number =
                Integer.parseInt(
                        url, url.lastIndexOf('/') + 1, url.length() - ".html".length(), 10);
        if (met.get(number)) {
            doubled++;
        }
        met.set(number);
    }

    /** Offers this many URLs, leases some of them, and checks where all are. */
    public Result run(int urls, int leases) throws IOException {
        var now = Fixture.START;
        var refused = 0L;
        var leased = 0;
        var cold = 0L;
        var lost = 0L;
        var used = 0.0;
        var cpu = cpuSeconds();
        try (var frontier = FleetFixtures.join(settings, FrontierFixtures.PLAIN, now)) {
            for (var from = 0; from < urls; from += OFFERED_AT_ONCE) {
                var some = new ArrayList<Candidate>();
                for (var i = from; i < Math.min(urls, from + OFFERED_AT_ONCE); i++) {
                    some.add(candidate(i));
                }
                now = now.plusMillis(100);
                refused += offer(frontier, some, now);
                if ((from + some.size()) % EVERY == 0) {
                    tell(frontier, now, from + some.size());
                }
            }
            used = cpuSeconds() - cpu;
            while (leased < leases) {
                now = now.plusMillis(500);
                leased += take(frontier, Math.min(LEASED_AT_ONCE, leases - leased), now);
            }
            cold = frontier.spilledUrls(TestFrontier.JOB);
            var ledger = frontier.ledger();
            lost = Math.abs(ledger.done() + ledger.queued() - urls);
        }
        lookForAll();
        return new Result(
                urls,
                cold,
                leased,
                info("memory", "used_memory_peak"),
                refused,
                info("stats", "evicted_keys"),
                lost + urls - met.cardinality(),
                doubled,
                fileBytes(),
                used);
    }

    private void tell(RedisFrontier frontier, Instant now, long offered) throws IOException {
        progress.accept(
                "%,d URLs offered, %,d of them in files, Redis uses %,d bytes, %.0f s of CPU"
                        .formatted(
                                offered,
                                frontier.spilledUrls(TestFrontier.JOB),
                                info("memory", "used_memory"),
                                cpuSeconds()));
        var _ = frontier.heartbeat("overflowing", true, now);
    }

    private static int offer(RedisFrontier frontier, List<Candidate> some, Instant now) {
        var status = frontier.offer(TestFrontier.JOB, some, now);
        var tries = 0;
        while (!status.isStored()) {
            if (tries++ > 1000) {
                throw new IllegalStateException(status.toString());
            }
            RedisProcess.pause(10);
            status = frontier.flush();
        }
        return tries;
    }

    private int take(RedisFrontier frontier, int max, Instant now) {
        var settlements = new ArrayList<Settlement>();
        for (var lease : frontier.lease(max, now)) {
            meet(lease.url().text());
            settlements.add(
                    Settlement.of(
                            lease,
                            new Outcome.Done(true, 1),
                            new HostSignal.Healthy(now, Duration.ZERO)));
        }
        durable(frontier.settle(new CommitBatch(settlements, List.of()), now));
        return settlements.size();
    }

    /** Returns every URL that is in a queue, in Redis or in a file. */
    private void lookForAll() throws IOException {
        var files = new OverflowFiles(new RealDisk(), place.directory().resolve(settings.fleet()));
        try (var link = RedisConnection.open(settings.uri(), settings.timeout())) {
            var shards =
                    new Shards(
                            link,
                            settings,
                            FleetCompatibility.identify(link, settings).fingerprintKey());
            var byShard = new ArrayList<ArrayList<String>>();
            for (var i = 0; i < settings.shards(); i++) {
                byShard.add(new ArrayList<>());
            }
            for (var i = 0; i < hosts; i++) {
                var host = "host" + i + ".example";
                byShard.get(shards.shardOf(host)).add(host);
            }
            for (var shard = 0; shard < byShard.size(); shard++) {
                var all = byShard.get(shard);
                for (var from = 0; from < all.size(); from += HOSTS_AT_ONCE) {
                    look(
                            shards,
                            files,
                            shard,
                            all.subList(from, Math.min(all.size(), from + HOSTS_AT_ONCE)));
                }
            }
        }
    }

    private void look(Shards shards, OverflowFiles files, int shard, List<String> some)
            throws IOException {
        var queues = new ArrayList<SpillRequest.Tail>();
        for (var host : some) {
            for (var rank = 0; rank <= Priority.LAST_RANK; rank++) {
                queues.add(new SpillRequest.Tail(TestFrontier.JOB.number(), host, rank, 0));
            }
        }
        var peek =
                new SpillRequest.Peek(shard, TestFrontier.JOB.number(), Integer.MAX_VALUE, queues);
        for (var queue : shards.query(peek, 0)) {
            for (var element : queue) {
                if (!SpilledRange.isSpilledRange(element)) {
                    meet(RedisRecordCodec.read(0, element).url().url().text());
                    continue;
                }
                var rest = Optional.of(SpilledRange.decode(element));
                while (rest.isPresent()) {
                    var spilledPart = files.read(shard, rest.get(), 1000);
                    spilledPart
                            .records()
                            .forEach(
                                    record ->
                                            meet(
                                                    RedisRecordCodec.read(0, record)
                                                            .url()
                                                            .url()
                                                            .text()));
                    rest = spilledPart.rest();
                }
            }
        }
    }

    private long fileBytes() throws IOException {
        if (!Files.exists(place.directory())) {
            return 0;
        }
        try (var files = Files.walk(place.directory())) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    private long info(String section, String field) throws IOException {
        return Long.parseLong(RedisConnection.field(redis.command("INFO", section), field));
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
