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
 * A store whose answers several workers share: a host that goes from one to the other is not asked
 * for its robots.txt again, nor is one whose file cannot be had asked by each of them.
 *
 * <p>An answer is shared when it is kept, which is after the commit that makes its delay a fact;
 * the delay itself travels with the host. Sharing may fail without harm: then each asks for itself.
 */
public final class SharedRobotsStore implements RobotsStore {

    /** Where answers are shared. */
    public interface Pool {

        /** What somebody kept of an origin, if it is still there. */
        Optional<byte[]> find(String origin) throws IOException;

        /** Has others find this for so long. */
        void put(String origin, byte[] answer, Duration lasts) throws IOException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(SharedRobotsStore.class);

    private final RobotsStore local;
    private final Pool pool;
    private final InstantSource clock;

    /**
     * Shares what is kept.
     *
     * @param own what this worker keeps itself, for longer than anything is shared
     */
    public SharedRobotsStore(RobotsStore own, Pool pool, InstantSource clock) {
        this.local = own;
        this.pool = pool;
        this.clock = clock;
    }

    @Override
    public Optional<RobotsEntry> find(String origin) throws IOException {
        var now = clock.instant();
        var mine = local.find(origin);
        if (mine.isPresent() && now.isBefore(mine.get().nextAttempt())) {
            return mine;
        }
        var others = fromPool(origin);
        var newer =
                others.filter(
                        other ->
                                mine.isEmpty()
                                        || other.attemptedAt().isAfter(mine.get().attemptedAt()));
        return newer.isPresent() ? newer : mine;
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
            LOG.debug("nobody is asked what {}/robots.txt says", origin, e);
            return Optional.empty();
        }
    }

    @Override
    public void save(RobotsEntry answer) throws IOException {
        local.save(answer);
        share(answer, clock.instant());
    }

    private void share(RobotsEntry answer, Instant now) {
        try {
            var frame = RobotsEntryCodec.write(answer, 0);
            var bytes = new byte[frame.remaining()];
            frame.get(bytes);
            pool.put(answer.origin(), bytes, Duration.between(now, answer.nextAttempt()));
        } catch (IOException e) {
            LOG.debug("nobody is told what {}/robots.txt says", answer.origin(), e);
        }
    }

    @Override
    public Map<String, Duration> delays() {
        return local.delays();
    }
}
