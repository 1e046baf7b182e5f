package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.url.RegistrableDomain;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Refusal;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Enforces a job's {@link IntakeLimits}. */
final class IntakeQuota {

    private final Workbench bench;
    private final int job;
    private final IntakeLimits limits;
    private final Map<String, Long> urlsOfDomain = new HashMap<>();
    private int hosts;

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
        return Optional.empty();
    }

    void countAccepted(CrawlUrl url) {
        if (bench.acceptedOn(url.host(), job) == 0) {
            hosts++;
        }
        count(url.host(), 1);
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
