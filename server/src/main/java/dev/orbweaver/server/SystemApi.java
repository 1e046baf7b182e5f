package dev.orbweaver.server;

import com.fasterxml.jackson.annotation.JsonProperty;

import dev.orbweaver.internal.config.Preset;
import dev.orbweaver.internal.config.Setting;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.jobs.FleetReport;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.server.metrics.Metrics;

import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;

/** Serves settings, presets, fleet status, health and metrics. */
final class SystemApi {

    private final Jobs jobs;
    private final Metrics metrics;
    private final ApiTokens apiTokens;
    private final TokenUsage tokenUsage;
    private final AuditLog auditLog;
    private final BooleanSupplier ready;

    SystemApi(
            Jobs jobs,
            Metrics metrics,
            ApiTokens apiTokens,
            TokenUsage tokenUsage,
            AuditLog auditLog,
            BooleanSupplier ready) {
        this.apiTokens = apiTokens;
        this.tokenUsage = tokenUsage;
        this.auditLog = auditLog;
        this.jobs = jobs;
        this.metrics = metrics;
        this.ready = ready;
    }

    void presets(ApiCall apiCall) {
        apiCall.json(
                Arrays.stream(Preset.values())
                        .filter(preset -> preset != Preset.NONE)
                        .map(PresetJson::of)
                        .toList());
    }

    private record PresetJson(String name, String description, Map<String, String> settings) {

        static PresetJson of(Preset preset) {
            return new PresetJson(preset.id(), preset.description(), preset.settings());
        }
    }

    void settings(ApiCall apiCall) {
        apiCall.json(
                jobs.table().all().stream()
                        .filter(setting -> !setting.key().equals(Settings.SEEDS))
                        .filter(setting -> jobs.isJobSetting(setting.key()))
                        .map(SettingJson::of)
                        .toList());
    }

    private record SettingJson(
            String name,
            String kind,
            @JsonProperty("default") String defaultValue,
            String help,
            List<String> choices) {

        static SettingJson of(Setting setting) {
            return new SettingJson(
                    setting.key(),
                    setting.valueType().name().toLowerCase(Locale.ROOT),
                    setting.defaultValue(),
                    setting.help(),
                    setting.choices());
        }
    }

    void fleet(ApiCall apiCall) {
        apiCall.json(jobs.fleet().<Object>map(FleetJson::of).orElseGet(this::standalone));
    }

    private record FleetJson(
            String mode,
            String name,
            String self,
            List<Worker> workers,
            List<Shard> shards,
            FrontierStats.Hosts hosts,
            FleetReport.Memory redis,
            List<String> warnings) {

        private record Worker(String name, String activity, Instant lastSeen) {}

        private record Shard(int shard, int hosts, int claimed, long queued) {

            static Shard of(FleetReport.Shard shard) {
                return new Shard(shard.number(), shard.hosts(), shard.claimed(), shard.queued());
            }
        }

        static FleetJson of(FleetReport fleet) {
            return new FleetJson(
                    "fleet",
                    fleet.name(),
                    fleet.self(),
                    fleet.workers().stream()
                            .map(each -> new Worker(each.name(), each.activity(), each.lastSeen()))
                            .toList(),
                    fleet.shards().stream().map(Shard::of).toList(),
                    fleet.hosts(),
                    fleet.memory(),
                    fleet.warnings());
        }
    }

    /** The status of a service without Redis: one worker and no shards. */
    private record StandaloneJson(
            String mode, List<Machine> workers, List<String> shards, Optional<String> redis) {

        private record Machine(String name, int jobs, String activity, long pages) {}
    }

    private StandaloneJson standalone() {
        var running = jobs.runningCrawls();
        var machine =
                new StandaloneJson.Machine(
                        "this machine",
                        running,
                        running == 0 ? "waiting for jobs" : "crawling",
                        jobs.stats().ledger().pages());
        return new StandaloneJson("standalone", List.of(machine), List.of(), Optional.empty());
    }

    private record Audit(List<AuditLog.Entry> items) {}

    void audit(ApiCall apiCall) throws IOException {
        apiCall.json(new Audit(auditLog.newest(apiCall.limit())));
    }

    private record Tokens(List<TokenJson> items) {}

    private record TokenJson(
            String name,
            String role,
            OptionalInt jobs,
            OptionalInt pagesPerDay,
            OptionalInt concurrency,
            long pagesToday) {}

    /** Lists the tokens without anything from which they could be found. */
    void tokens(ApiCall apiCall) {
        apiCall.json(
                new Tokens(
                        apiTokens.all().stream()
                                .map(
                                        token ->
                                                new TokenJson(
                                                        token.name(),
                                                        token.role().id(),
                                                        token.quotas().jobs(),
                                                        token.quotas().pagesPerDay(),
                                                        token.quotas().concurrency(),
                                                        tokenUsage.pagesToday(token.name())))
                                .toList()));
    }

    private record Health(String status) {}

    void health(ApiCall apiCall) {
        apiCall.json(new Health("up"));
    }

    private record Readiness(String status, String detail) {}

    void ready(ApiCall apiCall) {
        var problem = jobs.problem().or(jobs::failure).or(this::crawlProblem);
        if (!ready.getAsBoolean()) {
            apiCall.json(ProblemException.UNAVAILABLE, new Readiness("starting", ""));
        } else if (problem.isPresent()) {
            apiCall.json(ProblemException.UNAVAILABLE, new Readiness("unavailable", problem.get()));
        } else {
            apiCall.json(new Readiness("ready", ""));
        }
    }

    private Optional<String> crawlProblem() {
        return jobs.all().stream()
                .filter(job -> job.state() == JobRecord.State.RUNNING)
                .flatMap(job -> jobs.status(job.id()).stream())
                .flatMap(status -> status.problem().stream())
                .findFirst();
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
