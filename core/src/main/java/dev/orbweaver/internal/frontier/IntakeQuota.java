package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.url.RegistrableDomain;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Refusal;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Enforces a job's {@link IntakeLimits}. */
final class IntakeQuota {

    private final Workbench bench;
    private final int job;
    private final IntakeLimits limits;
    private final Map<String, Long> urlsOfDomain = new HashMap<>();
    private int hosts;

    /** URLs that were accepted since the last call of {@link #recordMatching}, by condition. */
    private final Map<String, Long> unrecorded = new LinkedHashMap<>();

    /** Creates a quota and counts the URLs that the job has accepted so far. */
    IntakeQuota(Workbench bench, int job, IntakeLimits limits) {
        this.bench = bench;
        this.job = job;
        this.limits = limits;
        for (var host : bench.hosts.inOrder()) {
            var accepted = bench.acceptedOn(host.name, job);
            if (accepted > 0) {
                hosts++;
                count(host.name, accepted);
            }
        }
    }

    /** Returns how many URLs may wait in memory. */
    long waitingMax() {
        return limits.waiting();
    }

    /** Returns why a URL is refused; empty if it is not. */
    Optional<Refusal> refusal(CrawlUrl url) {
        var onHost = bench.acceptedOn(url.host(), job);
        if (onHost == 0 && hosts >= limits.hosts()) {
            return Optional.of(Refusal.HOSTS_LIMIT);
        }
        if (onHost >= limits.urlsPerHost()) {
            return Optional.of(Refusal.HOST_LIMIT);
        }
        if (limitsDomains()
                && urlsOfDomain.getOrDefault(RegistrableDomain.of(url.host()), 0L)
                        >= limits.urlsPerDomain()) {
            return Optional.of(Refusal.DOMAIN_LIMIT);
        }
        return limits.matching(url).stream().anyMatch(this::isReached)
                ? Optional.of(Refusal.MATCH_LIMIT)
                : Optional.empty();
    }

    private boolean isReached(IntakeLimits.MatchLimit limit) {
        return bench.acceptedMatching(job, limit.name()) + unrecorded.getOrDefault(limit.name(), 0L)
                >= limit.max();
    }

    void countAccepted(CrawlUrl url) {
        if (bench.acceptedOn(url.host(), job) == 0) {
            hosts++;
        }
        count(url.host(), 1);
        limits.matching(url).forEach(limit -> unrecorded.merge(limit.name(), 1L, Long::sum));
    }

    /** Records the URLs that matched conditions; must be in the same call as their acceptance. */
    void recordMatching(Consumer<FrontierEvent> record) {
        unrecorded.forEach(
                (name, count) ->
                        record.accept(new FrontierEvent.MatchingAccepted(job, name, count)));
        unrecorded.clear();
    }

    private void count(String host, long urls) {
        if (limitsDomains()) {
            urlsOfDomain.merge(RegistrableDomain.of(host), urls, Long::sum);
        }
    }

    private boolean limitsDomains() {
        return limits.urlsPerDomain() < Long.MAX_VALUE;
    }
}
