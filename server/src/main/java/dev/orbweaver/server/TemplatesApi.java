package dev.orbweaver.server;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.jobs.Jobs;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Creates, replaces, lists and deletes templates of jobs. */
final class TemplatesApi {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,49}");
    private static final String PLACEHOLDER_SEED = "http://seed.invalid/";

    private final TemplateStore templates;
    private final JobsApi jobsApi;
    private final Jobs.JobsSettings settings;
    private final Settings table;

    TemplatesApi(
            TemplateStore templates, JobsApi jobsApi, Jobs.JobsSettings settings, Settings table) {
        this.templates = templates;
        this.jobsApi = jobsApi;
        this.settings = settings;
        this.table = table;
    }

    private record TemplateJson(String name, ObjectNode job) {}

    /** Returns a template without secrets. */
    private TemplateJson json(String name, ObjectNode job) {
        var shown = job.deepCopy();
        if (shown.path("settings").isObject()) {
            var _ = JobJson.withoutSecrets(table, shown.path("settings"));
        }
        if (shown.path("webhook") instanceof ObjectNode webhook) {
            webhook.remove("secret");
        }
        return new TemplateJson(name, shown);
    }

    void list(ApiCall apiCall) {
        apiCall.jsonItems(
                templates.all().entrySet().stream().toList(),
                (Map.Entry<String, ObjectNode> each) -> json(each.getKey(), each.getValue()));
    }

    void get(ApiCall apiCall) {
        var name = name(apiCall);
        apiCall.json(json(name, require(name)));
    }

    private ObjectNode require(String name) {
        return templates
                .find(name)
                .orElseThrow(
                        () ->
                                ProblemException.of(
                                        ProblemException.NOT_FOUND,
                                        "Template '%s' not found.".formatted(name)));
    }

    private static String name(ApiCall apiCall) {
        return apiCall.context().pathParam("name");
    }

    /** Creates or replaces a template, after its fields were checked as those of a job. */
    void put(ApiCall apiCall) throws Exception {
        var name = name(apiCall);
        if (!NAME.matcher(name).matches()) {
            throw ProblemException.inField(
                    "name",
                    "The name of a template must have 1 to 50 letters, digits, dots, underscores"
                            + " and hyphens, and begin with a letter or digit.");
        }
        var job = (ObjectNode) apiCall.body();
        check(job);
        var isNew = templates.put(name, job);
        apiCall.json(isNew ? 201 : 200, json(name, job));
    }

    private void check(ObjectNode job) throws IOException {
        if (job.isEmpty()) {
            throw ProblemException.of(
                    ProblemException.BAD_REQUEST,
                    "A template must have a field of a job, such as settings.");
        }
        if (job.has("template")) {
            throw ProblemException.inField("template", "A template cannot use another template.");
        }
        var complete = job.deepCopy();
        if (!complete.has("seeds")) {
            complete.putArray("seeds").add(PLACEHOLDER_SEED);
        }
        var request = jobsApi.requests().read(complete, Optional.empty());
        try {
            var _ = settings.config(request);
        } catch (ConfigException e) {
            throw jobsApi.settingsProblem(e);
        }
    }

    void delete(ApiCall apiCall) throws Exception {
        var name = name(apiCall);
        var _ = require(name);
        templates.delete(name);
        apiCall.context().status(204);
    }
}
