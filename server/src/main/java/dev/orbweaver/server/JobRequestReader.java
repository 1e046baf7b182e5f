package dev.orbweaver.server;

import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.jobs.JobLabels;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRequest;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads requests of jobs. */
final class JobRequestReader {

    private static final String TEMPLATE = "template";
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
                    "keep",
                    TEMPLATE);
    private static final Set<String> WEBHOOK_FIELDS =
            Set.of("url", "secret", "events", "everyPages");
    private static final int SECRET_MIN = 8;

    private final Settings table;
    private final Webhooks webhooks;
    private final TemplateStore templates;
    private final boolean isShared;

    /**
     * @param isShared whether the jobs are those of a fleet
     */
    JobRequestReader(Settings table, Webhooks webhooks, TemplateStore templates, boolean isShared) {
        this.isShared = isShared;
        this.table = table;
        this.webhooks = webhooks;
        this.templates = templates;
    }

    private static String either(List<String> names) {
        var last = names.size() - 1;
        return last == 0
                ? names.getFirst()
                : String.join(", ", names.subList(0, last)) + " or " + names.get(last);
    }

    /** Reads the request of a schedule's jobs, whose digest tells whether it was changed. */
    JobRequest read(JsonNode body, Optional<String> createdBy) {
        return read(body, Optional.empty(), createdBy, Optional.of(JobsApi.digest(body)));
    }

    JobRequest read(
            JsonNode body,
            Optional<String> key,
            Optional<String> createdBy,
            Optional<String> requestDigest) {
        requireFields(body, FIELDS);
        var template = JobsApi.text(body, TEMPLATE);
        var full = template.isPresent() ? merge(templateJob(template.get()), body) : body;
        var labels = LabelFields.read(full, JobLabels.NONE).submittedBy(createdBy, requestDigest);
        return new JobRequest(
                JobsApi.seeds(full.path("seeds")),
                settings(full).toString(),
                weight(full.path("weight"), 1),
                key,
                webhook(full.path("webhook")),
                template.map(name -> labels.withFamily("template:" + name)).orElse(labels));
    }

    private ObjectNode templateJob(String name) {
        return templates
                .find(name)
                .orElseThrow(
                        () ->
                                ProblemException.inField(
                                        TEMPLATE,
                                        "Template '%s' not found; GET /api/v1/templates lists all."
                                                .formatted(name)));
    }

    /** Returns the request of a job, without its idempotency key. */
    static ObjectNode toJson(JobRecord job) {
        var json = JsonMapper.shared().createObjectNode();
        json.set("seeds", JsonMapper.shared().valueToTree(job.seeds()));
        json.set("settings", JsonMapper.shared().readTree(job.settings()));
        json.put("weight", job.weight());
        job.webhook().ifPresent(it -> json.set("webhook", JsonMapper.shared().valueToTree(it)));
        job.labels().name().ifPresent(name -> json.put("name", name));
        json.set("tags", JsonMapper.shared().valueToTree(job.labels().tags()));
        job.labels().notes().ifPresent(notes -> json.put("notes", notes));
        job.labels().keep().ifPresent(it -> json.set("keep", JsonMapper.shared().valueToTree(it)));
        return json;
    }

    /**
     * Returns a request with the fields of another one, where it has them. Settings are joined by
     * name; null removes a field or setting.
     */
    static ObjectNode merge(ObjectNode request, JsonNode other) {
        var merged = request.deepCopy();
        for (var field : other.properties()) {
            if (field.getKey().equals("settings")
                    && merged.path("settings") instanceof ObjectNode settings
                    && field.getValue() instanceof ObjectNode changes) {
                changes.properties().forEach(each -> set(settings, each));
            } else {
                set(merged, field);
            }
        }
        return merged;
    }

    private static void set(ObjectNode target, Map.Entry<String, JsonNode> field) {
        if (field.getValue().isNull()) {
            target.remove(field.getKey());
        } else {
            target.set(field.getKey(), field.getValue());
        }
    }

    /** Rejects a field that a body must not have. */
    static void requireFields(JsonNode body, List<String> accepted) {
        for (var name : body.propertyNames()) {
            if (!accepted.contains(name)) {
                throw ProblemException.inField(
                        name, "Unknown field '%s'; expected %s.".formatted(name, either(accepted)));
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
                        "Unknown field '%s' of webhook; expected url, secret, events or everyPages."
                                .formatted(name));
            }
        }
        var url = webhook.path("url").asString("");
        var secret = webhook.path("secret").asString("");
        if (!secret.isEmpty() && secret.length() < SECRET_MIN) {
            throw ProblemException.inField(
                    "webhook.secret",
                    "webhook.secret must have at least %d characters; it signs the requests."
                            .formatted(SECRET_MIN));
        }
        webhooks.validate(url);
        var every = webhook.path("everyPages");
        if (!every.isMissingNode() && (!every.isInt() || every.asInt() < 0)) {
            throw ProblemException.inField(
                    "webhook.everyPages",
                    "webhook.everyPages must be a number of pages, or 0 for no messages.");
        }
        if (every.asInt(0) > 0 && isShared) {
            throw ProblemException.inField(
                    "webhook.everyPages",
                    "webhook.everyPages is not available for jobs of a fleet; leave it out.");
        }
        var events = events(webhook.path("events"));
        return Optional.of(new JobRecord.Webhook(url, secret, events, every.asInt(0)));
    }

    private static List<String> events(JsonNode events) {
        if (events.isMissingNode()) {
            return WebhookEvents.DEFAULT;
        }
        var names = events.valueStream().map(each -> each.asString("")).distinct().toList();
        if (!events.isArray() || names.isEmpty() || !WebhookEvents.ALL.containsAll(names)) {
            throw ProblemException.inField(
                    "webhook.events",
                    "webhook.events must be a list of %s.".formatted(either(WebhookEvents.ALL)));
        }
        return names;
    }
}
