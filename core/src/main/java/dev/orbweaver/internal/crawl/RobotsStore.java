package dev.orbweaver.internal.crawl;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Stores robots.txt entries beyond memory and the process. */
public interface RobotsStore {

    /** Stores nothing; evicted entries are fetched again. */
    RobotsStore NO_STORE =
            new RobotsStore() {
                @Override
                public Optional<RobotsEntry> find(String origin) {
                    return Optional.empty();
                }

                @Override
                public void save(RobotsEntry entry) {}

                @Override
                public Map<String, Duration> delays() {
                    return Map.of();
                }
            };

    /** Returns the stored entry of an origin. */
    Optional<RobotsEntry> find(String origin) throws IOException;

    /**
     * Returns the entry of an origin that another crawl has fetched and that is fresh. Must not
     * block.
     */
    default Optional<RobotsEntry> findOfOthers(String origin) {
        return Optional.empty();
    }

    /**
     * Returns whether this crawl may fetch the robots.txt of an origin. If so, no other crawl that
     * shares entries with it may, until {@link #save}, {@link #releaseClaim} or a minute later.
     * Must not block.
     */
    default boolean tryClaim(String origin) {
        return true;
    }

    default void releaseClaim(String origin) {}

    /** Stores an entry, replacing an earlier one. */
    void save(RobotsEntry entry) throws IOException;

    /** Returns the crawl delays of origins that were stored before this process started. */
    Map<String, Duration> delays();
}
