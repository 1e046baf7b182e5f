package dev.orbweaver.internal.jobs;

import dev.orbweaver.internal.crawl.CrawlEnd;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.jobs.JobRecord.State;

import java.util.ArrayList;
import java.util.function.Supplier;

/**
 * What the end of a crawl means for its job.
 *
 * @param reason why, as a sentence; a crawl that broke off has one even if the frontier failed
 */
public record JobOutcome(State state, String reason) {

    public static JobOutcome of(CrawlEnd end, Supplier<FrontierStats> stats) {
        return switch (end.reason()) {
            case BROKEN, INTERNAL -> new JobOutcome(State.FAILED, "It broke off: " + end.detail());
            case STOPPED -> new JobOutcome(State.STOPPED, "It was stopped.");
            case COMPLETE, MAX_PAGES, MAX_BYTES, MAX_TIME, WAITING -> completed(end, stats.get());
        };
    }

    private static JobOutcome completed(CrawlEnd end, FrontierStats stats) {
        return stats.ledger().pages() == 0 && stats.ledger().dead() > 0
                ? new JobOutcome(State.FAILED, noPagesReason(stats))
                : new JobOutcome(State.FINISHED, endReason(end));
    }

    private static String noPagesReason(FrontierStats stats) {
        var causes = new ArrayList<String>();
        stats.deadByCause().forEach((cause, count) -> causes.add(cause.id() + " " + count));
        return "No page could be fetched: " + String.join(", ", causes) + ".";
    }

    private static String endReason(CrawlEnd end) {
        return switch (end.reason()) {
            case COMPLETE -> "Everything in scope was visited.";
            case MAX_PAGES -> "It has as many pages as max-pages allows.";
            case MAX_BYTES -> "It has as many bytes as max-bytes allows.";
            case MAX_TIME -> "It ran for as long as max-time allows.";
            case WAITING -> "What is left rests for longer than patience allows: " + end.detail();
            case STOPPED, BROKEN, INTERNAL -> end.detail();
        };
    }
}
