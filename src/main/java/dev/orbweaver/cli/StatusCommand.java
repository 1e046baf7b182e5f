package dev.orbweaver.cli;

import dev.orbweaver.Orbweaver;
import dev.orbweaver.Summary;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.frontier.FrontierStats;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Refusal;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@code orbweaver status DIR}: where a crawl stands, running or not. */
final class StatusCommand implements Command {

    private final Terminal terminal;

    private StatusCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    static CommandSpec spec(Terminal terminal) {
        var command = new StatusCommand(terminal);
        var spec = command.describe("status", "Tell where the crawl in a folder stands.", "");
        spec.addPositional(Options.folder());
        return spec;
    }

    @Override
    public int execute(ParseResult arguments) throws ConfigException, IOException {
        var folder = Folders.given(arguments);
        var config = Folders.settings(folder);
        print(config, Orbweaver.peek(config, folder), folder);
        return ExitCode.COMPLETE.code();
    }

    private void print(CrawlConfig config, FrontierStats stats, Path folder) throws IOException {
        var ledger = stats.ledger();
        line("crawl", config.seeds().getFirst().url() + " in " + folder + "/");
        line("state", state(folder));
        line("pages", Numbers.count(ledger.pages()) + "   " + Numbers.bytes(ledger.bytes()));
        line(
                "accepted",
                "%s = %s queued + %s leased + %s done + %s dead + %s withdrawn"
                        .formatted(
                                Numbers.count(ledger.accepted()),
                                Numbers.count(ledger.queued()),
                                Numbers.count(ledger.leased()),
                                Numbers.count(ledger.done()),
                                Numbers.count(ledger.dead()),
                                Numbers.count(ledger.withdrawn())));
        line(
                "offered",
                "%s = %s duplicate + %s refused + %s accepted"
                        .formatted(
                                Numbers.count(ledger.offered()),
                                Numbers.count(ledger.duplicate()),
                                Numbers.count(ledger.refused()),
                                Numbers.count(ledger.accepted())));
        line("failed", Numbers.breakdown(stats.deadByCause(), FailureCause::word));
        line("refused", Numbers.breakdown(stats.refusedByReason(), Refusal::word));
        line("hosts", Numbers.hosts(stats.hosts()));
    }

    private static String state(Path folder) throws IOException {
        if (Orbweaver.isRunning(folder)) {
            return "running";
        }
        var summary = folder.resolve(Summary.FILE);
        if (!Files.exists(summary)) {
            return "broken off; to go on: ./orbweaver resume " + folder;
        }
        var figures = JsonMapper.shared().readTree(summary);
        var reason = figures.path("reason").asString("");
        return reason.equals("complete")
                ? "complete"
                : "ended (" + reason + "); to go on: ./orbweaver resume " + folder;
    }

    private void line(String label, String text) {
        terminal.out().println(label + " ".repeat(Math.max(1, 10 - label.length())) + text);
    }
}
