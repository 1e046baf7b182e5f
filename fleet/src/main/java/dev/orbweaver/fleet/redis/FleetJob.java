package dev.orbweaver.fleet.redis;

import dev.orbweaver.model.JobId;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A crawl that was given to a fleet.
 *
 * @param settings for its workers
 * @param seeds as its sender wrote them
 * @param version rises whenever workers are to begin anew, as with other settings
 * @param weight its share of the turns against those of other jobs
 * @param note whatever its sender wants to be kept with it; may be empty
 * @param stateDetail how it came to its state
 * @param identity another one for every job of every fleet, also where numbers are the same
 */
public record FleetJob(
        JobId id,
        State state,
        String settings,
        List<String> seeds,
        Instant submitted,
        int version,
        int weight,
        String note,
        StateDetail stateDetail,
        String identity) {

    /**
     * How a job came to its state.
     *
     * @param reason as a sentence; may be empty
     * @param failed whether its end is a failure
     * @param startedAt when somebody began with it
     * @param stateSince when it came to that state; nothing while it has never changed
     */
    public record StateDetail(
            String reason,
            boolean failed,
            Optional<Instant> startedAt,
            Optional<Instant> stateSince) {

        /** Nothing has happened yet. */
        public static final StateDetail NONE =
                new StateDetail("", false, Optional.empty(), Optional.empty());
    }

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

        String id() {
            return name().toLowerCase(Locale.ROOT);
        }

        static State of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    /** Keeps the parts unchangeable. */
    public FleetJob {
        seeds = List.copyOf(seeds);
    }
}
