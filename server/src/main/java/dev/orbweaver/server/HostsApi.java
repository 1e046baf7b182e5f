package dev.orbweaver.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonUnwrapped;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Preset;
import dev.orbweaver.internal.crawl.RobotsEntry;
import dev.orbweaver.internal.crawl.RobotsLog;
import dev.orbweaver.internal.crawl.RobotsPolicy;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.HostView;
import dev.orbweaver.internal.frontier.JobHosts;
import dev.orbweaver.internal.frontier.JobHosts.DelayReason;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.server.search.PageIndex;
import dev.orbweaver.server.search.PageSearchQuery;
import dev.orbweaver.server.search.PageSearchQuery.Order;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Describes one host of a job: its queue, its delay and the reason, robots.txt and responses. */
final class HostsApi {

    /** A host has one origin for each scheme and port. */
    private static final int ORIGINS_MAX = 20;

    private static final int TEXT_CHARS_MAX = 100_000;
    private static final String DELAY = "delay";
    private static final String MIN_DELAY = "min-delay";

    private final Jobs jobs;
    private final JobsApi jobsApi;
    private final JobEventFeeds jobEventFeeds;

    HostsApi(Jobs jobs, JobsApi jobsApi, JobEventFeeds jobEventFeeds) {
        this.jobs = jobs;
        this.jobsApi = jobsApi;
        this.jobEventFeeds = jobEventFeeds;
    }

    /**
     * @param delayReason what decides the delay
     * @param delaySource who has set the setting that decides it
     */
    private record HostDetails(
            @JsonUnwrapped JobJson.Host host,
            String delayReason,
            String delaySource,
            List<Robots> robots,
            JobHistory.Responses responses,
            long indexLag) {}

    /**
     * A robots.txt file.
     *
     * @param source {@code fetched} by this job, {@code shared} by another job of the service,
     *     {@code custom} or {@code ignored}
     * @param page the line of the page log with the file, if this job has fetched it
     */
    private record Robots(
            String url,
            String source,
            String status,
            boolean hasRules,
            Optional<Instant> fetchedAt,
            Optional<Instant> nextAttempt,
            long crawlDelayMs,
            String text,
            boolean truncated,
            Optional<Long> page) {}

    void get(ApiCall apiCall) throws Exception {
        var job = jobsApi.job(apiCall);
        var name = apiCall.context().pathParam("host").toLowerCase(Locale.ROOT);
        var feed = jobEventFeeds.getOrOpen(job);
        var lag = feed.indexLag();
        var index = feed.pages();
        var responses = responses(index, name);
        var config = jobs.config(job);
        var robots = robots(job, config, index, name);
        var live =
                job.state().isOpen() ? jobs.host(job.id(), name) : Optional.<JobHosts.Host>empty();
        // A job that is open may still find URLs of the host.
        if (live.isEmpty() && robots.isEmpty() && responses.equals(JobHistory.Responses.NONE)) {
            throw ProblemException.of(
                    ProblemException.NOT_FOUND,
                    "Job %d has no URL of the host %s.".formatted(job.id().number(), name));
        }
        var host = live.orElseGet(() -> ended(config, name, robots));
        apiCall.json(
                new HostDetails(
                        JobJson.Host.of(host),
                        host.delayReason().name().toLowerCase(Locale.ROOT).replace('_', '-'),
                        source(job, config, host),
                        robots,
                        responses,
                        lag));
    }

    /** Returns the host of a job that has ended, with the delay that it would begin with. */
    private static JobHosts.Host ended(CrawlConfig config, String name, List<Robots> robots) {
        var politeness = config.politeness().forHost(name);
        var crawlDelay =
                robots.stream()
                        .map(file -> Duration.ofMillis(file.crawlDelayMs))
                        .max(Comparator.naturalOrder())
                        .orElse(Duration.ZERO);
        var own = politeness.hostDelay();
        var isOwn = crawlDelay.compareTo(own) < 0 || crawlDelay.isZero();
        var reason =
                politeness.adaptiveDelaySettings().isEnabled()
                        ? DelayReason.MIN_DELAY
                        : DelayReason.SETTING;
        return new JobHosts.Host(
                name,
                0,
                0,
                HostView.State.IDLE,
                Optional.empty(),
                isOwn ? own : crawlDelay,
                isOwn ? reason : DelayReason.CRAWL_DELAY,
                Optional.empty(),
                List.of());
    }

