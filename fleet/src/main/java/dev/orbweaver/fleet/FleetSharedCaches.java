package dev.orbweaver.fleet;

import dev.orbweaver.fleet.redis.RedisFrontier;
import dev.orbweaver.fleet.redis.SeedPieces;
import dev.orbweaver.fleet.redis.SharedJobCache;
import dev.orbweaver.fleet.redis.SharedJobCache.Topic;
import dev.orbweaver.internal.crawl.RobotsStore;
import dev.orbweaver.internal.crawl.SharedRobotsStore;
import dev.orbweaver.internal.directory.SharedCaches;
import dev.orbweaver.internal.directory.SharedRevisits;
import dev.orbweaver.internal.fetch.SharedDnsCache;
import dev.orbweaver.internal.revisit.RevisitSettings;
import dev.orbweaver.internal.seeds.SeedIntake;
import dev.orbweaver.internal.seeds.SeedReader;
import dev.orbweaver.internal.traps.TrapBalances;
import dev.orbweaver.model.JobId;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;

/**
 * Caches that the workers of one fleet job share in Redis. Jobs do not share them: they may have
 * other user agents and other name servers.
 */
final class FleetSharedCaches implements SharedCaches {

    private static final Logger LOG = LoggerFactory.getLogger(FleetSharedCaches.class);

    private final RedisFrontier frontier;
    private final SharedJobCache sharedJobCache;
    private final SeedPieces seedPieces;
    private final IntSupplier seedLists;
    private final JobId job;
    private final InstantSource clock;

    /**
     * @param seedLists how many seed lists the job has ever had
     */
    FleetSharedCaches(
            RedisFrontier frontier,
            SharedJobCache sharedJobCache,
            SeedPieces seedPieces,
            IntSupplier seedLists,
            JobId job,
            InstantSource clock) {
        this.frontier = frontier;
        this.sharedJobCache = sharedJobCache;
        this.seedPieces = seedPieces;
        this.seedLists = seedLists;
        this.job = job;
        this.clock = clock;
    }

    @Override
    public Optional<SeedReader> seedReader(Path directory, SeedIntake.Target target) {
        return Optional.of(
                new FleetSeedReader(seedPieces, job, directory, target, clock, seedLists));
    }

    @Override
    public Optional<SharedRevisits> revisits(
            RevisitSettings settings,
            SharedRevisits.PageWeight weight,
            SharedRevisits.Crawl crawl) {
        return Optional.of(new FleetRevisits(frontier, job, settings, weight, crawl, clock));
    }

    @Override
    public RobotsStore robots(RobotsStore own, InstantSource time) {
        var pool =
                new SharedRobotsStore.Pool() {
                    @Override
                    public Optional<byte[]> find(String origin) throws IOException {
                        return sharedJobCache.get(job, Topic.ROBOTS, origin);
                    }

                    @Override
                    public void put(String origin, byte[] answer, Duration lasts)
                            throws IOException {
                        sharedJobCache.put(job, Topic.ROBOTS, origin, answer, lasts);
                    }
                };
        return new SharedRobotsStore(own, pool, time);
    }

    @Override
    public SharedDnsCache addresses() {
        return new SharedDnsCache() {
            @Override
            public Optional<Entry> find(String host) {
                try {
                    return sharedJobCache
                            .get(job, Topic.ADDRESSES, host)
                            .flatMap(FleetSharedCaches.this::decode);
                } catch (IOException e) {
                    LOG.debug("could not read shared addresses of {}", host, e);
                    return Optional.empty();
                }
            }

            @Override
            public void put(String host, Entry entry) {
                try {
                    sharedJobCache.put(job, Topic.ADDRESSES, host, encode(entry), entry.ttl());
                } catch (IOException e) {
                    LOG.debug("could not share the addresses of {}", host, e);
                }
            }
        };
    }

    @Override
    public TrapBalances traps() {
        return new TrapBalances() {
            @Override
            public int[] apply(Changes changes) throws IOException {
                return sharedJobCache.updateTrapBalances(
                        job, changes.id(), changes.max(), changes.keys(), changes.deltas());
            }

            @Override
            public int[] balances(List<Long> keys) throws IOException {
                return sharedJobCache.updateTrapBalances(
                        job, "", 0, keys, Collections.nCopies(keys.size(), 0));
            }
        };
    }

    @Override
    public boolean isShared() {
        return true;
    }

    /** Encodes an entry: the fleet time at which it expires, then the addresses. */
    private byte[] encode(SharedDnsCache.Entry entry) {
        var until = clock.instant().plus(entry.ttl()).toEpochMilli();
        return entry.addresses().stream()
                .map(InetAddress::getHostAddress)
                .collect(Collectors.joining(" ", until + " ", ""))
                .getBytes(StandardCharsets.US_ASCII);
    }

    private Optional<SharedDnsCache.Entry> decode(byte[] note) {
        var words = new String(note, StandardCharsets.US_ASCII).split(" ", -1);
        try {
            var left = Long.parseLong(words[0]) - clock.instant().toEpochMilli();
            var addresses = Arrays.stream(words).skip(1).map(InetAddress::ofLiteral).toList();
            return left > 0 && !addresses.isEmpty()
                    ? Optional.of(new SharedDnsCache.Entry(addresses, Duration.ofMillis(left)))
                    : Optional.empty();
        } catch (IllegalArgumentException e) {
            LOG.warn("could not read a shared DNS entry: {}", e.getMessage());
            return Optional.empty();
        }
    }
}
