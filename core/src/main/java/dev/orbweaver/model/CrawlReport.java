package dev.orbweaver.model;

import tools.jackson.databind.json.JsonMapper;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The result of a crawl; {@code summary.json} has the same names. Counts are of the whole crawl;
 * times, rates and memory are of the process that wrote the report. Immutable.
 *
 * @param reason why the crawl ended, as an id; {@link #end} has it as an enum
 * @param detail a sentence with the limit, host or error; empty when there is nothing to add
 * @param pages stored documents with a 2xx response
 * @param runPages those of them that this run stored
 * @param failed URLs that failed after the last retry
 * @param refused links that were refused, and URLs that were withdrawn later
 * @param deadLetters the same number as {@code failed}
 * @param queued URLs that wait for a request or are being requested
 * @param urlsSeen distinct URLs of the crawl
 * @param bytes the size of all response bodies as transferred
 * @param requests requests that this process sent
 * @param connections connections that this process opened
 * @param started when this process started the crawl, in ISO 8601
 * @param seconds the duration of this run
 * @param pagesPerSecond {@code runPages} per second of this run
 * @param cpuSeconds CPU time of this process
 * @param peakRssBytes the maximum memory of this process
 * @param failedByCause failed URLs by {@link dev.orbweaver.model.FailureCause#id}
 * @param refusedByReason refused links and withdrawn URLs by {@link dev.orbweaver.model.Refusal#id}
 * @param responsesByStatus recorded responses by status code, without robots.txt
 * @param failedAttemptsByCause failed requests by cause, with those that were repeated
 * @param secondsByPhase seconds by what hosts with queued URLs waited for, summed over hosts;
 *     phases of 0 seconds are omitted
 * @param politenessShare the reached share of the request rate that politeness allows, from 0 to 1
 * @param concurrencyReductions how often the number of requests in flight was reduced to stay
 *     within limits of memory and sockets
 * @param ledger URLs by state
 */
public record CrawlReport(
        String reason,
        String detail,
        long pages,
        long runPages,
        long failed,
        long refused,
        long deadLetters,
        long queued,
        long urlsSeen,
        long bytes,
        long requests,
        long connections,
        String started,
        double seconds,
        double cpuSeconds,
        double pagesPerSecond,
        double pagesPerCpuSecond,
        long peakRssBytes,
        Map<String, Long> failedByCause,
        Map<String, Long> refusedByReason,
        Map<String, Long> responsesByStatus,
        Map<String, Long> failedAttemptsByCause,
        Map<String, Double> secondsByPhase,
        double politenessShare,
        long concurrencyReductions,
        Ledger ledger) {

    /** Copies the maps. */
    public CrawlReport {
        failedByCause = Collections.unmodifiableMap(new TreeMap<>(failedByCause));
        refusedByReason = Collections.unmodifiableMap(new TreeMap<>(refusedByReason));
        responsesByStatus = Collections.unmodifiableMap(new TreeMap<>(responsesByStatus));
        failedAttemptsByCause = Collections.unmodifiableMap(new TreeMap<>(failedAttemptsByCause));
        secondsByPhase = Collections.unmodifiableMap(new LinkedHashMap<>(secondsByPhase));
    }

    /** Returns why the crawl ended. */
    public CrawlEnd end() {
        for (var each : CrawlEnd.Reason.values()) {
            if (each.id().equals(reason)) {
                return new CrawlEnd(each, detail);
            }
        }
        throw new IllegalStateException("unknown reason " + reason);
    }

    /** Returns the report as indented JSON, the content of {@code summary.json}. */
    public String toJson() {
        return JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(this) + "\n";
    }
}
