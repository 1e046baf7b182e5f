package dev.orbweaver.cli;

import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.CrawlReport;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Formats the summary at the end of a crawl: why it ended, its counts, its output. */
final class SummaryBox {

    private SummaryBox() {}

    static String of(CrawlEnd end, CrawlReport crawlReport, Path directory, int columns) {
        var lines = new ArrayList<String>();
        lines.addAll(reason(end, crawlReport).lines().toList());
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
                .map(text -> "  time spent: " + text)
                .ifPresent(lines::add);
        lines.add("");
        lines.add("in " + directory + "/: warc/, pages.log, summary.json");
        nextCommand(end, crawlReport, directory).ifPresent(lines::add);
        return box(lines, columns);
    }

    /** Returns the outcomes of all accepted URLs; the counts add up to the total. */
    private static String ledgerLine(CrawlReport crawlReport) {
        var ledger = crawlReport.ledger();
        return "%s URLs: %s pages, %s other, %s failed, %s withdrawn, %s queued"
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
        var resume = "to continue: ./orbweaver resume " + directory;
        return switch (end.reason()) {
            case COMPLETE ->
                    Optional.ofNullable(crawlReport.refusedByReason().get("excluded"))
                            .filter(_ -> crawlReport.ledger().withdrawn() > 0)
                            .map(
                                    _ ->
                                            "URLs of excluded hosts were skipped; to undo:"
                                                    + " ./orbweaver exclude --undo");
            case MAX_PAGES -> Optional.of(resume + " --set max-pages=none");
            case MAX_BYTES -> Optional.of(resume + " --set max-bytes=none");
            case MAX_TIME, WAITING, STOPPED, BROKEN, HANDLER_FAILED, INTERNAL ->
                    Optional.of(resume);
        };
    }

    private static String reason(CrawlEnd end, CrawlReport crawlReport) {
        return switch (end.reason()) {
            case COMPLETE ->
                    crawlReport.pages() == 0
                            ? noPagesReason(crawlReport)
                            : "Complete: no URLs are left.";
            case MAX_PAGES -> "Stopped at the limit of " + end.detail() + ".";
            case MAX_BYTES -> "Stopped at the limit of " + end.detail() + ".";
            case MAX_TIME -> "Stopped at the time limit of " + end.detail() + ".";
            case WAITING ->
                    "Stopped: hosts must rest for longer than --max-idle-wait.\n" + end.detail();
            case STOPPED -> "Interrupted: all pages fetched so far are stored.";
            case BROKEN -> "Failed: " + end.detail();
            case HANDLER_FAILED, INTERNAL -> "Failed with an internal error: " + end.detail();
        };
    }

    private static String noPagesReason(CrawlReport crawlReport) {
        var counts =
                crawlReport.failedByCause().isEmpty()
                        ? crawlReport.refusedByReason()
                        : crawlReport.failedByCause();
        return counts.isEmpty()
                ? "No page could be fetched."
                : "No page could be fetched: "
                        + Numbers.breakdown(counts, Function.identity())
                        + ".";
    }

    private static Optional<String> detail(String label, Map<String, Long> counts) {
        return counts.isEmpty()
                ? Optional.empty()
                : Optional.of("  " + label + ": " + Numbers.breakdown(counts, Function.identity()));
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
