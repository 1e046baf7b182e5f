package dev.orbweaver.fleet;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.internal.jobs.JobLabels;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRecord.Webhook;
import dev.orbweaver.internal.jobs.JobRules;

import tools.jackson.databind.json.JsonMapper;

import java.util.Optional;

/**
 * The job service's own data about a job in Redis, besides what workers need, as JSON.
 *
 * @param requestedSettings the settings as the client sent them, a JSON object
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
record FleetJobMetadata(
        @JsonProperty("asked") String requestedSettings,
        Optional<String> key,
        Optional<Webhook> webhook,
        JobLabels labels) {

    static FleetJobMetadata of(JobRecord job) {
        return new FleetJobMetadata(job.settings(), job.key(), job.webhook(), job.labels());
    }

    /**
     * Returns the metadata of a job. One that was not submitted through the service has none; its
     * settings are shown without defaults and without those of the operator.
     */
    static FleetJobMetadata of(FleetJob fleetJob, Settings table) {
        return fleetJob.note().isEmpty()
                ? new FleetJobMetadata(
                        visibleSettings(fleetJob, table),
                        Optional.empty(),
                        Optional.empty(),
                        JobLabels.NONE)
                : JsonMapper.shared().readValue(fleetJob.note(), FleetJobMetadata.class);
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
            return "{}"; // No worker can crawl it either; each logs the reason.
        }
    }

    String toJson() {
        return JsonMapper.shared().writeValueAsString(this);
    }
}
