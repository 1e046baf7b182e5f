package dev.orbweaver.server;

import dev.orbweaver.CrawlReport;
import dev.orbweaver.ProgressSnapshot;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.JobHosts;
import dev.orbweaver.internal.frontier.Ledger;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.server.search.PageSearchQuery;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A job as it is told. */
final class JobJson {

    private static final Logger LOG = LoggerFactory.getLogger(JobJson.class);
    private static final int SEEDS_SHOWN = 20;
    private static final String POLITENESS = "politeness";

    private final Jobs jobs;
    private final Optional<JobEventFeed> feed;

    /**
     * @param feed without it figures that only it knows are 0 or nothing: not every job can be
     *     followed, and nobody opens a feed for each job of a list
     */
    JobJson(Jobs jobs, Optional<JobEventFeed> feed) {
        this.jobs = jobs;
        this.feed = feed;
    }

    /** Everything. */
    Map<String, Object> full(JobRecord job) {
        return full(job, Integer.MAX_VALUE);
    }

    /** For lists and events, which hold very many: with no more than the first seeds. */
    Map<String, Object> brief(JobRecord job) {
        return full(job, SEEDS_SHOWN);
    }

    private Map<String, Object> full(JobRecord job, int seedsMax) {
        var json = new LinkedHashMap<String, Object>();
        json.put("id", job.id().number());
        json.put("state", job.state().id());
        json.put("reason", job.reason());
        json.put("name", name(job));
        json.put("seeds", job.seeds().stream().limit(seedsMax).toList());
        json.put("seedsTotal", job.seeds().size());
        var settings = JsonMapper.shared().readTree(job.settings());
        json.put("preset", settings.path("preset").isString() ? settings.path("preset") : null);
        json.put("settings", withoutSecrets(settings));
        json.put("weight", job.weight());
        json.put("created", job.created().toString());
        Json.put(json, "started", job.started().map(Instant::toString));
        Json.put(json, "ended", job.ended().map(Instant::toString));
        json.putAll(progress(job));
        json.put("lastEventId", Long.toString(lastId(job)));
        return json;
    }

    private long lastId(JobRecord job) {
        return feed.map(each -> each.lastId(job))
                .orElseGet(() -> EventIds.of(job).lastId(lastLine(job)));
    }

    /** Of a log that cannot be read that is known which the last change was noted behind. */
    private long lastLine(JobRecord job) {
        try {
            return JobEventFeed.lastLine(jobs, job.id());
        } catch (IOException | UncheckedIOException e) {
            LOG.debug("the page log of job {} cannot be read", job.id().number(), e);
            return job.changes().isEmpty() ? 0 : job.changes().getLast().seq();
        }
    }

    private static String name(JobRecord job) {
        var first = job.seeds().getFirst();
        try {
            var host = URI.create(first.contains("://") ? first : "https://" + first).getHost();
            return host == null ? first : host;
        } catch (IllegalArgumentException e) {
            return first; // No URI by the letter, but a URL that browsers know.
        }
    }

    private Map<String, Object> withoutSecrets(JsonNode settings) {
        var shown = new LinkedHashMap<String, Object>();
        settings.properties()
                .forEach(
                        each ->
                                shown.put(
                                        each.getKey(),
                                        jobs.table().isSecret(each.getKey())
                                                ? "..."
                                                : each.getValue()));
        return shown;
    }

    /** What changes while it runs. */
    Map<String, Object> progress(JobRecord job) {
        var json = new LinkedHashMap<String, Object>();
        var status = jobs.status(job.id());
        var stats =
                status.filter(_ -> job.state().isOpen())
                        .map(each -> each.frontier())
                        .orElseGet(() -> jobs.stats(job.id()));
        var ledger = stats.ledger();
        json.put("counts", counts(stats));
        Json.put(json, "pagesHere", jobs.isShared() ? pagesHere() : Optional.empty());
        var now = Instant.now();
        json.put(
                "rate",
                status.isPresent() ? Math.round(rate(ledger.pages(), now) * 100) / 100.0 : 0);
        json.put("progress", progress(ledger));
        json.put("elapsedMs", elapsed(job, now).toMillis());
        var hosts = jobs.hosts(job.id(), 0);
        json.put("hosts", hosts(hosts.counts()));
        json.put("waiting", waiting(job, hosts.blocked()));
        Json.put(
                json, "latencyMs", feed.map(JobEventFeed::latencies).flatMap(JobJson::latencyJson));
        Json.put(
                json,
                "trouble",
                status.flatMap(each -> each.problem())
                        .or(() -> feed.flatMap(JobEventFeed::problem)));
        json.put("search", Map.of("indexed", feed.map(JobEventFeed::indexedLines).orElse(0L)));
        return json;
    }

    private double rate(long pages, Instant now) {
        return feed.map(each -> each.history().rate(pages, now)).orElse(0.0);
    }

    private static Optional<Map<String, Object>> latencyJson(Latencies latencies) {
        var half = latencies.quantile(0.5);
        return half < 0
                ? Optional.empty()
                : Optional.of(Map.of("p50", half, "p95", latencies.quantile(0.95)));
    }

