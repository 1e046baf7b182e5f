package dev.orbweaver.server;

import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.jobs.JobLabels;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRequest;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads requests of jobs. */
final class JobRequestReader {

    private static final List<String> FIELDS =
            List.of(
                    "seeds",
                    "settings",
                    "preset",
                    "weight",
                    "webhook",
                    "name",
                    "tags",
                    "notes",
                    "keep");
    private static final Set<String> WEBHOOK_FIELDS = Set.of("url", "secret");

    private final Settings table;
    private final Webhooks webhooks;

    JobRequestReader(Settings table, Webhooks webhooks) {
        this.table = table;
        this.webhooks = webhooks;
    }

    /** Reads the request of a schedule's jobs. */
    JobRequest read(JsonNode body, Optional<String> createdBy) {
        return read(body, Optional.empty(), createdBy, Optional.empty());
    }

    JobRequest read(
            JsonNode body,
            Optional<String> key,
            Optional<String> createdBy,
            Optional<String> requestDigest) {
        requireFields(body, FIELDS);
        return new JobRequest(
                JobsApi.seeds(body.path("seeds")),
                settings(body).toString(),
                weight(body.path("weight"), 1),
                key,
                webhook(body.path("webhook")),
                LabelFields.read(body, JobLabels.NONE).submittedBy(createdBy, requestDigest));
    }

    /** Rejects a field that a body must not have. */
    static void requireFields(JsonNode body, List<String> accepted) {
        for (var name : body.propertyNames()) {
            if (!accepted.contains(name)) {
                throw ProblemException.inField(
                        name,
                        "Unknown field '%s'; expected %s or %s."
                                .formatted(
                                        name,
                                        String.join(", ", accepted.subList(0, accepted.size() - 1)),
                                        accepted.getLast()));
            }
        }
    }

    /** Returns the settings of a request, with its preset. */
    ObjectNode settings(JsonNode body) {
        var settings = body.path("settings");
        if (!settings.isMissingNode() && !settings.isObject()) {
            throw ProblemException.inField(
                    "settings", "settings must be an object of names and values.");
        }
        var all =
                settings.isObject()
                        ? (ObjectNode) settings.deepCopy()
                        : JsonMapper.shared().createObjectNode();
        for (var name : all.propertyNames()) {
            if (table.find(name).isEmpty()) {
                throw ProblemException.inField(
                        "settings." + name,
                        "Unknown setting '" + name + "'; GET /api/v1/settings lists them.");
            }
            if (name.equals(Settings.SEEDS)) {
                throw ProblemException.inField(
                        "settings.seeds", "seeds is a field of the job, not a setting.");
            }
        }
        JobsApi.text(body, "preset").ifPresent(preset -> all.put("preset", preset));
        return all;
    }

    static int weight(JsonNode weight, int fallback) {
        if (weight.isMissingNode()) {
            return fallback;
        }
        if (!weight.isInt() || weight.asInt() < 1 || weight.asInt() > JobRequest.WEIGHT_MAX) {
            throw ProblemException.inField("weight", "weight must be a number from 1 to 100.");
        }
        return weight.asInt();
    }

    private Optional<JobRecord.Webhook> webhook(JsonNode webhook) {
        if (webhook.isMissingNode() || webhook.isNull()) {
            return Optional.empty();
        }
        for (var name : webhook.propertyNames()) {
            if (!WEBHOOK_FIELDS.contains(name)) {
                throw ProblemException.inField(
                        "webhook." + name,
                        "Unknown field '%s' of webhook; expected url and secret.".formatted(name));
            }
        }
        var url = webhook.path("url").asString("");
        var secret = webhook.path("secret").asString("");
        if (secret.length() < 8) {
            throw ProblemException.inField(
                    "webhook.secret",
                    "webhook.secret must have at least 8 characters; it signs the requests.");
        }
        webhooks.validate(url);
        return Optional.of(new JobRecord.Webhook(url, secret));
    }
}
