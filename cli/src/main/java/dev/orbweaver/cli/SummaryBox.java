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

    /** The width of the frame at both sides. */
    private static final int FRAME = 4;

    private static final String NO_PAGES = "No page could be fetched";

    private SummaryBox() {}

    /**
     * @param notes lines that explain the result
     */
    static String of(
            CrawlEnd end,
            CrawlReport crawlReport,
            List<String> notes,
            Path directory,
            int columns) {
        var lines = new ArrayList<String>();
        lines.addAll(reason(end, crawlReport, notes).lines().toList());
        lines.addAll(notes);
        lines.add("");
        lines.add(pagesLine(crawlReport));
        lines.add(ledgerLine(crawlReport));
        detail("failed", crawlReport.failedByCause()).ifPresent(lines::add);
        detail(
                        crawlReport.ledger().withdrawn() > 0 ? "refused or withdrawn" : "refused",
                        crawlReport.refusedByReason())
                .ifPresent(lines::add);
        Numbers.timeShares(crawlReport.secondsByPhase())
                .map(text -> "  time spent: " + text)
                .ifPresent(lines::add);
        lines.add("");
        lines.add("in " + directory + "/: warc/, pages.log, summary.json");
        var next = nextCommand(end, crawlReport, directory).orElse("");
        var width = columns - FRAME;
        if (next.isEmpty() || next.length() > width) {
            // A command is easier to copy from below the box than in pieces from within it.
            return box(lines, width) + (next.isEmpty() ? "" : next + "\n");
        }
        lines.add(next);
        return box(lines, width);
    }

    /** Returns the pages and their rate; the pages of earlier runs do not belong to the rate. */
    private static String pagesLine(CrawlReport crawlReport) {
        var resumed = crawlReport.runPages() != crawlReport.pages();
        return "%s pages   %s   %sin %s s   %s pages/s"
                .formatted(
                        Numbers.count(crawlReport.pages()),
                        Numbers.bytes(crawlReport.bytes()),
                        resumed
                                ? "this run: " + Numbers.count(crawlReport.runPages()) + " pages "
                                : "",
                        Numbers.decimal(crawlReport.seconds()),
                        Numbers.decimal(crawlReport.pagesPerSecond()));
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
        return switch (end.reason()) {
            case COMPLETE ->
                    Optional.ofNullable(crawlReport.refusedByReason().get("excluded"))
                            .filter(_ -> crawlReport.ledger().withdrawn() > 0)
                            .map(
                                    _ ->
                                            "URLs of excluded hosts were skipped; to undo: "
                                                    + CommandHint.of("exclude", directory)
                                                    + " --undo HOST");
            case MAX_PAGES,
                    MAX_BYTES,
                    MAX_TIME,
                    WAITING,
                    STOPPED,
                    RETENTION,
                    BROKEN,
                    HANDLER_FAILED,
                    INTERNAL ->
                    EndNotes.resumeCommand(end.reason().id(), crawlReport.ledger(), directory);
        };
    }

    static String reason(CrawlEnd end, CrawlReport crawlReport, List<String> notes) {
        return switch (end.reason()) {
            case COMPLETE ->
                    crawlReport.pages() == 0
                            ? notes.isEmpty() ? noPagesReason(crawlReport) : NO_PAGES + "."
                            : "Complete: no URLs are left.";
            case MAX_PAGES -> "Stopped at the limit of " + end.detail() + ".";
            case MAX_BYTES -> "Stopped at the limit of " + end.detail() + ".";
            case MAX_TIME -> "Stopped at the time limit of " + end.detail() + ".";
            case WAITING ->
                    "Stopped: hosts must rest for longer than --max-idle-wait.\n" + end.detail();
            case STOPPED -> "Interrupted: all pages fetched so far are stored.";
            case RETENTION -> "Stopped by the retention: " + end.detail();
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
                ? NO_PAGES + "."
                : NO_PAGES + ": " + Numbers.breakdown(counts, Function.identity()) + ".";
    }

    private static Optional<String> detail(String label, Map<String, Long> counts) {
        return counts.isEmpty()
                ? Optional.empty()
                : Optional.of("  " + label + ": " + Numbers.breakdown(counts, Function.identity()));
    }

    private static String box(List<String> lines, int width) {
        var text = new StringBuilder("╭" + "─".repeat(width + 2) + "╮\n");
        for (var line :
                lines.stream().flatMap(each -> TextWrap.lines(each, width).stream()).toList()) {
            text.append("│ ").append(line).append(" ".repeat(width - line.length())).append(" │\n");
        }
        return text.append("╰").append("─".repeat(width + 2)).append("╯\n").toString();
    }
}
