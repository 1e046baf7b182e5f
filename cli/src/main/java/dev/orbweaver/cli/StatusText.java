package dev.orbweaver.cli;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.ProgressSnapshot;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.Ledger;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Refusal;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Prints where a crawl stands, a line for each figure. */
record StatusText(PrintStream out) {

    static final String RUNNING = "running";
    private static final String BROKEN_OFF = "broken off";
    private static final String COMPLETE = "complete";
    private static final int LABEL_WIDTH = 10;

    void print(CrawlConfig config, FrontierStats stats, Path directory) throws IOException {
        var answers = new CrawlDirectory(directory, config).responseCounts();
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
        line("answers", Numbers.breakdown(answers.byStatus(), status -> status + ":"));
        line("tries", Numbers.breakdown(answers.byCause(), cause -> cause));
        line("failed", Numbers.breakdown(stats.deadByCause(), FailureCause::id));
        line("refused", Numbers.breakdown(stats.refusedByReason(), Refusal::id));
        line("hosts", Numbers.hosts(stats.hosts()));
        printTimes(directory);
    }

    /** What the crawl waits for, as it says itself while it runs, or said at its end. */
    private void printTimes(Path directory) throws IOException {
        var progressSnapshot = ProgressSnapshot.of(directory);
        if (progressSnapshot.isPresent()) {
            Numbers.timeShares(progressSnapshot.get().secondsByPhase())
                    .ifPresent(
                            text ->
                                    line(
                                            "waits",
                                            "%s; %.0f %% of what politeness allows is reached"
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
                                            "narrowed",
                                            "to %s requests at once: %s"
                                                    .formatted(
                                                            Numbers.count(
                                                                    progressSnapshot
                                                                            .get()
                                                                            .allowed()),
                                                            why)));
        }
    }

    /** How far a sink was when it last noted it. */
    void printSink(SinkStatus store, Path directory) throws IOException {
        var problem = store.problem().isEmpty() ? "" : "; " + store.problem();
        var catchUp =
                store.isComplete() || CrawlDirectory.isRunning(directory)
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

    /** In a word: running, broken off, or why the last run ended. */
    static String state(Path directory) throws IOException {
        if (CrawlDirectory.isRunning(directory)) {
            return RUNNING;
        }
        var summary = directory.resolve(DirectoryLayout.REPORT);
        return Files.exists(summary)
                ? JsonMapper.shared()
                        .readTree(AtomicFile.read(new RealDisk(), summary))
                        .path("reason")
                        .asString("")
                : BROKEN_OFF;
    }

    private static String stateText(String state, Path directory) {
        var goOn = "; to go on: ./orbweaver resume " + directory;
        return switch (state) {
            case RUNNING, COMPLETE -> state;
            case BROKEN_OFF -> state + goOn;
            default -> "ended (" + state + ")" + goOn;
        };
    }

    void line(String label, String text) {
        out.println(label + " ".repeat(Math.max(1, LABEL_WIDTH - label.length())) + text);
    }
}
