package dev.orbweaver.server;

import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.server.IndexNowKeys.Result;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Receives IndexNow (indexnow.org): sites announce URLs that changed. A push is accepted for hosts
 * of jobs, with a key that a file on the host proves.
 */
final class IndexNowApi implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(IndexNowApi.class);

    private static final int URLS_MAX = 10_000;
    private static final int KEY_MIN = 8;

    /** When to try again after a job could not take the URLs. */
    private static final Duration FULL_DELAY = Duration.ofMinutes(1);

    private static final int KEY_MAX = 128;
    private static final int HOSTS_MAX = 2_000;
    private static final int CONCURRENCY = 8;

    /** URLs per host: this many at once, and as many again in each hour. */
    private static final double URLS_PER_HOUR = 20_000;

    private static final Set<String> FIELDS = Set.of("host", "key", "keyLocation", "urlList");

    private record Push(CrawlUrl keyFile, String key, List<CrawlUrl> urls) {}

    private final Jobs jobs;
    private final Optional<IndexNowKeys> keys;
    private final RateLimiter urlLimiter =
            new RateLimiter(URLS_PER_HOUR, URLS_PER_HOUR / 3_600, System::nanoTime);
    private final ConcurrencyLimiter concurrencyLimiter =
            new ConcurrencyLimiter(
                    CONCURRENCY,
                    CONCURRENCY,
                    "Too many key files are being verified; retry later.");

    /**
     * @param keys empty if the receiver is switched off
     */
    IndexNowApi(Jobs jobs, Optional<IndexNowKeys> keys) {
        this.jobs = jobs;
        this.keys = keys;
    }

    /** Receives one URL as query parameters. */
    void get(ApiCall apiCall) throws Exception {
        requireOn();
        var url = url("url", apiCall.query("url").orElse(""));
        var key = key(apiCall.query("key").orElse(""));
        receive(
                apiCall,
                new Push(keyFile(url, key, apiCall.query("keyLocation")), key, List.of(url)));
    }

    /** Receives a list of URLs of one host. */
    void post(ApiCall apiCall) throws Exception {
        var body = apiCall.body();
        requireOn();
        for (var name : body.propertyNames()) {
            if (!FIELDS.contains(name)) {
                throw ProblemException.inField(
                        name,
                        "Unknown field '%s'; expected host, key, keyLocation and urlList."
                                .formatted(name));
            }
        }
        var host = JobsApi.text(body, "host").orElse("");
        var key = key(JobsApi.text(body, "key").orElse(""));
        var urls = urls(body.path("urlList"));
        for (var url : urls) {
            if (!url.host().equalsIgnoreCase(host) && !url.authority().equalsIgnoreCase(host)) {
                throw ProblemException.inField(
                        ProblemException.UNPROCESSABLE,
                        "urlList",
                        "%s does not belong to the host '%s'.".formatted(url, host));
            }
        }
        receive(
                apiCall,
                new Push(
                        keyFile(urls.getFirst(), key, JobsApi.text(body, "keyLocation")),
                        key,
                        urls));
    }

    private void requireOn() {
        if (keys.isEmpty()) {
            throw ProblemException.of(
                    ProblemException.NOT_FOUND,
                    "IndexNow is switched off; start the service with --indexnow.");
        }
    }

    private static List<CrawlUrl> urls(JsonNode list) {
        if (!list.isArray() || list.isEmpty() || list.size() > URLS_MAX) {
            throw ProblemException.inField(
                    "urlList", "urlList must be a list of 1 to 10,000 URLs.");
        }
        var urls = new ArrayList<CrawlUrl>();
        for (var i = 0; i < list.size(); i++) {
            urls.add(url("urlList[" + i + "]", list.get(i).asString("")));
        }
        return urls;
    }

    private static CrawlUrl url(String field, String text) {
        return JobsApi.URLS
                .parse(text)
                .orElseThrow(
                        () ->
                                ProblemException.inField(
                                        field,
                                        "%s must be an http or https URL, not '%s'."
                                                .formatted(field, text)));
    }

    private static String key(String key) {
        var isKey =
                key.length() >= KEY_MIN
                        && key.length() <= KEY_MAX
                        && key.chars().allMatch(IndexNowApi::isOfKey);
        if (!isKey) {
            throw ProblemException.inField(
                    ProblemException.UNPROCESSABLE,
                    "key",
                    "key must have from 8 to 128 characters of a-z, A-Z, 0-9 and the hyphen.");
        }
        return key;
    }

    private static boolean isOfKey(int sign) {
        return (sign >= 'a' && sign <= 'z')
                || (sign >= 'A' && sign <= 'Z')
                || (sign >= '0' && sign <= '9')
                || sign == '-';
    }

    /** Returns the URL of the key file: at the root of the host, or where the caller says. */
    private static CrawlUrl keyFile(CrawlUrl url, String key, Optional<String> location) {
        return location.map(text -> url("keyLocation", text))
                .orElseGet(() -> url("key", url.origin() + "/" + key + ".txt"));
    }

    private void receive(ApiCall apiCall, Push push) throws Exception {
        var first = push.urls.getFirst();
        var directory = push.keyFile.text().substring(0, push.keyFile.text().lastIndexOf('/') + 1);
        for (var url : push.urls) {
            if (!url.origin().equals(first.origin())
                    || !push.keyFile.origin().equals(first.origin())
                    || push.keyFile.text().indexOf('?') >= 0 // A search page can show any key.
                    || !url.text().startsWith(directory)) {
                throw ProblemException.inField(
                        ProblemException.UNPROCESSABLE,
                        "keyLocation",
                        "The key file %s is not valid for %s; it covers URLs of its origin in its own directory and below, and has no query."
                                .formatted(push.keyFile, url));
            }
        }
        var receivers = jobsOf(first);
        if (receivers.isEmpty()) {
            throw ProblemException.of(
                    ProblemException.UNPROCESSABLE,
                    "No job of this service crawls %s.".formatted(first.host()));
        }
        switch (verify(push)) {
            case INVALID ->
                    throw ProblemException.inField(
                            ProblemException.FORBIDDEN,
                            "key",
                            "%s does not contain the key.".formatted(push.keyFile));
            case UNKNOWN ->
                    throw ProblemException.tooMany(
                            IndexNowKeys.DELAY,
                            "%s could not be verified yet; retry after 10 seconds."
                                    .formatted(push.keyFile));
            case VALID -> {}
        }
        if (!urlLimiter.tryAcquire(first.host(), push.urls.size())) {
            throw ProblemException.tooMany(
                    urlLimiter.delay(first.host(), push.urls.size()),
                    "The limit of 20,000 URLs an hour is reached for %s.".formatted(first.host()));
        }
        announce(receivers, push);
        apiCall.json(200, new Received(push.urls.size()));
    }

    /** Adds the URLs to every job that can take them; then reports the first failure. */
    private void announce(List<JobRecord> receivers, Push push) throws Exception {
        Optional<Exception> failure = Optional.empty();
        var isFull = false;
        for (var job : receivers) {
            try {
                isFull |= !jobs.announce(job.id(), push.urls);
            } catch (IOException | RuntimeException e) {
                LOG.warn("could not add announced URLs to job {}", job.id().number(), e);
                failure = failure.or(() -> Optional.of(e));
            }
        }
        if (failure.isPresent()) {
            throw failure.get();
        }
        if (isFull) {
            throw ProblemException.tooMany(
                    FULL_DELAY,
                    "A job of %s has not read the URLs that were announced before; retry later."
                            .formatted(push.keyFile.host()));
        }
    }

    private record Received(int received) {}

    private Result verify(Push push) throws Exception {
        try (var _ = concurrencyLimiter.acquire(push.keyFile.host())) {
            return keys.orElseThrow().verify(push.keyFile, push.key);
        }
    }

    /** Returns the jobs that crawl a host: one of its seeds, or one that it found. */
    private List<JobRecord> jobsOf(CrawlUrl url) {
        return jobs.all().stream()
                .filter(job -> job.state() != JobRecord.State.DELETED)
                .filter(job -> isSeedHost(job, url) || isKnownHost(job, url))
                .toList();
    }

    private static boolean isSeedHost(JobRecord job, CrawlUrl url) {
        return job.seeds().stream()
                .flatMap(seed -> JobsApi.URLS.parse(seed).stream())
                .anyMatch(seed -> seed.host().equals(url.host()));
    }

    private boolean isKnownHost(JobRecord job, CrawlUrl url) {
        return jobs.hosts(job.id(), HOSTS_MAX).first().stream()
                .anyMatch(host -> host.host().equals(url.host()));
    }

    @Override
    public void close() {
        keys.ifPresent(IndexNowKeys::close);
    }
}
