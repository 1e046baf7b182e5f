package dev.orbweaver.cli;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.engine.CrawlReports;
import dev.orbweaver.internal.frontier.HostView;
import dev.orbweaver.internal.frontier.JobHosts;
import dev.orbweaver.internal.seeds.SeedReader;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.PrintableText;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** Formats a running crawl: a block of lines for a terminal, or one line for a log. */
final class ProgressView {

    private static final int LABEL_WIDTH = 9;
    private static final int BUSIEST_SHOWN = 3;
    private static final int RESTING_SHOWN = 2;

    /** The number of hosts among which the busiest are searched. */
    static final int HOSTS_SAMPLED = 500;

    private final CrawlConfig config;
    private final IntSupplier width;
    private final RateSparkline rate = new RateSparkline();
    private Optional<Supplier<SeedReader.Progress>> seedProgress = Optional.empty();

    /**
     * @param width the present width of the terminal
     */
    ProgressView(CrawlConfig config, IntSupplier width) {
        this.config = config;
        this.width = width;
    }

    /** Shows how far the seed lists have been read, until they are complete. */
    void watchSeeds(Supplier<SeedReader.Progress> progress) {
        seedProgress = Optional.of(progress);
    }

    private Optional<String> seeds() {
        return seedProgress
                .map(Supplier::get)
                .filter(progress -> !progress.isComplete())
                .map(
                        progress ->
                                line(
                                        "seeds",
                                        "%s lines read (%d %%)   %s malformed"
                                                .formatted(
                                                        Numbers.count(progress.lines()),
                                                        100
                                                                * progress.bytesRead()
                                                                / progress.bytes(),
                                                        Numbers.count(progress.malformed()))));
    }

    void observe(CrawlStatus status) {
        rate.observe(status.frontier().ledger().pages(), status.elapsed());
    }

    List<String> block(CrawlStatus status, Instant now) {
        var ledger = status.frontier().ledger();
        var lines = new ArrayList<String>();
        lines.add(head(status));
        lines.add("─".repeat(width.getAsInt()));
        lines.add(
                line(
                        "pages",
                        "%s   %s   %s"
                                .formatted(
                                        Numbers.count(ledger.pages()),
                                        Numbers.rate(rate.rate()),
                                        rate.sparkline())));
        lines.add(line("queue", queue(status, ledger)));
        seeds().ifPresent(lines::add);
        lines.add(line("hosts", Numbers.hosts(status.frontier().hosts())));
        lines.add(line("outcome", outcome(ledger)));
        lines.add(
                line(
                        "stored",
                        "%s   %s connections open"
                                .formatted(
                                        Numbers.bytes(ledger.bytes()),
                                        Numbers.count(status.openConnections()))));
        Numbers.timeShares(CrawlReports.phaseSeconds(status.timeProfile()))
                .map(text -> line("time", text))
                .ifPresent(lines::add);
        progress(status, ledger).ifPresent(lines::add);
        lines.add(line("now", activity(status, now)));
        return lines;
    }

    /** Returns the block with a line for each sink. */
    List<String> block(CrawlStatus status, List<SinkStatus> sinks, Instant now) {
        var lines = block(status, now);
        for (var sink : sinks) {
            var problem = sink.problem().isEmpty() ? "" : "   waiting: " + sink.problem();
            lines.add(lines.size() - 1, line(sink.name(), SinkText.amount(sink) + problem));
        }
        return lines;
    }

    /** Returns the block with hosts, recent errors and keys, which only a terminal has room for. */
    List<String> block(
            CrawlStatus status,
            List<SinkStatus> sinks,
            JobHosts hosts,
            List<String> errors,
            Instant now) {
        var lines = block(status, sinks, now);
        var last = lines.removeLast();
        hosts.first().stream()
                .filter(host -> host.state() != HostView.State.RESTING)
                .sorted(Comparator.comparingLong(JobHosts.Host::queued).reversed())
                .limit(BUSIEST_SHOWN)
                .forEach(host -> lines.add(line(lines, "busiest", busiest(host, now))));
        hosts.first().stream()
                .filter(host -> host.state() == HostView.State.RESTING)
                .limit(RESTING_SHOWN)
                .forEach(host -> lines.add(line(lines, "resting", resting(host, now))));
        errors.forEach(error -> lines.add(line(lines, "errors", error)));
        lines.add(last);
        lines.add(
                line(
                        "keys",
                        (status.paused() ? "r resume" : "p pause") + "   s stop   Ctrl+C stop"));
        return lines;
    }

    /** Formats a line; repeated labels are omitted. */
    static String line(List<String> before, String label, String text) {
        var again = before.stream().anyMatch(each -> each.startsWith(label + " "));
        return line(again ? "" : label, text);
    }

    private static String busiest(JobHosts.Host host, Instant now) {
        var state = host.state().name().toLowerCase(Locale.ROOT);
        return "%s   %s queued, %s%s"
                .formatted(
                        host.host(),
                        Numbers.count(host.queued()),
                        state,
                        host.due()
                                .filter(due -> due.isAfter(now))
                                .map(
                                        due ->
                                                " for "
                                                        + Numbers.shortDuration(
                                                                Duration.between(now, due)))
                                .orElse(""));
    }

