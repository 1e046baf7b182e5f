package dev.orbweaver.internal.crawl;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Where what robots.txt files say is kept beyond memory, and beyond the process. */
public interface RobotsStore {

    /** Keeps nothing: whatever is forgotten is asked for again. */
    RobotsStore NO_STORE =
            new RobotsStore() {
                @Override
                public Optional<RobotsEntry> find(String origin) {
                    return Optional.empty();
                }

                @Override
                public void save(RobotsEntry answer) {}

                @Override
                public Map<String, Duration> delays() {
                    return Map.of();
                }
            };

    /** What was last kept of an origin. */
    Optional<RobotsEntry> find(String origin) throws IOException;

    /** Keeps an answer in place of any before. */
    void save(RobotsEntry answer) throws IOException;

    /** The origins that asked for a delay before this process began. */
    Map<String, Duration> delays();
}
