package dev.orbweaver.server;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.export.ContentKind;
import dev.orbweaver.export.PageContents;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.jobs.JobRequest;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.server.ScrapeCache.Result;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Fetches one page while the client waits, and returns it in several forms.
 *
 * <p>A page is fetched as a page of a job is ({@link Jobs#fetch}). The cache has all forms of a
 * page, so that another form of it needs no other request.
 */
final class ScrapeApi {

    static final int CALLS_MAX = 256;
    static final int CALLS_PER_CALLER = 128;
    static final int TIMEOUT_SECONDS_MAX = 300;
    private static final int TIMEOUT_SECONDS = 60;
    private static final int MAX_AGE_SECONDS_MAX = 7 * 24 * 60 * 60;

    /** One waits for the delay of the host while the other one is fetched. */
    private static final int CONCURRENCY_PER_HOST = 2;

    private static final Set<String> FIELDS =
            Set.of("url", "formats", "maxAgeSeconds", "timeoutSeconds", "settings", "preset");
    private static final List<String> FORMATS =
            List.of("markdown", "html", "text", "links", "metadata");

    private final Jobs.JobsSettings terms;
    private final Jobs jobs;
    private final JobsApi jobsApi;
    private final TokenUsage tokenUsage;
    private final InstantSource clock;
    private final ScrapeCache cache = new ScrapeCache();
    private final HostPermits hostPermits = new HostPermits(CONCURRENCY_PER_HOST);
    private final ConcurrencyLimiter concurrencyLimiter =
            new ConcurrencyLimiter(
                    CALLS_MAX,
                    CALLS_PER_CALLER,
                    "The limit of pages that are being fetched, in total or for this caller, is"
                            + " reached; retry later.");

    ScrapeApi(
            Jobs.JobsSettings terms,
            Jobs jobs,
            JobsApi jobsApi,
            TokenUsage tokenUsage,
            InstantSource clock) {
        this.tokenUsage = tokenUsage;
        this.terms = terms;
        this.jobs = jobs;
        this.jobsApi = jobsApi;
        this.clock = clock;
    }

    private record Request(
            CrawlConfig config,
            String url,
            Set<String> formats,
            Duration maxAge,
            Duration timeout,
            String cacheKey) {

        String host() {
            return config.seeds().getFirst().url().host();
        }
    }

    void create(ApiCall apiCall) throws Exception {
        if (!jobs.canFetch()) {
            throw ProblemException.of(
                    ProblemException.CONFLICT,
                    "A service of a fleet cannot fetch single pages; start one without --redis.");
        }
        var request = request(apiCall.body());
        var cached = fromCache(request);
        if (cached.isPresent()) {
            send(apiCall, request, cached.get(), true);
            return;
        }
        tokenUsage.requirePages(AccessControl.token(apiCall));
        try (var _ = concurrencyLimiter.acquire(apiCall)) {
            fetch(apiCall, request);
        }
    }

    private void fetch(ApiCall apiCall, Request request) throws Exception {
        var start = System.nanoTime();
        if (!hostPermits.tryAcquire(request.host(), request.timeout)) {
            throw timedOut(request, "other calls wait for its host");
        }
        try {
            var cached = fromCache(request); // Another call may have fetched it meanwhile.
            if (cached.isPresent()) {
                send(apiCall, request, cached.get(), true);
                return;
            }
            var left = request.timeout.minusNanos(System.nanoTime() - start);
            if (!left.isPositive()) {
                throw timedOut(request, "other calls wait for its host");
            }
            var result = fetch(request, left);
            cache.put(request.cacheKey, result);
            AccessControl.tokenName(apiCall).ifPresent(tokenUsage::addPage);
            send(apiCall, request, result, false);
        } finally {
            hostPermits.release(request.host());
        }
    }

    private Result fetch(Request request, Duration left) throws Exception {
        try {
            return jobs.fetch(
                    request.config,
                    left,
                    (directory, config, end) -> read(request, directory, config, end));
        } catch (ConfigException e) {
            throw problem(e);
        }
    }

    private Optional<Result> fromCache(Request request) {
        return request.maxAge.isZero()
                ? Optional.empty()
                : cache.find(request.cacheKey, clock.instant().minus(request.maxAge));
    }

    private Request request(JsonNode body) {
        for (var name : body.propertyNames()) {
            if (!FIELDS.contains(name)) {
                throw ProblemException.inField(
                        name,
                        "Unknown field '%s'; expected url, formats, maxAgeSeconds, timeoutSeconds, settings or preset."
                                .formatted(name));
            }
        }
        var url = JobsApi.text(body, "url").orElse("");
        JobsApi.requireSeed("url", url);
        var settings = jobsApi.requests().settings(body).toString();
        try {
            var config =
                    terms.config(
                            new JobRequest(
                                    List.of(url), settings, 1, Optional.empty(), Optional.empty()));
            return new Request(
                    config,
                    url,
                    formats(body.path("formats")),
                    Duration.ofSeconds(
                            MapApi.number(body, "maxAgeSeconds", 0, 0, MAX_AGE_SECONDS_MAX)),
                    Duration.ofSeconds(
                            MapApi.number(
                                    body,
                                    "timeoutSeconds",
                                    TIMEOUT_SECONDS,
                                    1,
                                    TIMEOUT_SECONDS_MAX)),
                    Sha256.hex(url + "\n" + settings));
        } catch (ConfigException e) {
            throw problem(e);
        }
    }

    private ProblemException problem(ConfigException e) {
        return e.problems().getFirst().key().equals(Settings.SEEDS)
                ? ProblemException.inField("url", e.summary())
                : jobsApi.settingsProblem(e);
    }

    private static Set<String> formats(JsonNode formats) {
        if (formats.isMissingNode()) {
            return Set.of("markdown", "metadata");
        }
        var names = new ArrayList<String>();
        formats.forEach(each -> names.add(each.asString("")));
        if (!formats.isArray() || names.isEmpty() || !FORMATS.containsAll(names)) {
            throw ProblemException.inField(
                    "formats",
                    "formats must be a list of names: %s.".formatted(String.join(", ", FORMATS)));
        }
        return Set.copyOf(names);
    }

    /** Returns all forms of a page, as JSON. */
    private Result read(Request request, Path directory, CrawlConfig config, CrawlEnd end)
            throws IOException, ConfigException {
        var lines = lines(directory);
        var page = lines.stream().filter(line -> line.kind() == Kind.PAGE).findFirst();
        if (page.isEmpty()) {
            throw notFetched(request, lines, end);
        }
        var pages = new PageContents(new StoredCrawl(directory, config).contents());
        var content = pages.load(page.get());
        if (content.isEmpty()) {
            throw ProblemException.of(
                    ProblemException.BAD_GATEWAY,
                    "The response of %s has no content.".formatted(page.get().url()));
        }
        var redirects = lines.stream().filter(line -> line.kind() == Kind.REDIRECT).toList();
        var metadata =
                (ObjectNode)
                        JsonMapper.shared()
                                .readTree(pages.json(page.get(), content.get(), redirects));
        var json = JsonMapper.shared().createObjectNode();
        var links = metadata.remove("links");
        json.set("links", links == null ? JsonMapper.shared().createArrayNode() : links);
        json.set("metadata", metadata);
        if (PageContents.isHtml(page.get())) {
            json.put("markdown", pages.content(content.get(), ContentKind.MARKDOWN));
            json.put("html", pages.content(content.get(), ContentKind.HTML));
            json.put("text", pages.content(content.get(), ContentKind.TEXT));
        }
        return new Result(page.get().time(), JsonMapper.shared().writeValueAsBytes(json));
    }

    private static List<PageLogEntry> lines(Path directory) throws IOException {
        var log = directory.resolve(DirectoryLayout.PAGE_LOG);
        var lines = new ArrayList<PageLogEntry>();
        if (Files.exists(log)) {
            PageLog.read(
                    log,
                    line -> {
                        if (line.kind() != Kind.ROBOTS) {
                            lines.add(line);
                        }
                    });
        }
        return lines;
    }

    private static ProblemException notFetched(
            Request request, List<PageLogEntry> lines, CrawlEnd end) {
        if (end.reason() == CrawlEnd.Reason.MAX_TIME) {
            return timedOut(request, "its host must not be requested sooner, or did not respond");
        }
        if (lines.isEmpty()) {
            return ProblemException.of(
                    ProblemException.BAD_GATEWAY,
                    "%s was not fetched: %s.".formatted(request.url, reason(end)));
        }
        var last = lines.getLast();
        return switch (last.kind()) {
            case WITHDRAWN ->
                    notFetched(
                            ProblemException.UNPROCESSABLE,
                            last,
                            last.cause() + ": " + last.detail());
            case ERROR ->
                    notFetched(
                            ProblemException.BAD_GATEWAY,
                            last,
                            "the server responded with status " + last.status());
            case REDIRECT ->
                    notFetched(
                            ProblemException.BAD_GATEWAY,
                            last,
                            "it redirects to '%s', which may not be fetched or redirects back"
                                    .formatted(last.location()));
            case FAILED, RETRIED, PAGE, SITEMAP, ROBOTS ->
                    notFetched(
                            ProblemException.BAD_GATEWAY,
                            last,
                            last.cause() + ": " + last.detail());
        };
    }

    private static String reason(CrawlEnd end) {
        return end.detail().isEmpty() ? "nothing may be requested from its host" : end.detail();
    }

    private static ProblemException notFetched(int status, PageLogEntry line, String why) {
        return ProblemException.of(status, "%s was not fetched: %s.".formatted(line.url(), why));
    }

    private static ProblemException timedOut(Request request, String why) {
        return ProblemException.of(
                ProblemException.GATEWAY_TIMEOUT,
                "%s was not fetched within %d s: %s."
                        .formatted(request.url, request.timeout.toSeconds(), why));
    }

    private static void send(ApiCall apiCall, Request request, Result result, boolean cached) {
        var all = (ObjectNode) JsonMapper.shared().readTree(result.json());
        var json = JsonMapper.shared().createObjectNode();
        json.put("url", request.url);
        json.put("fetchedAt", result.fetchedAt().toString());
        json.put("cached", cached);
        for (var format : FORMATS) {
            if (request.formats.contains(format)) {
                var value = all.get(format);
                json.set(format, value == null ? JsonMapper.shared().nullNode() : value);
            }
        }
        apiCall.json(json);
    }
}
