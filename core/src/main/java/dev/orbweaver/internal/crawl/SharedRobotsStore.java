package dev.orbweaver.internal.crawl;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/**
 * Shares robots.txt entries between workers. A host that moves to another worker is not requested
 * again, and an unreachable robots.txt is not tried by each worker.
 *
 * <p>An entry is shared when it is stored, which is after the commit of its delay; the delay itself
 * moves with the host. Sharing may fail without harm: then each worker fetches the file itself.
 */
public final class SharedRobotsStore implements RobotsStore {

    /** The storage shared by the workers. */
    public interface Pool {

        /** Returns the shared entry of an origin, if it has not expired. */
        Optional<byte[]> find(String origin) throws IOException;

        /** Shares an entry for this long. */
        void put(String origin, byte[] entry, Duration lifetime) throws IOException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(SharedRobotsStore.class);

    private final RobotsStore local;
    private final Pool pool;
    private final InstantSource clock;

    /**
     * Creates a store that shares what it saves.
     *
     * @param local this worker's own store, which keeps entries longer than they are shared
     */
    public SharedRobotsStore(RobotsStore local, Pool pool, InstantSource clock) {
        this.local = local;
        this.pool = pool;
        this.clock = clock;
    }

    @Override
    public Optional<RobotsEntry> find(String origin) throws IOException {
        var now = clock.instant();
        var own = local.find(origin);
        if (own.isPresent() && now.isBefore(own.get().nextAttempt())) {
            return own;
        }
        var shared = fromPool(origin);
        var newer =
                shared.filter(
                        other ->
                                own.isEmpty()
                                        || other.attemptedAt().isAfter(own.get().attemptedAt()));
        return newer.isPresent() ? newer : own;
    }

    private Optional<RobotsEntry> fromPool(String origin) {
        try {
            var bytes = pool.find(origin);
            if (bytes.isEmpty()) {
                return Optional.empty();
            }
            var payload = RobotsEntryCodec.payload(MemorySegment.ofArray(bytes.get()), 0);
            return payload.isPresent() && RobotsEntryCodec.origin(payload.get()).equals(origin)
                    ? Optional.of(RobotsEntryCodec.read(payload.get()))
                    : Optional.empty();
        } catch (IOException e) {
            LOG.debug("could not read the shared robots.txt entry of {}", origin, e);
            return Optional.empty();
        }
    }

    @Override
    public void save(RobotsEntry entry) throws IOException {
        local.save(entry);
        share(entry, clock.instant());
    }

    private void share(RobotsEntry entry, Instant now) {
        try {
            pool.put(entry.origin(), encode(entry), Duration.between(now, entry.nextAttempt()));
        } catch (IOException e) {
            LOG.debug("could not share the robots.txt entry of {}", entry.origin(), e);
        }
    }

    /** Encodes an entry as it is shared. */
    public static byte[] encode(RobotsEntry entry) {
        var frame = RobotsEntryCodec.write(entry, 0);
        var bytes = new byte[frame.remaining()];
        frame.get(bytes);
        return bytes;
    }

    @Override
    public Map<String, Duration> delays() {
        return local.delays();
    }
}