    /** Hosts by state. */
    static Map<String, Object> hosts(FrontierStats.Hosts hosts) {
        return Map.of(
                "ready",
                hosts.ready(),
                "waiting",
                hosts.waiting(),
                "busy",
                hosts.busy(),
                "resting",
                hosts.resting(),
                "idle",
                hosts.idle());
    }

    /** Of all workers' pages those that lie here; nothing when nobody can say just now. */
    private Optional<Long> pagesHere() {
        if (feed.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    feed.get().pages().search(PageSearchQuery.ofKind(Kind.PAGE, 0)).total());
        } catch (IOException | RuntimeException e) {
            LOG.debug("pages cannot be counted", e);
            return Optional.empty();
        }
    }

    private static Map<String, Object> counts(FrontierStats stats) {
        var ledger = stats.ledger();
        var json = new LinkedHashMap<String, Object>();
        json.put("pages", ledger.pages());
        json.put("failed", ledger.dead());
        json.put("refused", ledger.refused());
        json.put("queued", ledger.queued());
        json.put("leased", ledger.leased());
        json.put("deadLetters", ledger.dead());
        json.put("discovered", ledger.accepted());
        json.put("done", ledger.done());
        json.put("duplicate", ledger.duplicate());
        json.put("withdrawn", ledger.withdrawn());
        json.put("bytes", ledger.bytes());
        return json;
    }

    private static double progress(Ledger ledger) {
        var settled = ledger.done() + ledger.dead() + ledger.withdrawn();
        return ledger.accepted() == 0
                ? 0
                : Math.round(1000.0 * settled / ledger.accepted()) / 1000.0;
    }

    private static Duration elapsed(JobRecord job, Instant now) {
        return job.started()
                .map(begun -> Duration.between(begun, job.ended().orElse(now)))
                .orElse(Duration.ZERO);
    }

    /** What it waits for; after the end, what it waited for in its last run. */
    private Map<String, Object> waiting(JobRecord job, List<JobHosts.Host> blocked) {
        var status = jobs.status(job.id());
        var seconds =
                status.map(each -> CrawlReport.phaseSeconds(each.timeProfile()))
                        .or(() -> storedProgress(job).map(ProgressSnapshot::secondsByPhase))
                        .orElse(Map.of());
        var ceiling =
                status.map(each -> each.timeProfile().politenessShare())
                        .or(() -> storedProgress(job).map(ProgressSnapshot::politenessShare))
                        .orElse(1.0);
        var sum = seconds.values().stream().mapToDouble(Double::doubleValue).sum();
        List<Map<String, Object>> shares = new ArrayList<>();
        seconds.entrySet().stream()
                .filter(each -> each.getValue() > 0)
                .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                .forEach(
                        each ->
                                shares.add(
                                        Map.of(
                                                "phase",
                                                each.getKey(),
                                                "share",
                                                Math.round(1000 * each.getValue() / sum)
                                                        / 1000.0)));
        var json = new LinkedHashMap<String, Object>();
        json.put("sentence", (sentence(shares, job) + sentence(blocked, job.state())).strip());
        json.put("blocked", blocked.stream().map(JobEventFeed::hostJson).toList());
        json.put("ceiling", Math.round(1000 * ceiling) / 1000.0);
        json.put("shares", shares);
        return json;
    }

    private Optional<ProgressSnapshot> storedProgress(JobRecord job) {
        try {
            return ProgressSnapshot.of(jobs.directory(job.id()));
        } catch (IOException e) {
            return Optional.empty(); // A figure for people, which the next look may have.
        }
    }

    private static String sentence(List<Map<String, Object>> shares, JobRecord job) {
        if (job.state() == JobRecord.State.PAUSED) {
            return "It is paused.";
        }
        if (job.state() == JobRecord.State.QUEUED) {
            return "It waits for its turn to begin.";
        }
        if (shares.isEmpty()) {
            return "";
        }
        var most = String.valueOf(shares.getFirst().get("phase"));
        var tense = job.state().isOpen() ? "Most time goes" : "Most time went";
        return tense
                + switch (most) {
                    case POLITENESS -> " into the delays between requests to one host.";
                    case "resting" -> " by while hosts rest that failed or asked for quiet.";
                    case "workers" -> " by because all workers are in use: hosts are ready.";
                    case "robots" -> " into reading robots.txt files.";
                    case "dns" -> " into looking up names.";
                    case "connect" -> " into making connections.";
                    case "tls" -> " into TLS handshakes.";
                    case "server" -> " by while servers prepare their answers.";
                    case "body" -> " into receiving bodies.";
                    case "parse" -> " into reading documents here.";
                    case "write" -> " into writing to this disk.";
                    default -> " by with nothing to do.";
                };
    }

    /** Names the host that keeps the job waiting for longest, and why. */
    private static String sentence(List<JobHosts.Host> blocked, JobRecord.State state) {
        return !state.isOpen() || blocked.isEmpty()
                ? ""
                : " %s is left alone until %s: %s."
                        .formatted(
                                blocked.getFirst().host(),
                                blocked.getFirst().due().map(Instant::toString).orElse("later"),
                                blocked.getFirst().restReason().orElse(""));
    }
}
