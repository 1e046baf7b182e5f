package dev.orbweaver.server;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.jobs.FailureText;
import dev.orbweaver.internal.jobs.JobRequest;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.server.SiteMaps.MapRequest;
import dev.orbweaver.server.SiteMaps.Result;
import dev.orbweaver.server.SiteMaps.SiteMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Lists the URLs of a site while the client waits.
 *
 * <p>All sources are read before the first URL is sent, because a later source may add to a URL.
 * Until then an empty line every few seconds detects that the client has disconnected, which ends
 * the map.
 */
final class MapApi implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(MapApi.class);

    static final int URLS_MAX = 100_000;
    private static final int CONCURRENCY = 4;
    private static final int CONCURRENCY_PER_CALLER = 2;
    private static final Duration TIME_MAX = Duration.ofMinutes(5);
    private static final long HEARTBEAT_MILLIS_MAX = 5_000;
    private static final Set<String> FIELDS =
            Set.of("url", "depth", "index", "maxUrls", "format", "settings", "preset");

    private final Jobs.JobsSettings terms;
    private final JobsApi jobsApi;
    private final Optional<SiteMaps> siteMaps;
    private final long heartbeatMillis;
    private final Set<SiteMap> active = ConcurrentHashMap.newKeySet();
    private final ConcurrencyLimiter concurrencyLimiter =
            new ConcurrencyLimiter(
                    CONCURRENCY,
                    CONCURRENCY_PER_CALLER,
                    "The limit of concurrent maps, in total or for this caller, is reached; retry"
                            + " later.");

    MapApi(
            Jobs.JobsSettings terms,
            JobsApi jobsApi,
            Optional<SiteMaps> siteMaps,
            long heartbeatMillis) {
        this.terms = terms;
        this.jobsApi = jobsApi;
        this.siteMaps = siteMaps;
        this.heartbeatMillis = Math.min(heartbeatMillis, HEARTBEAT_MILLIS_MAX);
    }

    void create(ApiCall apiCall) throws Exception {
        var body = apiCall.body();
        var maps =
                siteMaps.orElseThrow(
                        () ->
                                ProblemException.of(
                                        ProblemException.NOT_FOUND, "This service has no maps."));
        var format = MapResponse.format(apiCall, JobsApi.text(body, "format"));
        var request = request(body, maps);
        try (var _ = concurrencyLimiter.acquire(apiCall)) {
            var map = prepare(maps, request);
            active.add(map);
            try {
                send(map, timeLimit(request.config()), new MapResponse(apiCall, format));
            } finally {
                active.remove(map);
            }
        }
    }

    private MapRequest request(JsonNode body, SiteMaps maps) {
        for (var name : body.propertyNames()) {
            if (!FIELDS.contains(name)) {
                throw ProblemException.inField(
                        name,
                        "Unknown field '%s'; expected url, depth, index, maxUrls, format, settings or preset."
                                .formatted(name));
            }
        }
        var depth = number(body, "depth", 1, 0, SiteMaps.DEPTH_MAX);
        var maxUrls = number(body, "maxUrls", URLS_MAX, 1, URLS_MAX);
        return new MapRequest(config(body), depth, indexes(body.path("index"), maps), maxUrls);
    }

    /** Returns the settings that a job with this URL would have. */
    private CrawlConfig config(JsonNode body) {
        var url = JobsApi.text(body, "url").orElse("");
        JobsApi.requireSeed("url", url);
        try {
            return terms.config(
                    new JobRequest(
                            List.of(url),
                            jobsApi.requests().settings(body).toString(),
                            1,
                            Optional.empty(),
                            Optional.empty()));
        } catch (ConfigException e) {
            throw problem(e);
        }
    }

    private SiteMap prepare(SiteMaps maps, MapRequest request) {
        try {
            return maps.prepare(request);
        } catch (ConfigException e) {
            throw problem(e);
        }
    }

    private ProblemException problem(ConfigException e) {
        return e.problems().getFirst().key().equals(Settings.SEEDS)
                ? ProblemException.inField("url", e.summary())
                : jobsApi.settingsProblem(e);
    }

    static int number(JsonNode body, String name, int fallback, int least, int most) {
        var value = body.path(name);
        if (value.isMissingNode()) {
            return fallback;
        }
        if (!value.isInt() || value.asInt() < least || value.asInt() > most) {
            throw ProblemException.inField(
                    name, "%s must be a number from %d to %d.".formatted(name, least, most));
        }
        return value.asInt();
    }

    private static List<String> indexes(JsonNode index, SiteMaps maps) {
        var names = new ArrayList<String>();
        for (var each : index) {
            names.add(each.asString(""));
        }
        if ((!index.isMissingNode() && !index.isArray()) || !maps.indexes().containsAll(names)) {
            throw ProblemException.inField(
                    "index",
                    "index must be a list of names: %s."
                            .formatted(String.join(", ", maps.indexes())));
        }
        return names;
    }

    private static Duration timeLimit(CrawlConfig config) {
        var time = config.crawl().limits().time();
        return time.compareTo(TIME_MAX) < 0 ? time : TIME_MAX;
    }

    private void send(SiteMap map, Duration timeLimit, MapResponse response) throws Exception {
        var reading = new FutureTask<>(map::read);
        var thread = Thread.ofVirtual().name("map").start(reading);
        try {
            response.send(await(reading, map, timeLimit, response));
        } finally {
            map.stop();
            thread.join();
        }
    }

    /** Waits for the end of a map; when the time limit is over, for the URLs found until then. */
    private Result await(
            FutureTask<Result> reading, SiteMap map, Duration timeLimit, MapResponse response)
            throws Exception {
        var start = System.nanoTime();
        var timedOut = false;
        while (true) {
            var left = timeLimit.toMillis() - TimeUnit.NANOSECONDS.toMillis(elapsed(start));
            if (left <= 0 && !timedOut) {
                timedOut = true;
                map.stop();
            }
            try {
                var wait = timedOut ? heartbeatMillis : Math.min(left, heartbeatMillis);
                var result = reading.get(wait, TimeUnit.MILLISECONDS);
                return timedOut ? timedOut(result, timeLimit) : result;
            } catch (TimeoutException e) {
                response.sendHeartbeat();
            } catch (ExecutionException e) {
                return failed(e, response);
            }
        }
    }

    private static long elapsed(long start) {
        return System.nanoTime() - start;
    }

    private static Result timedOut(Result result, Duration timeLimit) {
        var warnings = new ArrayList<>(result.warnings());
        warnings.add(
                "the time limit of %d s is reached; the list is incomplete"
                        .formatted(timeLimit.toSeconds()));
        return new Result(result.urls(), false, warnings);
    }

    /** Once the response has begun, its status cannot say that the map failed. */
    private static Result failed(ExecutionException failure, MapResponse response)
            throws Exception {
        if (!response.hasBegun()) {
            throw failure.getCause() instanceof Exception e ? e : failure;
        }
        LOG.error("a map failed", failure.getCause());
        var why = FailureText.of(Optional.ofNullable(failure.getCause()).orElse(failure));
        return new Result(List.of(), false, List.of("the map failed: " + why));
    }

    /** Ends all maps: their clients get the URLs found until now. */
    @Override
    public void close() {
        active.forEach(SiteMap::stop);
    }
}
