package dev.orbweaver.server;

import dev.orbweaver.config.Preset;
import dev.orbweaver.config.Setting;
import dev.orbweaver.config.Settings;
import dev.orbweaver.internal.jobs.FleetReport;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.server.metrics.Metrics;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The service itself: what it can be told, how it is doing. */
final class SystemApi {

    private final Jobs jobs;
    private final Metrics metrics;
    private final BooleanSupplier ready;

    SystemApi(Jobs jobs, Metrics metrics, BooleanSupplier ready) {
        this.jobs = jobs;
        this.metrics = metrics;
        this.ready = ready;
    }

    void presets(ApiCall apiCall) {
        apiCall.json(
                Arrays.stream(Preset.values())
                        .filter(preset -> preset != Preset.NONE)
                        .map(
                                preset ->
                                        Map.of(
                                                "name",
                                                preset.id(),
                                                "description",
                                                preset.description(),
                                                "settings",
                                                preset.settings()))
                        .toList());
    }

    void settings(ApiCall apiCall) {
        var all = new ArrayList<Map<String, Object>>();
        for (var setting : jobs.table().all()) {
            if (!setting.key().equals(Settings.SEEDS) && jobs.isJobSetting(setting.key())) {
                all.add(setting(setting));
            }
        }
        apiCall.json(all);
    }

    private static Map<String, Object> setting(Setting setting) {
        var json = new LinkedHashMap<String, Object>();
        json.put("name", setting.key());
        json.put("kind", setting.valueType().name().toLowerCase(Locale.ROOT));
        json.put("default", setting.defaultValue());
        json.put("help", setting.help());
        json.put("choices", setting.choices());
        return json;
    }

    void fleet(ApiCall apiCall) {
        apiCall.json(jobs.fleet().map(SystemApi::fleet).orElseGet(this::standaloneFleet));
    }

    /** One machine is a fleet of one. */
    private Map<String, Object> standaloneFleet() {
        var json = new LinkedHashMap<String, Object>();
        json.put("mode", "embedded");
        json.put(
                "workers",
                List.of(
                        Map.of(
                                "name",
                                "this machine",
                                "jobs",
                                jobs.runningCrawls(),
                                "doing",
                                jobs.runningCrawls() == 0 ? "waiting for jobs" : "crawling",
                                "pages",
                                jobs.stats().ledger().pages())));
        json.put("shards", List.of());
        json.put("redis", null);
        return json;
    }

    private static Map<String, Object> fleet(FleetReport fleet) {
        var json = new LinkedHashMap<String, Object>();
        json.put("mode", "fleet");
        json.put("name", fleet.name());
        json.put("self", fleet.self());
        json.put(
                "workers",
                fleet.workers().stream()
                        .map(
                                worker ->
                                        Map.of(
                                                "name",
                                                worker.name(),
                                                "doing",
                                                worker.activity(),
                                                "seen",
                                                worker.lastSeen().toString()))
                        .toList());
        json.put(
                "shards",
                fleet.shards().stream()
                        .map(
                                shard ->
                                        Map.of(
                                                "shard",
                                                shard.number(),
                                                "hosts",
                                                shard.hosts(),
                                                "held",
                                                shard.claimed(),
                                                "queued",
                                                shard.queued()))
                        .toList());
        json.put("hosts", JobJson.hosts(fleet.hosts()));
        json.put(
                "redis",
                Map.of(
                        "usedBytes",
                        fleet.memory().usedBytes(),
                        "maxBytes",
                        fleet.memory().maxBytes(),
                        "version",
                        fleet.memory().version()));
        json.put("warnings", fleet.warnings());
        return json;
    }

    void health(ApiCall apiCall) {
        apiCall.json(Map.of("status", "up"));
    }

    void ready(ApiCall apiCall) {
        var problem =
                jobs.problem()
                        .or(jobs::failure)
                        .or(
                                () ->
                                        jobs.all().stream()
                                                .filter(
                                                        job ->
                                                                job.state()
                                                                        == JobRecord.State.RUNNING)
                                                .flatMap(job -> jobs.status(job.id()).stream())
                                                .flatMap(status -> status.problem().stream())
                                                .findFirst());
        if (!ready.getAsBoolean()) {
            apiCall.json(ProblemException.UNAVAILABLE, Map.of("status", "starting", "detail", ""));
        } else if (problem.isPresent()) {
            apiCall.json(
                    ProblemException.UNAVAILABLE,
                    Map.of("status", "trouble", "detail", problem.get()));
        } else {
            apiCall.json(Map.of("status", "ready", "detail", ""));
        }
    }

    void openApi(ApiCall apiCall) throws IOException {
        apiCall.context()
                .contentType("application/json; charset=utf-8")
                .result(Dashboard.resource("/api/openapi.json"));
    }

    void metrics(ApiCall apiCall) {
        apiCall.context().contentType(Metrics.contentType()).result(metrics.scrape());
    }
}
