package dev.orbweaver.fleet.redis;

import dev.orbweaver.model.JobId;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A job of a fleet.
 *
 * @param settings for its workers
 * @param seeds as the client sent them
 * @param version incremented whenever workers must restart the crawl, for example with other
 *     settings
 * @param weight its share of the turns relative to other jobs
 * @param note metadata of the client; may be empty
 * @param identity unique among all jobs of all fleets, even if numbers are the same
 * @param seedLists how many seed lists were ever added
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
        String identity,
        int seedLists) {

    /**
     * Why and when a job entered its state.
     *
     * @param reason as a sentence; may be empty
     * @param failed whether its end is a failure
     * @param stateSince empty if it has never changed
     */
    public record StateDetail(
            String reason,
            boolean failed,
            Optional<Instant> startedAt,
            Optional<Instant> stateSince) {

        public static final StateDetail NONE =
                new StateDetail("", false, Optional.empty(), Optional.empty());
    }

    public enum State {
        /** No URL of it is claimed until its import is complete. */
        IMPORTING,
        /** No worker has started it. */
        QUEUED,
        RUNNING,
        /** No URL of it is claimed until it is resumed. */
        PAUSED,
        STOPPED,
        FINISHED;

        String id() {
            return name().toLowerCase(Locale.ROOT);
        }

        static State of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    public FleetJob {
        seeds = List.copyOf(seeds);
    }
}
