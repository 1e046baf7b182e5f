package dev.orbweaver.internal.jobs;

import dev.orbweaver.internal.crawl.RobotsEntry;
import dev.orbweaver.internal.crawl.RobotsStore;
import dev.orbweaver.internal.directory.SharedCaches;
import dev.orbweaver.internal.fetch.SharedDnsCache;
import dev.orbweaver.internal.traps.TrapBalances;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The robots.txt files that the jobs of one service share in memory, so that each is fetched once
 * for all of them. Jobs with different user agents do not share files: a host may respond to them
 * differently. While one job fetches a file, the others wait for it.
 */
final class RobotsPool {

    static final long BYTES_MAX = 32L << 20;
    private static final int ENTRY_BYTES = 300;
    private static final int CLAIMS_MAX = 100_000;
    private static final Duration CLAIM_MAX = Duration.ofMinutes(1);

    /** The file of an origin for jobs with this user agent. */
    private record Key(String userAgent, String origin) {}

    private record Claim(Object owner, Instant expires) {}

    private final InstantSource clock;
    private final Map<Key, RobotsEntry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Key, Claim> claims = new HashMap<>();
    private long bytes;

    RobotsPool(InstantSource clock) {
        this.clock = clock;
    }

    private synchronized Optional<RobotsEntry> find(Key key) {
        return Optional.ofNullable(entries.get(key))
                .filter(entry -> clock.instant().isBefore(entry.nextAttempt()));
    }

    private synchronized void put(Key key, RobotsEntry entry) {
        var before = entries.put(key, entry);
        bytes += ENTRY_BYTES + entry.text().length;
        bytes -= before == null ? 0 : ENTRY_BYTES + before.text().length;
        var oldest = entries.values().iterator();
        while (bytes > BYTES_MAX) {
            bytes -= ENTRY_BYTES + oldest.next().text().length;
            oldest.remove();
        }
    }

    /** Refuses a claim also if the file was shared after the caller has looked for it. */
    private synchronized boolean tryClaim(Key key, Object owner) {
        var now = clock.instant();
        var claim = claims.get(key);
        if (claim != null && !claim.owner.equals(owner) && now.isBefore(claim.expires)) {
            return false;
        }
        if (find(key).isPresent()) {
            return false;
        }
        if (claims.size() >= CLAIMS_MAX) {
            claims.values().removeIf(each -> !now.isBefore(each.expires));
        }
        claims.put(key, new Claim(owner, now.plus(CLAIM_MAX)));
        return true;
    }

    private synchronized void releaseClaim(Key key, Object owner) {
        var claim = claims.get(key);
        if (claim != null && claim.owner.equals(owner)) {
            claims.remove(key);
        }
    }

    /** Returns the caches of a job with this user agent. */
    SharedCaches caches(String userAgent) {
        return new SharedCaches() {
            @Override
            public RobotsStore robots(RobotsStore own, InstantSource time) {
                return new JobEntries(own, userAgent);
            }

            @Override
            public SharedDnsCache addresses() {
                return SharedDnsCache.NONE;
            }

            @Override
            public TrapBalances traps() {
                return TrapBalances.LOCAL;
            }

            @Override
            public boolean isShared() {
                return false;
            }
        };
    }

    /** The entries of one job, which shares those that it has fetched. */
    private final class JobEntries implements RobotsStore {

        private final RobotsStore own;
        private final String userAgent;

        private JobEntries(RobotsStore own, String userAgent) {
            this.own = own;
            this.userAgent = userAgent;
        }

        private Key key(String origin) {
            return new Key(userAgent, origin);
        }

        @Override
        public Optional<RobotsEntry> find(String origin) throws IOException {
            return own.find(origin);
        }

        @Override
        public Optional<RobotsEntry> findOfOthers(String origin) {
            return RobotsPool.this.find(key(origin));
        }

        @Override
        public boolean tryClaim(String origin) {
            return RobotsPool.this.tryClaim(key(origin), this);
        }

        @Override
        public void releaseClaim(String origin) {
            RobotsPool.this.releaseClaim(key(origin), this);
        }

        @Override
        public void save(RobotsEntry entry) throws IOException {
            own.save(entry);
            put(key(entry.origin()), entry);
            releaseClaim(entry.origin());
        }

        @Override
        public Map<String, Duration> delays() {
            return own.delays();
        }
    }
}
