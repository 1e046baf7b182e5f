package dev.orbweaver.cli;

import dev.orbweaver.frontier.DeadLetter;
import dev.orbweaver.frontier.HostView;
import dev.orbweaver.frontier.disk.Inspection;
import dev.orbweaver.model.FailureCause;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** What an inspection found, for people. */
final class InspectText {

    private final PrintStream out;
    private final Inspection found;
    private final boolean running;

    InspectText(PrintStream out, Inspection found, boolean running) {
        this.out = out;
        this.found = found;
        this.running = running;
    }

    void print() {
        jobs();
        longest();
        next();
        dead();
        files();
    }

    private void jobs() {
        var jobs = found.census().jobs();
        if (jobs.size() > 1) {
            heading("jobs");
            var table = new Table("lrl");
            jobs.forEach(
                    (number, ledger) ->
                            table.row(
                                    "job " + number,
                                    Numbers.count(ledger.pages()) + " pages",
                                    "accepted " + Standing.accepted(ledger)));
            table.print(out);
        }
    }

    private void longest() {
        heading("longest queues");
        var table = new Table("lrrll");
        if (!found.census().longest().isEmpty()) {
            table.row("host", "queued", "leased", "state", "due");
        }
        for (var host : found.census().longest()) {
            table.row(
                    host.host(),
                    Numbers.count(host.queued()),
                    Numbers.count(host.leased()),
                    host.state().name().toLowerCase(Locale.ROOT),
                    due(host));
        }
        printOrNone(table, found.census().longest());
    }

    private void next() {
        heading(running ? "next due" : "next due, from when it goes on");
        var table = new Table("ll");
        found.census().next().forEach(host -> table.row(due(host), host.host()));
        printOrNone(table, found.census().next());
    }

    private String due(HostView host) {
        return switch (host.state()) {
            case IDLE -> "never";
            case BUSY -> "when a request ends";
            case READY -> "now";
            case WAITING, RESTING ->
                    host.due()
                            .map(due -> Duration.between(found.census().at(), due))
                            .map(wait -> "in " + Numbers.shortly(wait))
                            .orElse("");
        };
    }

    private void dead() {
        heading("dead letters");
        found.dead().forEach(this::dead);
        if (found.dead().isEmpty()) {
            out.println("  none");
        }
    }

    private void dead(FailureCause cause, List<DeadLetter> some) {
        var count = found.census().stats().deadByCause().getOrDefault(cause, 0L);
        out.println("  " + cause.word() + " " + Numbers.count(count));
        some.forEach(letter -> out.println("    " + letter.url()));
        if (count > some.size()) {
            out.println("    and " + Numbers.count(count - some.size()) + " more");
        }
    }

    private void files() {
        heading(
                "files of the frontier: %s, and %s of journal since"
                        .formatted(
                                found.snapshot() == 0
                                        ? "no snapshot yet"
                                        : "snapshot " + found.snapshot(),
                                Numbers.bytes(found.journalBytes())));
        var table = new Table("lrll");
        for (var file : found.files()) {
            table.row(
                    file.name(),
                    Numbers.bytes(file.bytes()),
                    file.version() == 0 ? "" : "version " + file.version(),
                    file.what());
        }
        table.print(out);
    }

    private void heading(String text) {
        out.println();
        out.println(text);
    }

    private void printOrNone(Table table, List<?> hosts) {
        if (hosts.isEmpty()) {
            out.println("  none");
        } else {
            table.print(out);
        }
    }
}
