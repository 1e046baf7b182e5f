package dev.orbweaver.cli;

import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.ProgressSnapshot;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.sink.SinkStatus;
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
        line("crawl", config.seeds().getFirst().url() + " in " + directory + "/");
        line("state", stateText(state(directory), directory));
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
        line("refused", Numbers.breakdown(stats.refusedByReason(), Refusal::id));
        line("hosts", Numbers.hosts(stats.hosts()));
        printTimes(directory);
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
                        : "; to catch up: ./orbweaver sink " + directory;
        line(store.name(), SinkText.amount(store) + problem + catchUp);
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

    private static String stateText(String state, Path directory) {
        var resume = "; to continue: ./orbweaver resume " + directory;
        return switch (state) {
            case RUNNING, COMPLETE -> state;
            case UNFINISHED -> state + resume;
            default -> "ended (" + state + ")" + resume;
        };
    }

    void line(String label, String text) {
        out.println(label + " ".repeat(Math.max(1, LABEL_WIDTH - label.length())) + text);
    }
}
