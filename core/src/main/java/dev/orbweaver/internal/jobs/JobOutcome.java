package dev.orbweaver.internal.jobs;

import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.model.CrawlEnd;

import java.util.ArrayList;
import java.util.function.Supplier;

/**
 * The effect of a crawl's end on its job.
 *
 * @param reason why, as a sentence; a failed crawl has one even if the frontier failed
 */
public record JobOutcome(State state, String reason) {

    public static JobOutcome of(CrawlEnd end, Supplier<FrontierStats> stats) {
        return switch (end.reason()) {
            case RETENTION, BROKEN, HANDLER_FAILED, INTERNAL ->
                    new JobOutcome(State.FAILED, "The crawl failed: " + end.detail());
            case STOPPED -> new JobOutcome(State.STOPPED, "Stopped on request.");
            case COMPLETE, MAX_PAGES, MAX_BYTES, MAX_TIME, WAITING -> completed(end, stats.get());
        };
    }

    private static JobOutcome completed(CrawlEnd end, FrontierStats stats) {
        var waits = end.reason() == CrawlEnd.Reason.WAITING && stats.ledger().dead() == 0;
        return stats.ledger().pages() == 0 && !waits
                ? new JobOutcome(State.FAILED, noPagesReason(stats))
                : new JobOutcome(State.FINISHED, endReason(end, stats));
    }

    private static String noPagesReason(FrontierStats stats) {
        var ledger = stats.ledger();
        var causes = new ArrayList<String>();
        stats.deadByCause().forEach((cause, count) -> causes.add(cause.id() + " " + count));
        if (ledger.withdrawn() > 0) {
            stats.refusedByReason()
                    .forEach(
                            (reason, count) ->
                                    causes.add("refused by " + reason.id() + " " + count));
        }
        if (ledger.done() > 0) {
            causes.add("responses without a page " + ledger.done());
        }
        return causes.isEmpty()
                ? "No page could be fetched."
                : "No page could be fetched: " + String.join(", ", causes) + ".";
    }

    private static String endReason(CrawlEnd end, FrontierStats stats) {
        return switch (end.reason()) {
            case COMPLETE ->
                    stats.ledger().dead() == 0
                            ? "All URLs in scope were visited."
                            : "All URLs in scope were visited; failed: %,d."
                                    .formatted(stats.ledger().dead());
            case MAX_PAGES -> "Page limit reached (%s).".formatted(end.detail());
            case MAX_BYTES -> "Data limit reached (%s).".formatted(end.detail());
            case MAX_TIME -> "Time limit reached (%s).".formatted(end.detail());
            case WAITING ->
                    "The remaining hosts rest for longer than max-idle-wait: " + end.detail();
            case STOPPED, RETENTION, BROKEN, HANDLER_FAILED, INTERNAL -> end.detail();
        };
    }
}
