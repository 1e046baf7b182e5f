package dev.orbweaver.internal.jobs;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.SettingValues;
import dev.orbweaver.config.Settings;
import dev.orbweaver.config.YamlFile;
import dev.orbweaver.model.JobId;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What is known of a job besides its crawl, as it is kept in the job's folder.
 *
 * @param reason why it is in that state, as a sentence; may be empty
 * @param settings as its sender wrote them, a JSON object
 * @param weight its share of the turns against those of other jobs
 * @param key by which its sender will know it when asking twice
 * @param webhook who is told of its end
 * @param changes of its state, the oldest first; very old ones are left out
 * @param dropped how many of those are left out
 */
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
        long dropped) {

    /** So many changes are kept. */
    static final int CHANGES_MAX = 500;

    /** What becomes of a job. */
    public enum State {
        /** Its turn has not come. */
        QUEUED,
        /** It is being crawled. */
        RUNNING,
        /** Nothing of it is asked for until it is resumed. */
        PAUSED,
        /** It has come to its end. */
        FINISHED,
        /** It was ended by hand. */
        STOPPED,
        /** It ended without a page, or by an error. */
        FAILED,
        /** What is left of it is being removed. */
        DELETED;

        /** As people write it. */
        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Whether its crawl is to go on by itself, now or after a restart. */
        public boolean isOpen() {
            return this == QUEUED || this == RUNNING || this == PAUSED;
        }
    }

    /**
     * A change of state.
     *
     * @param seq the last line of the page log that was told before it
     */
    public record Change(long seq, State state, String reason, Instant at) {}

    /**
     * Who is told of a job's end.
     *
     * @param secret what the message is signed with
     */
    public record Webhook(String url, String secret) {
        @Override
        public String toString() {
            return url; // Secrets are in no log.
        }
    }

    /** Keeps the parts unchangeable. */
    public JobRecord {
        seeds = List.copyOf(seeds);
        changes = List.copyOf(changes);
    }

    /** A job that was just sent. */
    public static JobRecord submitted(JobId id, JobRequest wish, Instant now) {
        return new JobRecord(
                id,
                State.QUEUED,
                "",
                wish.seeds(),
                wish.settings(),
                wish.weight(),
                wish.key(),
                wish.webhook(),
                now,
                Optional.empty(),
                Optional.empty(),
                List.of(),
                0);
    }

    /** The same in another state. */
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
                dropped);
    }

    /** The same with its last change of state noted down. */
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
                dropped + tooMany);
    }

    /** The same under other settings. */
    public JobRecord withSettings(String otherSettings, int otherWeight) {
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
                dropped);
    }

    /** Its settings by name, with its seeds. */
    SettingValues values() throws ConfigException {
        return YamlFile.parse(settings, "settings", Settings.CORE).put(Settings.SEEDS, seeds);
    }

    String toJson() {
        var json = new LinkedHashMap<String, Object>();
        json.put("id", id.number());
        json.put("state", state.id());
        json.put("reason", reason);
        json.put("seeds", seeds);
        json.put("settings", settings);
        json.put("weight", weight);
        key.ifPresent(text -> json.put("key", text));
        webhook.ifPresent(
                hook -> json.put("webhook", Map.of("url", hook.url, "secret", hook.secret)));
        json.put("created", created.toString());
        started.ifPresent(time -> json.put("started", time.toString()));
        ended.ifPresent(time -> json.put("ended", time.toString()));
        json.put("changes", changes.stream().map(JobRecord::toJson).toList());
        json.put("dropped", dropped);
        return JsonMapper.shared().writeValueAsString(json) + "\n";
    }

    private static Map<String, Object> toJson(Change change) {
        return Map.of(
                "seq",
                change.seq,
                "state",
                change.state.id(),
                "reason",
                change.reason,
                "at",
                change.at.toString());
    }

    static JobRecord fromJson(String text) {
        var json = JsonMapper.shared().readTree(text);
        var hook = json.path("webhook");
        return new JobRecord(
                new JobId(json.path("id").asInt()),
                state(json),
                json.path("reason").asString(""),
                json.path("seeds").valueStream().map(JsonNode::asString).toList(),
                json.path("settings").asString("{}"),
                json.path("weight").asInt(1),
                text(json, "key"),
                text(hook, "url").map(url -> new Webhook(url, text(hook, "secret").orElse(""))),
                Instant.parse(json.path("created").asString("")),
                text(json, "started").map(Instant::parse),
                text(json, "ended").map(Instant::parse),
                json.path("changes").valueStream().map(JobRecord::change).toList(),
                json.path("dropped").asLong(0));
    }

    private static Change change(JsonNode json) {
        return new Change(
                json.path("seq").asLong(),
                state(json),
                json.path("reason").asString(""),
                Instant.parse(json.path("at").asString("")));
    }

    private static State state(JsonNode json) {
        return State.valueOf(json.path("state").asString("").toUpperCase(Locale.ROOT));
    }

    private static Optional<String> text(JsonNode json, String name) {
        var value = json.path(name);
        return value.isString() ? Optional.of(value.asString()) : Optional.empty();
    }
}
