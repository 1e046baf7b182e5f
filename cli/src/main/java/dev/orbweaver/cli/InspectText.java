package dev.orbweaver.cli;

import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.HostView;
import dev.orbweaver.internal.frontier.disk.Inspection;
import dev.orbweaver.model.FailureCause;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** What an inspection found, for people. */
final class InspectText {

    private final PrintStream out;
    private final Inspection inspection;
    private final boolean running;

    InspectText(PrintStream out, Inspection found, boolean running) {
        this.out = out;
        this.inspection = found;
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
        var jobs = inspection.frontierOverview().jobs();
        if (jobs.size() > 1) {
            heading("jobs");
            var table = new Table("lrl");
            jobs.forEach(
                    (number, ledger) ->
                            table.row(
                                    "job " + number,
                                    Numbers.count(ledger.pages()) + " pages",
                                    "accepted " + StatusText.accepted(ledger)));
            table.print(out);
        }
    }

    private void longest() {
        heading("longest queues");
        var table = new Table("lrrll");
        if (!inspection.frontierOverview().longestQueues().isEmpty()) {
            table.row("host", "queued", "leased", "state", "due");
        }
        for (var host : inspection.frontierOverview().longestQueues()) {
            table.row(
                    host.host(),
                    Numbers.count(host.queued()),
                    Numbers.count(host.leased()),
                    host.state().name().toLowerCase(Locale.ROOT),
                    due(host));
        }
        printOrNone(table, inspection.frontierOverview().longestQueues());
    }

    private void next() {
        heading(running ? "next due" : "next due, from when it goes on");
        var table = new Table("ll");
        inspection.frontierOverview().nextDue().forEach(host -> table.row(due(host), host.host()));
        printOrNone(table, inspection.frontierOverview().nextDue());
    }

    private String due(HostView host) {
        return switch (host.state()) {
            case IDLE -> "never";
            case BUSY -> "when a request ends";
            case READY -> "now";
            case WAITING, RESTING ->
                    host.due()
                            .map(due -> Duration.between(inspection.frontierOverview().at(), due))
                            .map(wait -> "in " + Numbers.shortDuration(wait))
                            .orElse("");
        };
    }

    private void dead() {
        heading("dead letters");
        inspection.deadLetters().forEach(this::dead);
        if (inspection.deadLetters().isEmpty()) {
            out.println("  none");
        }
    }

    private void dead(FailureCause cause, List<DeadLetter> some) {
        var count = inspection.frontierOverview().stats().deadByCause().getOrDefault(cause, 0L);
        out.println("  " + cause.id() + " " + Numbers.count(count));
        some.forEach(letter -> out.println("    " + letter.url()));
        if (count > some.size()) {
            out.println("    and " + Numbers.count(count - some.size()) + " more");
        }
    }

    private void files() {
        heading(
                "files of the frontier: %s, and %s of journal since"
                        .formatted(
                                inspection.snapshot() == 0
                                        ? "no snapshot yet"
                                        : "snapshot " + inspection.snapshot(),
                                Numbers.bytes(inspection.journalBytes())));
        var table = new Table("lrll");
        for (var file : inspection.files()) {
            table.row(
                    file.name(),
                    Numbers.bytes(file.bytes()),
                    file.version() == 0 ? "" : "version " + file.version(),
                    file.description());
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
