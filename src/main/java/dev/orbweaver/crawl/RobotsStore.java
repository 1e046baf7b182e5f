package dev.orbweaver.crawl;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Where what robots.txt files say is kept beyond memory, and beyond the process. */
public interface RobotsStore {

    /** Keeps nothing: whatever is forgotten is asked for again. */
    RobotsStore NOTHING =
            new RobotsStore() {
                @Override
                public Optional<RobotsAnswer> find(String origin) {
                    return Optional.empty();
                }

                @Override
                public void keep(RobotsAnswer answer) {}

                @Override
                public Map<String, Duration> delays() {
                    return Map.of();
                }
            };

    /** What was last kept of an origin. */
    Optional<RobotsAnswer> find(String origin) throws IOException;

    /** Keeps an answer in place of any before. */
    void keep(RobotsAnswer answer) throws IOException;

    /** The origins that asked for a delay before this process began. */
    Map<String, Duration> delays();
}
