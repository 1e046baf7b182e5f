package dev.orbweaver.cli;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.Figures;
import dev.orbweaver.Summary;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.disk.WholeFile;
import dev.orbweaver.frontier.FrontierStats;
import dev.orbweaver.frontier.Ledger;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.sink.StoreStatus;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Prints where a crawl stands, a line for each figure. */
final class Standing {

    static final String RUNNING = "running";
    private static final String BROKEN_OFF = "broken off";
    private static final String COMPLETE = "complete";
    private static final int LABEL = 10;

    private final PrintStream out;

    Standing(PrintStream out) {
        this.out = out;
    }

    void print(CrawlConfig config, FrontierStats stats, Path folder) throws IOException {
        var answers = new CrawlDirectory(folder, config).answers();
        var ledger = stats.ledger();
        line("crawl", config.seeds().getFirst().url() + " in " + folder + "/");
        line("state", sentence(state(folder), folder));
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
        line("failed", Numbers.breakdown(stats.deadByCause(), FailureCause::word));
        line("refused", Numbers.breakdown(stats.refusedByReason(), Refusal::word));
        line("hosts", Numbers.hosts(stats.hosts()));
        waits(folder);
    }

    /** What the crawl waits for, as it says itself while it runs, or said at its end. */
    private void waits(Path folder) throws IOException {
        var figures = Figures.of(folder);
        if (figures.isPresent()) {
            Numbers.waiting(figures.get().waiting())
                    .ifPresent(
                            text ->
                                    line(
                                            "waits",
                                            "%s; %.0f %% of what politeness allows is reached"
                                                    .formatted(
                                                            text,
                                                            100
                                                                    * figures.get()
                                                                            .politenessShare())));
            figures.get()
                    .narrowedBecause()
                    .ifPresent(
                            why ->
                                    line(
                                            "narrowed",
                                            "to %s requests at once: %s"
                                                    .formatted(
                                                            Numbers.count(figures.get().allowed()),
                                                            why)));
        }
    }

    /** How far a sink was when it last noted it. */
    void sink(StoreStatus store, Path folder) throws IOException {
        var trouble = store.trouble().isEmpty() ? "" : "; " + store.trouble();
        var catchUp =
                store.isComplete() || CrawlDirectory.isRunning(folder)
                        ? ""
                        : "; to catch up: ./orbweaver sink " + folder;
        line(store.name(), SinkLines.amount(store) + trouble + catchUp);
    }

    /** Where the URLs are that a job ever took in. */
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
    static String state(Path folder) throws IOException {
        if (CrawlDirectory.isRunning(folder)) {
            return RUNNING;
        }
        var summary = folder.resolve(Summary.FILE);
        return Files.exists(summary)
                ? JsonMapper.shared()
                        .readTree(WholeFile.read(new RealDisk(), summary))
                        .path("reason")
                        .asString("")
                : BROKEN_OFF;
    }

    private static String sentence(String state, Path folder) {
        var goOn = "; to go on: ./orbweaver resume " + folder;
        return switch (state) {
            case RUNNING, COMPLETE -> state;
            case BROKEN_OFF -> state + goOn;
            default -> "ended (" + state + ")" + goOn;
        };
    }

    void line(String label, String text) {
        out.println(label + " ".repeat(Math.max(1, LABEL - label.length())) + text);
    }
}
