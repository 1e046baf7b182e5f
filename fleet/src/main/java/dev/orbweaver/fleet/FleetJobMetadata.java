package dev.orbweaver.fleet;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.Settings;
import dev.orbweaver.config.YamlFile;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRecord.Webhook;
import dev.orbweaver.internal.jobs.JobRules;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the service keeps with a job in Redis besides what workers need of it, as JSON.
 *
 * @param requestedSettings the settings as the job's sender wrote them, a JSON object
 */
record FleetJobMetadata(String requestedSettings, Optional<String> key, Optional<Webhook> webhook) {

    static FleetJobMetadata of(JobRecord job) {
        return new FleetJobMetadata(job.settings(), job.key(), job.webhook());
    }

    /**
     * Of a job that is with the fleet. One that came by another way than the service has none; its
     * settings are shown without what is usual and without what is an operator's to decide.
     */
    static FleetJobMetadata of(FleetJob fleetJob, Settings table) {
        if (fleetJob.note().isEmpty()) {
            return new FleetJobMetadata(
                    visibleSettings(fleetJob, table), Optional.empty(), Optional.empty());
        }
        var json = JsonMapper.shared().readTree(fleetJob.note());
        var hook = json.path("webhook");
        return new FleetJobMetadata(
                json.path("asked").asString("{}"),
                text(json, "key"),
                text(hook, "url").map(url -> new Webhook(url, text(hook, "secret").orElse(""))));
    }

    private static String visibleSettings(FleetJob fleetJob, Settings table) {
        try {
            return YamlFile.toJson(
                    YamlFile.parse(fleetJob.settings(), "settings", table)
                            .filter(
                                    name ->
                                            !name.equals(Settings.SEEDS)
                                                    && !JobRules.isOperatorSetting(name, table)));
        } catch (ConfigException e) {
            return "{}"; // No worker can crawl it either, and each says why.
        }
    }

    String toJson() {
        var json = new LinkedHashMap<String, Object>();
        json.put("asked", requestedSettings);
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