    /** Returns who has set the setting that decides a delay. */
    private static String source(JobRecord job, CrawlConfig config, JobHosts.Host host) {
        var setting = host.delayReason() == DelayReason.SETTING ? DELAY : MIN_DELAY;
        if (host.foreignSettings().stream().anyMatch(each -> each.setting().equals(DELAY))) {
            return "other-job";
        }
        if (config.politeness().overrides().stream()
                .anyMatch(override -> override.hosts().matches(host.host()))) {
            return "host-rule";
        }
        var own = JsonMapper.shared().readTree(job.settings());
        if (own.has(setting)) {
            return "job";
        }
        var values = config.settingValues();
        if (!values.has(setting)) {
            return "default";
        }
        // A value of the operator counts above that of a preset.
        var preset = values.last(Preset.KEY).orElse("");
        return Arrays.stream(Preset.values())
                        .filter(each -> each.id().equalsIgnoreCase(preset))
                        .map(each -> each.settings().getOrDefault(setting, ""))
                        .anyMatch(value -> value.equals(values.last(setting).orElse(value)))
                ? "preset"
                : "operator";
    }

    private List<Robots> robots(JobRecord job, CrawlConfig config, PageIndex index, String host)
            throws IOException, ConfigException {
        return switch (config.crawl().robots()) {
            case RobotsPolicy.Ignore _ -> List.of(replaced("", "ignored"));
            case RobotsPolicy.Custom(_, var file, _) -> List.of(replaced(file, "custom"));
            case RobotsPolicy.Obey _ -> {
                var files = new ArrayList<Robots>();
                for (var directory : jobs.directories(job.id())) {
                    for (var entry :
                            RobotsLog.ofHost(new RealDisk(), directory, host, ORIGINS_MAX)) {
                        files.add(robots(entry, index));
                    }
                }
                yield files;
            }
        };
    }

    private static Robots replaced(String file, String source) {
        return new Robots(
                file,
                source,
                "",
                false,
                Optional.empty(),
                Optional.empty(),
                0,
                "",
                false,
                Optional.empty());
    }

    private static Robots robots(RobotsEntry stored, PageIndex index) throws IOException {
        var now = Instant.now();
        var entry = stored.clampedTo(now);
        var url = entry.origin() + "/robots.txt";
        var page = index.latest(url).map(line -> line.seq());
        var hasRules = entry.hasRules(now);
        var text = hasRules ? new String(entry.text(), UTF_8) : "";
        return new Robots(
                url,
                page.isPresent() ? "fetched" : "shared",
                entry.statusText(),
                hasRules,
                Optional.of(entry.fetchedAt()).filter(at -> at.isAfter(Instant.EPOCH)),
                Optional.of(entry.nextAttempt()),
                entry.delay().toMillis(),
                text.substring(0, Math.min(text.length(), TEXT_CHARS_MAX)),
                text.length() > TEXT_CHARS_MAX,
                page);
    }

    private static JobHistory.Responses responses(PageIndex index, String host) throws IOException {
        return new JobHistory.Responses(
                count(index, host, 200),
                count(index, host, 300),
                count(index, host, 400),
                count(index, host, 500),
                search(index, host, Set.of(Kind.FAILED), 0, Integer.MAX_VALUE));
    }

    private static long count(PageIndex index, String host, int status) throws IOException {
        return search(index, host, Set.of(), status, status + 99);
    }

    private static long search(
            PageIndex index, String host, Set<Kind> kinds, int statusFrom, int statusTo)
            throws IOException {
        var query =
                new PageSearchQuery(
                        "",
                        kinds,
                        Optional.of(host),
                        Optional.empty(),
                        statusFrom,
                        statusTo,
                        Optional.empty(),
                        Optional.empty(),
                        OptionalLong.empty(),
                        Order.NEWEST,
                        0,
                        0);
        return index.search(query).total();
    }
}
