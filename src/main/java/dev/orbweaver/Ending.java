package dev.orbweaver;

import dev.orbweaver.JobRecord.State;
import dev.orbweaver.crawl.CrawlEnd;
import dev.orbweaver.frontier.FrontierStats;

import java.util.ArrayList;
import java.util.function.Supplier;

/**
 * What the end of a crawl means for its job.
 *
 * @param reason why, as a sentence; a crawl that broke off has one even if the frontier failed
 */
record Ending(State state, String reason) {

    static Ending of(CrawlEnd end, Supplier<FrontierStats> stats) {
        return switch (end.reason()) {
            case BROKEN, INTERNAL -> new Ending(State.FAILED, "It broke off: " + end.detail());
            case STOPPED -> new Ending(State.STOPPED, "It was stopped.");
            case COMPLETE, MAX_PAGES, MAX_BYTES, MAX_TIME, WAITING -> completed(end, stats.get());
        };
    }

    private static Ending completed(CrawlEnd end, FrontierStats stats) {
        return stats.ledger().pages() == 0 && stats.ledger().dead() > 0
                ? new Ending(State.FAILED, nothingCame(stats))
                : new Ending(State.FINISHED, sentence(end));
    }

    private static String nothingCame(FrontierStats stats) {
        var causes = new ArrayList<String>();
        stats.deadByCause().forEach((cause, count) -> causes.add(cause.word() + " " + count));
        return "No page could be fetched: " + String.join(", ", causes) + ".";
    }

    private static String sentence(CrawlEnd end) {
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
