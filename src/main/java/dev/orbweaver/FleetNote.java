package dev.orbweaver;

import dev.orbweaver.JobRecord.Webhook;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.Settings;
import dev.orbweaver.config.YamlFile;
import dev.orbweaver.frontier.redis.Job;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the service keeps with a job in Redis besides what workers need of it, as JSON.
 *
 * @param asked the settings as the job's sender wrote them, a JSON object
 */
record FleetNote(String asked, Optional<String> key, Optional<Webhook> webhook) {

    static FleetNote of(JobRecord job) {
        return new FleetNote(job.settings(), job.key(), job.webhook());
    }

    /**
     * Of a job that is with the fleet. One that came by another way than the service has none; its
     * settings are shown without what is usual and without what is an operator's to decide.
     */
    static FleetNote of(Job job, Settings table) {
        if (job.note().isEmpty()) {
            return new FleetNote(shown(job, table), Optional.empty(), Optional.empty());
        }
        var json = JsonMapper.shared().readTree(job.note());
        var hook = json.path("webhook");
        return new FleetNote(
                json.path("asked").asString("{}"),
                text(json, "key"),
                text(hook, "url").map(url -> new Webhook(url, text(hook, "secret").orElse(""))));
    }

    private static String shown(Job job, Settings table) {
        try {
            return YamlFile.json(
                    YamlFile.parse(job.settings(), "settings", table)
                            .only(
                                    name ->
                                            !name.equals(Settings.SEEDS)
                                                    && !JobRules.isOperators(name, table)));
        } catch (ConfigException e) {
            return "{}"; // No worker can crawl it either, and each says why.
        }
    }

    String json() {
        var json = new LinkedHashMap<String, Object>();
        json.put("asked", asked);
        key.ifPresent(text -> json.put("key", text));
        webhook.ifPresent(
                hook -> json.put("webhook", Map.of("url", hook.url(), "secret", hook.secret())));
        return JsonMapper.shared().writeValueAsString(json);
    }

    private static Optional<String> text(JsonNode json, String name) {
        var value = json.path(name);
        return value.isString() ? Optional.of(value.asString()) : Optional.empty();
    }
}