    private static String resting(JobHosts.Host host, Instant now) {
        return "%s   %s queued, resumes in %s%s"
                .formatted(
                        host.host(),
                        Numbers.count(host.queued()),
                        host.due()
                                .filter(due -> due.isAfter(now))
                                .map(due -> Numbers.shortDuration(Duration.between(now, due)))
                                .orElse("a moment"),
                        host.restReason().map(why -> ": " + why).orElse(""));
    }

    String plainLine(CrawlStatus status, List<SinkStatus> sinks, Instant now) {
        var line = new StringBuilder(plainLine(status, now));
        for (var sink : sinks) {
            line.append("  ").append(sink.name()).append(' ').append(SinkText.amount(sink));
        }
        return line.toString();
    }

    /** Returns one line for output that cannot be repainted. */
    String plainLine(CrawlStatus status, Instant now) {
        var ledger = status.frontier().ledger();
        return "%s  pages %s (%s)  queue %s  failed %s  refused %s  %s  %s"
                .formatted(
                        Numbers.clock(status.elapsed()),
                        Numbers.count(ledger.pages()),
                        Numbers.rate(rate.rate()),
                        Numbers.count(ledger.queued()),
                        Numbers.count(ledger.dead()),
                        Numbers.count(ledger.refused() + ledger.withdrawn()),
                        Numbers.bytes(ledger.bytes()),
                        activity(status, now));
    }

    private String head(CrawlStatus status) {
        var time = Numbers.clock(status.elapsed());
        var seed = config.firstSeed();
        var room = width.getAsInt() - time.length() - "orbweaver  ".length() - 1;
        var shown = seed.length() > room ? seed.substring(0, room - 1) + "…" : seed;
        return "orbweaver  " + shown + " ".repeat(Math.max(1, room - shown.length() + 1)) + time;
    }

    /**
     * Formats a line; removes control characters, because host names and errors come from outside.
     */
    static String line(String label, String text) {
        return label
                + " ".repeat(Math.max(1, LABEL_WIDTH - label.length()))
                + PrintableText.line(text);
    }

    private static String queue(CrawlStatus status, Ledger ledger) {
        return "%s URLs queued   %s in flight   %s accepted"
                .formatted(
                        Numbers.count(ledger.queued()),
                        Numbers.count(status.inFlight()),
                        Numbers.count(ledger.accepted()));
    }

    private static String outcome(Ledger ledger) {
        return "%s other responses   %s failed   %s refused"
                .formatted(
                        Numbers.count(ledger.done() - ledger.pages()),
                        Numbers.count(ledger.dead()),
                        Numbers.count(ledger.refused() + ledger.withdrawn()));
    }

    private Optional<String> progress(CrawlStatus status, Ledger ledger) {
        var limits = config.crawl().limits();
        var pages = limits.pages() == Long.MAX_VALUE ? 0 : (double) ledger.pages() / limits.pages();
        var bytes = limits.bytes() == Long.MAX_VALUE ? 0 : (double) ledger.bytes() / limits.bytes();
        var time = (double) status.elapsed().toMillis() / limits.time().toMillis();
        var share = Math.min(1, Math.max(pages, Math.max(bytes, time)));
        var limited =
                limits.pages() != Long.MAX_VALUE
                        || limits.bytes() != Long.MAX_VALUE
                        || share > 0.001;
        if (!limited) {
            return Optional.empty();
        }
        var bar = width.getAsInt() - LABEL_WIDTH - 6;
        var full = (int) Math.round(share * bar);
        return Optional.of(
                line(
                        "limit",
                        "█".repeat(full)
                                + "░".repeat(bar - full)
                                + " %3.0f%%".formatted(share * 100)));
    }

    private static String activity(CrawlStatus status, Instant now) {
        var nextWork = status.nextWork();
        if (status.problem().isPresent()) {
            return "waiting: " + status.problem().get();
        }
        if (status.paused()) {
            return "paused";
        }
        if (status.stopping()) {
            return "stopping: requests in flight may finish; Ctrl+C again stops at once";
        }
        if (status.inFlight() > 0 || nextWork.ready()) {
            return status.governor()
                    .reason()
                    .map(
                            why ->
                                    "fetching, limited to %s requests in flight: %s"
                                            .formatted(
                                                    Numbers.count(status.governor().allowed()),
                                                    why))
                    .orElse("fetching");
        }
        if (!nextWork.known()) {
            return "waiting";
        }
        var until =
                nextWork.nextDue().map(due -> Numbers.shortDuration(Duration.between(now, due)));
        if (until.isEmpty()) {
            return "finishing";
        }
        return nextWork.delayed() > 0
                ? "waiting for the delay of %s, next request in %s"
                        .formatted(
                                nextWork.delayed() == 1
                                        ? "1 host"
                                        : Numbers.count(nextWork.delayed()) + " hosts",
                                until.get())
                : "waiting for %s, next request in %s%s"
                        .formatted(
                                nextWork.restingHost(),
                                until.get(),
                                nextWork.restReason().isEmpty()
                                        ? ""
                                        : ": " + nextWork.restReason());
    }
}
