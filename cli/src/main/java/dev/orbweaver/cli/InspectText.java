package dev.orbweaver.cli;

import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.HostView;
import dev.orbweaver.internal.frontier.disk.FrontierInspection;
import dev.orbweaver.model.FailureCause;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Prints the result of an inspection as text. */
record InspectText(PrintStream out, FrontierInspection frontierInspection, boolean running) {

    void print() {
        jobs();
        longest();
        next();
        dead();
        files();
    }

    private void jobs() {
        var jobs = frontierInspection.frontierOverview().jobs();
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
        var table = new Table("lrrrll");
        if (!frontierInspection.frontierOverview().longestQueues().isEmpty()) {
            table.row("host", "queued", "leased", "priority", "state", "due");
        }
        for (var host : frontierInspection.frontierOverview().longestQueues()) {
            table.row(
                    host.host(),
                    Numbers.count(host.queued()),
                    Numbers.count(host.leased()),
                    priority(host),
                    host.state().name().toLowerCase(Locale.ROOT),
                    due(host));
        }
        printOrNone(table, frontierInspection.frontierOverview().longestQueues());
    }

    private void next() {
        heading(running ? "next due" : "next due, counted from the resume");
        var table = new Table("lll");
        frontierInspection
                .frontierOverview()
                .nextDue()
                .forEach(host -> table.row(due(host), host.host(), "priority " + priority(host)));
        printOrNone(table, frontierInspection.frontierOverview().nextDue());
    }

    private static String priority(HostView host) {
        return host.priority().isPresent() ? "" + host.priority().getAsInt() : "-";
    }

    private String due(HostView host) {
        return switch (host.state()) {
            case IDLE -> "never";
            case BUSY -> "when a request ends";
            case READY -> "now";
            case WAITING, RESTING ->
                    host.due()
                            .map(
                                    due ->
                                            Duration.between(
                                                    frontierInspection.frontierOverview().at(),
                                                    due))
                            .map(wait -> "in " + Numbers.shortDuration(wait))
                            .orElse("");
        };
    }

    private void dead() {
        heading("dead letters");
        frontierInspection.deadLetters().forEach(this::dead);
        if (frontierInspection.deadLetters().isEmpty()) {
            out.println("  none");
        }
    }

    private void dead(FailureCause cause, List<DeadLetter> some) {
        var count =
                frontierInspection.frontierOverview().stats().deadByCause().getOrDefault(cause, 0L);
        out.println("  " + cause.id() + " " + Numbers.count(count));
        some.forEach(letter -> out.println("    " + letter.url()));
        if (count > some.size()) {
            out.println("    and " + Numbers.count(count - some.size()) + " more");
        }
    }

    private void files() {
        heading(
                "frontier files: %s, %s of journal since"
                        .formatted(
                                frontierInspection.snapshot() == 0
                                        ? "no snapshot yet"
                                        : "snapshot " + frontierInspection.snapshot(),
                                Numbers.bytes(frontierInspection.journalBytes())));
        var table = new Table("lrll");
        for (var file : frontierInspection.files()) {
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
