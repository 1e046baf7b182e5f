package dev.orbweaver.cli;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.CrawlReports;
import dev.orbweaver.internal.engine.ProgressSnapshot;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.revisit.RevisitStatistics;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.internal.sink.TombstoneFile;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Prints the status of a crawl, one line per figure. */
record StatusText(PrintStream out) {

    static final String RUNNING = "running";
    private static final String UNFINISHED = "unfinished";
    private static final String COMPLETE = "complete";
    private static final int LABEL_WIDTH = 10;

    void print(CrawlConfig config, FrontierStats stats, Path directory) throws IOException {
        var responses = new StoredCrawl(directory, config).responseCounts();
        var ledger = stats.ledger();
        line("crawl", config.firstSeed() + " in " + directory + "/");
        line("state", stateText(state(directory), ledger, directory));
        printRetention(directory);
        line("pages", Numbers.count(ledger.pages()) + "   " + Numbers.bytes(ledger.bytes()));
        line("accepted", accepted(ledger));
        line(
                "offered",
                "%s = %s duplicate + %s refused + %s accepted"
                        .formatted(
                                Numbers.count(ledger.offered()),
                                Numbers.count(ledger.duplicate()),
                                Numbers.count(ledger.refused()),
                                Numbers.count(ledger.accepted())));
        line("responses", Numbers.breakdown(responses.byStatus(), status -> status + ":"));
        line("errors", Numbers.breakdown(responses.byCause(), cause -> cause));
        line("failed", Numbers.breakdown(stats.deadByCause(), FailureCause::id));
        line("refused", refused(stats));
        line("hosts", Numbers.hosts(stats.hosts()));
        var revisits = new StoredCrawl(directory, config).revisits();
        if (revisits.isPresent()) {
            line("revisits", revisits(revisits.get()));
        }
        printTakenDown(TombstoneFile.read(directory, config.urls()));
        printTimes(directory);
    }

    /** Prints the sizes, if the retention ended the last run. */
    private void printRetention(Path directory) throws IOException {
        var report = CrawlReports.read(directory);
        if (report.isPresent() && report.get().end().reason() == CrawlEnd.Reason.RETENTION) {
            line("reason", report.get().end().detail());
        }
    }

    /** Returns how far the visits of known pages are. */
    static String revisits(RevisitStatistics revisits) {
        var budget =
                revisits.visitsPerDay().isPresent()
                        ? " of " + Numbers.count(Math.round(revisits.visitsPerDay().getAsDouble()))
                        : "";
        return "%s: %s queued, %s due, %s overdue by a day, %s gone; %.0f %% fresh (estimated); %s%s visits today"
                .formatted(
                        Numbers.count(revisits.pages(), "page"),
                        Numbers.count(revisits.queued()),
                        Numbers.count(revisits.due()),
                        Numbers.count(revisits.overdue()),
                        Numbers.count(revisits.gone()),
                        100 * revisits.freshness(),
                        Numbers.count(revisits.usedToday()),
                        budget);
    }

    /** Prints what exports leave out although the counts of the crawl contain it. */
    private void printTakenDown(TombstoneFile tombstones) {
        if (!tombstones.isEmpty()) {
            line(
                    "forgotten",
                    "%s and %s; exports and queries leave them out, the counts above do not"
                            .formatted(
                                    Numbers.count(tombstones.urlCount(), "URL"),
                                    Numbers.count(tombstones.hostCount(), "host")));
        }
    }

    /**
     * Prints where time goes, from the progress that a crawl writes while it runs and at its end.
     */
    private void printTimes(Path directory) throws IOException {
        var progressSnapshot = ProgressSnapshot.of(directory);
        if (progressSnapshot.isPresent()) {
            Numbers.timeShares(progressSnapshot.get().secondsByPhase())
                    .ifPresent(
                            text ->
                                    line(
                                            "time",
                                            "%s; %.0f %% of the rate that politeness allows"
                                                    .formatted(
                                                            text,
                                                            100
                                                                    * progressSnapshot
                                                                            .get()
                                                                            .politenessShare())));
            progressSnapshot.get().waitingFor().ifPresent(what -> line("waits", "for " + what));
            progressSnapshot
                    .get()
                    .reductionReason()
                    .ifPresent(
                            why ->
                                    line(
                                            "limited",
                                            "to %s requests in flight: %s"
                                                    .formatted(
                                                            Numbers.count(
                                                                    progressSnapshot
                                                                            .get()
                                                                            .allowed()),
                                                            why)));
        }
    }

    /** Prints how far a sink was when it last recorded its position. */
    void printSink(SinkStatus store, Path directory) throws IOException {
        var problem = store.problem().isEmpty() ? "" : "; " + store.problem();
        var catchUp =
                store.isComplete() || StoredCrawl.isRunning(directory)
                        ? ""
                        : "; to catch up: " + CommandHint.of("sink", directory);
        line(store.name(), SinkText.amount(store) + problem + catchUp);
    }

    /** Returns why URLs were refused; those that were withdrawn later have a reason, too. */
    static String refused(FrontierStats stats) {
        var withdrawn = stats.ledger().withdrawn();
        return Numbers.breakdown(stats.refusedByReason(), Refusal::id)
                + (withdrawn == 0 ? "" : " (with " + Numbers.count(withdrawn) + " withdrawn)");
    }

    static String accepted(Ledger ledger) {
        return "%s = %s queued + %s leased + %s done + %s dead + %s withdrawn"
                .formatted(
                        Numbers.count(ledger.accepted()),
                        Numbers.count(ledger.queued()),
                        Numbers.count(ledger.leased()),
                        Numbers.count(ledger.done()),
                        Numbers.count(ledger.dead()),
                        Numbers.count(ledger.withdrawn()));
    }

    /** Returns running, unfinished (after a crash), or the reason why the last run ended. */
    static String state(Path directory) throws IOException {
        if (StoredCrawl.isRunning(directory)) {
            return RUNNING;
        }
        var summary = directory.resolve(DirectoryLayout.REPORT);
        return Files.exists(summary)
                ? JsonMapper.shared()
                        .readTree(AtomicFile.read(new RealDisk(), summary))
                        .path("reason")
                        .asString("")
                : UNFINISHED;
    }

    private static String stateText(String state, Ledger ledger, Path directory) {
        var resume =
                EndNotes.resumeCommand(state, ledger, directory)
                        .map(command -> "; " + command)
                        .orElse("");
        return switch (state) {
            case RUNNING, COMPLETE -> state;
            case UNFINISHED -> state + "; to continue: " + CommandHint.of("resume", directory);
            default -> "ended (" + state + ")" + resume;
        };
    }

    void line(String label, String text) {
        out.println(label + " ".repeat(Math.max(1, LABEL_WIDTH - label.length())) + text);
    }
}
