package dev.orbweaver.frontier.redis;

import dev.orbweaver.model.JobId;

import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * A crawl that was given to a fleet.
 *
 * @param settings as its sender wrote them
 * @param seeds as its sender wrote them
 */
public record Job(JobId id, State state, String settings, List<String> seeds, Instant submitted) {

    /** What becomes of a job. */
    public enum State {
        /** Nobody has begun with it. */
        QUEUED,
        /** Workers are at it. */
        RUNNING,
        /** Nothing of it is handed out until it is resumed. */
        PAUSED,
        /** It was ended by hand. */
        STOPPED,
        /** It has come to its end. */
        FINISHED;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        static State of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    /** Keeps the parts unchangeable. */
    public Job {
        seeds = List.copyOf(seeds);
    }
}
