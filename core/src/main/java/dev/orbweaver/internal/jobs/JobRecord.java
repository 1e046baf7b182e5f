package dev.orbweaver.internal.jobs;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonValue;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.model.JobId;

import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The stored record of a job, in the job's directory.
 *
 * @param reason why it is in that state, as a sentence; may be empty
 * @param settings as the client sent them, a JSON object
 * @param weight its share of the turns relative to other jobs
 * @param key idempotency key of the client
 * @param webhook receives events of the job
 * @param changes of its state, the oldest first; very old ones are dropped
 * @param dropped the number of dropped changes
 * @param labels what its client says about it
 * @param running how long it has been running
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record JobRecord(
        JobId id,
        State state,
        String reason,
        List<String> seeds,
        String settings,
        int weight,
        Optional<String> key,
        Optional<Webhook> webhook,
        Instant created,
        Optional<Instant> started,
        Optional<Instant> ended,
        List<Change> changes,
        long dropped,
        JobLabels labels,
        RunningTime running) {

    static final int CHANGES_MAX = 500;

    public enum State {
        QUEUED,
        RUNNING,
        /** No URL of it is leased until it is resumed. */
        PAUSED,
        FINISHED,
        /** Ended by a user. */
        STOPPED,
        /** Ended without a page, or because of an error. */
        FAILED,
        /** Its data is being deleted. */
        DELETED;

        @JsonValue
        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns whether its crawl continues without a command, now or after a restart. */
        public boolean isOpen() {
            return this == QUEUED || this == RUNNING || this == PAUSED;
        }
    }

    /**
     * A change of state.
     *
     * @param seq the number of the last line of the page log before it
     */
    public record Change(long seq, State state, String reason, Instant at) {}

    /**
     * The receiver of the events of a job.
     *
     * @param secret signs the messages; may be empty
     * @param events those that it receives
     * @param everyPages the number of pages between two messages about them; 0 for none
     */
    public record Webhook(String url, String secret, List<String> events, int everyPages) {

        public Webhook {
            events = List.copyOf(events);
        }

        /** Returns whether it receives an event. */
        public boolean receives(String event) {
            return events.contains(event);
        }

        @Override
        public String toString() {
            return url; // The secret must not be logged.
        }
    }

    public JobRecord {
        seeds = List.copyOf(seeds);
        changes = List.copyOf(changes);
    }

    public static JobRecord submitted(JobId id, JobRequest request, Instant now) {
        return new JobRecord(
                id,
                State.QUEUED,
                "",
                request.seeds(),
                request.settings(),
                request.weight(),
                request.key(),
                request.webhook(),
                now,
                Optional.empty(),
                Optional.empty(),
                List.of(),
                0,
                request.labels(),
                RunningTime.NONE);
    }

    public JobRecord withState(State next, String why, Instant now) {
        var begun = next == State.RUNNING ? started.or(() -> Optional.of(now)) : started;
        return new JobRecord(
                id,
                next,
                why,
                seeds,
                settings,
                weight,
                key,
                webhook,
                created,
                begun,
                next.isOpen() ? Optional.empty() : Optional.of(now),
                changes,
                dropped,
                labels,
                next == State.RUNNING ? running.started(now) : running.stopped(now));
    }

    public JobRecord withChange(Change change) {
        var more = new ArrayList<>(changes);
        more.add(change);
        var tooMany = Math.max(0, more.size() - CHANGES_MAX);
        return new JobRecord(
                id,
                state,
                reason,
                seeds,
                settings,
                weight,
                key,
                webhook,
                created,
                started,
                ended,
                more.subList(tooMany, more.size()),
                dropped + tooMany,
                labels,
                running);
    }

    public JobRecord withSettings(String otherSettings, int otherWeight) {
        return with(otherSettings, otherWeight, labels, running);
    }

    public JobRecord withLabels(JobLabels otherLabels) {
        return with(settings, weight, otherLabels, running);
    }

    /** Returns the record while no process crawls the job, without a change of its state. */
    JobRecord suspended(Instant now) {
        return with(settings, weight, labels, running.stopped(now));
    }

    /** Returns the record after its crawl has started in this process. */
    JobRecord continued(Instant now) {
        return with(settings, weight, labels, running.started(now));
    }

    private JobRecord with(
            String otherSettings, int otherWeight, JobLabels otherLabels, RunningTime time) {
        return new JobRecord(
                id,
                state,
                reason,
                seeds,
                otherSettings,
                otherWeight,
                key,
                webhook,
                created,
                started,
                ended,
                changes,
                dropped,
                otherLabels,
                time);
    }

    /** Returns its settings by name, including its seeds. */
    SettingValues values() throws ConfigException {
        return YamlFile.parse(settings, "settings", Settings.CORE).put(Settings.SEEDS, seeds);
    }

    String toJson() {
        return JsonMapper.shared().writeValueAsString(this) + "\n";
    }

    static JobRecord fromJson(String text) {
        return JsonMapper.shared()
                .readerFor(JobRecord.class)
                .with(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                .readValue(text);
    }
}
