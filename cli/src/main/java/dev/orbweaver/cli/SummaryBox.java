package dev.orbweaver.cli;

import dev.orbweaver.CrawlReport;
import dev.orbweaver.internal.crawl.CrawlEnd;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The last thing a crawl says: why it ended, what came of it, where it is. */
final class SummaryBox {

    private SummaryBox() {}

    static String of(CrawlEnd end, CrawlReport crawlReport, Path directory, int columns) {
        var lines = new ArrayList<String>();
        lines.add(reason(end, crawlReport));
        lines.add("");
        lines.add(
                "%s pages   %s   in %s s   %s"
                        .formatted(
                                Numbers.count(crawlReport.pages()),
                                Numbers.bytes(crawlReport.bytes()),
                                Numbers.decimal(crawlReport.seconds()),
                                Numbers.decimal(crawlReport.pagesPerSecond()) + " pages/s"));
        lines.add(ledgerLine(crawlReport));
        detail("failed", crawlReport.failedByCause()).ifPresent(lines::add);
        detail("refused", crawlReport.refusedByReason()).ifPresent(lines::add);
        Numbers.timeShares(crawlReport.secondsByPhase())
                .map(text -> "  waited for: " + text)
                .ifPresent(lines::add);
        lines.add("");
        lines.add("in " + directory + "/: warc/, pages.log, summary.json");
        nextCommand(end, crawlReport, directory).ifPresent(lines::add);
        return box(lines, columns);
    }

    /** Where every URL went: the sum always comes out. */
    private static String ledgerLine(CrawlReport crawlReport) {
        var ledger = crawlReport.ledger();
        return "%s URLs: %s pages, %s other answers, %s failed, %s withdrawn, %s queued"
                .formatted(
                        Numbers.count(ledger.accepted()),
                        Numbers.count(ledger.pages()),
                        Numbers.count(ledger.done() - ledger.pages()),
                        Numbers.count(ledger.dead()),
                        Numbers.count(ledger.withdrawn()),
                        Numbers.count(ledger.queued() + ledger.leased()));
    }

    private static Optional<String> nextCommand(
            CrawlEnd end, CrawlReport crawlReport, Path directory) {
        var resume = "to go on: ./orbweaver resume " + directory;
        return switch (end.reason()) {
            case COMPLETE ->
                    Optional.ofNullable(crawlReport.refusedByReason().get("excluded"))
                            .filter(_ -> crawlReport.ledger().withdrawn() > 0)
                            .map(
                                    _ ->
                                            "URLs wait on excluded hosts; to take them up:"
                                                    + " ./orbweaver exclude --undo, then resume");
            case MAX_PAGES -> Optional.of(resume + " --set max-pages=none");
            case MAX_BYTES -> Optional.of(resume + " --set max-bytes=none");
            case MAX_TIME, WAITING, STOPPED, BROKEN, INTERNAL -> Optional.of(resume);
        };
    }

    private static String reason(CrawlEnd end, CrawlReport crawlReport) {
        return switch (end.reason()) {
            case COMPLETE ->
                    crawlReport.pages() == 0
                            ? noPagesReason(crawlReport)
                            : "Complete: nothing is left to fetch.";
            case MAX_PAGES -> "Stopped at the limit of " + end.detail() + ".";
            case MAX_BYTES -> "Stopped at the limit of " + end.detail() + ".";
            case MAX_TIME -> "Stopped at the time limit of " + end.detail() + ".";
            case WAITING -> "Waiting: " + end.detail() + ", longer than --patience.";
            case STOPPED -> "Interrupted: everything so far is kept.";
            case BROKEN -> "Broken off: " + end.detail();
            case INTERNAL -> "Broken off by an error of our own: " + end.detail();
        };
    }

    private static String noPagesReason(CrawlReport crawlReport) {
        var why =
                crawlReport.failedByCause().isEmpty()
                        ? crawlReport.refusedByReason()
                        : crawlReport.failedByCause();
        return why.isEmpty()
                ? "No page could be fetched."
                : "No page could be fetched: " + Numbers.breakdown(why, Function.identity()) + ".";
    }

    private static Optional<String> detail(String word, Map<String, Long> counts) {
        return counts.isEmpty()
                ? Optional.empty()
                : Optional.of("  " + word + ": " + Numbers.breakdown(counts, Function.identity()));
    }

    private static String box(List<String> lines, int columns) {
        var width = Math.max(columns - 4, lines.stream().mapToInt(String::length).max().orElse(0));
        var text = new StringBuilder("╭" + "─".repeat(width + 2) + "╮\n");
        for (var line : lines) {
            text.append("│ ").append(line).append(" ".repeat(width - line.length())).append(" │\n");
        }
        return text.append("╰").append("─".repeat(width + 2)).append("╯\n").toString();
    }
}
