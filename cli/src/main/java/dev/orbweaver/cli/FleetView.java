package dev.orbweaver.cli;

import static dev.orbweaver.cli.ProgressView.line;

import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.fleet.redis.RedisFullException;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.jobs.FleetReport.Worker;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.JobId;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;

/** Formats a fleet as a block of lines for a terminal, for {@link FleetMonitor}. */
final class FleetView {

    private static final int WORKERS_MAX = 8;
    private static final int JOBS_MAX = 5;
    private static final int PROBLEMS_MAX = 3;

    /** Workers send a heartbeat every second; one without for this long is reported. */
    private static final Duration SILENT_AFTER = Duration.ofSeconds(15);

    /** Running jobs first, then other open ones, then those that ended; the newest first. */
    private static final Comparator<FleetJob> DISPLAY_ORDER =
            Comparator.comparing((FleetJob fleetJob) -> fleetJob.state() != FleetJob.State.RUNNING)
                    .thenComparing(fleetJob -> hasEnded(fleetJob.state()))
                    .thenComparingInt(fleetJob -> -fleetJob.id().number());

    private final String name;
    private final IntSupplier width;
    private final Map<JobId, RateSparkline> rates = new HashMap<>();
    private final Map<JobId, Map<FailureCause, Long>> dead = new HashMap<>();
    private final ArrayDeque<RecentProblem> recentProblems = new ArrayDeque<>();
    private Optional<Instant> since = Optional.empty();
    private Optional<FleetSample> lastSample = Optional.empty();
    private String unavailableReason = "";

    private record RecentProblem(Instant at, String text) {}

    FleetView(String name, IntSupplier width) {
        this.name = name;
        this.width = width;
    }

    void observe(FleetSample now) {
        var begun = since.orElse(now.at());
        since = Optional.of(begun);
        now.fleetStats()
                .jobs()
                .forEach(
                        (job, stats) -> {
                            rates.computeIfAbsent(job, _ -> new RateSparkline())
                                    .observe(
                                            stats.ledger().pages(),
                                            Duration.between(begun, now.at()));
                            recordDead(job, stats.deadByCause(), now.at());
                        });
        rates.keySet().retainAll(now.fleetStats().jobs().keySet());
        dead.keySet().retainAll(now.fleetStats().jobs().keySet());
        lastSample = Optional.of(now);
        unavailableReason = "";
    }

    /** Records that Redis is unavailable; the last sample stays on display. */
    void unreachable(String why) {
        unavailableReason = why;
    }

    /** Records URLs that failed since the last sample; the first sample reports none. */
    private void recordDead(JobId job, Map<FailureCause, Long> now, Instant at) {
        var before = Optional.ofNullable(dead.put(job, now));
        var more = new EnumMap<FailureCause, Long>(FailureCause.class);
        now.forEach(
                (cause, count) -> {
                    var added = count - before.orElse(now).getOrDefault(cause, 0L);
                    if (added > 0) {
                        more.put(cause, added);
                    }
                });
        if (!more.isEmpty()) {
            recentProblems.addFirst(
                    new RecentProblem(
                            at,
                            "job %d: new failures: %s"
                                    .formatted(
                                            job.number(),
                                            Numbers.breakdown(more, FailureCause::id))));
            while (recentProblems.size() > PROBLEMS_MAX) {
                recentProblems.removeLast();
            }
        }
    }

    List<String> block(Instant now) {
        var lines = new ArrayList<String>();
        lines.add(head(now));
        lines.add("─".repeat(width.getAsInt()));
        lastSample.ifPresent(moment -> addFigures(moment, now, lines));
        problemTexts(now).forEach(text -> lines.add(line(lines, "problem", text)));
        lines.add(line("keys", "q quit   Ctrl+C quit"));
        return lines;
    }

    private String head(Instant now) {
        var time =
                Numbers.clock(
                        since.map(begun -> Duration.between(begun, now)).orElse(Duration.ZERO));
        var left = "orbweaver  fleet " + name;
        var room = Math.max(1, width.getAsInt() - left.length() - time.length());
        return left + " ".repeat(room) + time;
    }

    private void addFigures(FleetSample moment, Instant now, List<String> lines) {
        if (moment.workers().isEmpty()) {
            lines.add(line("workers", "none; start one with '" + CommandHint.of("worker") + "'"));
        }
        moment.workers().stream()
                .limit(WORKERS_MAX)
                .forEach(worker -> lines.add(line(lines, "workers", worker(worker, now))));
        addMore(moment.workers().size() - WORKERS_MAX, lines);
        var shown = moment.fleetJobs().stream().sorted(DISPLAY_ORDER).limit(JOBS_MAX).toList();
        if (shown.isEmpty()) {
            lines.add(
                    line(
                            "jobs",
                            "none; submit one with '"
                                    + CommandHint.of("crawl", "URL", "--redis=...")
                                    + "'"));
        }
        shown.forEach(fleetJob -> addJob(fleetJob, moment, lines));
        addMore(moment.fleetJobs().size() - JOBS_MAX, lines);
        lines.add(line("hosts", Numbers.hosts(moment.fleetStats().hosts())));
        lines.add(line("redis", Numbers.bytes(moment.memoryBytes())));
    }

    private static boolean hasEnded(FleetJob.State state) {
        return switch (state) {
            case IMPORTING, QUEUED, RUNNING, PAUSED -> false;
            case STOPPED, FINISHED -> true;
        };
    }

    private static void addMore(int count, List<String> lines) {
        if (count > 0) {
            lines.add(line("", "and " + Numbers.count(count) + " more"));
        }
    }

    private static String worker(Worker worker, Instant now) {
        var silent = timeSinceLastSeen(worker, now);
        return silent.compareTo(SILENT_AFTER) > 0
                ? "%s   no heartbeat for %s".formatted(worker.name(), Numbers.shortDuration(silent))
                : "%s   %s".formatted(worker.name(), worker.activity());
    }

    private static Duration timeSinceLastSeen(Worker worker, Instant now) {
        var silent = Duration.between(worker.lastSeen(), now);
        return silent.isNegative() ? Duration.ZERO : silent;
    }

    private void addJob(FleetJob fleetJob, FleetSample moment, List<String> lines) {
        lines.add(
                line(
                        "job " + fleetJob.id().number(),
                        "%-9s %s"
                                .formatted(
                                        fleetJob.state().name().toLowerCase(Locale.ROOT),
                                        fleetJob.seeds().isEmpty()
                                                ? ""
                                                : fleetJob.seeds().getFirst())));
        Optional.ofNullable(moment.fleetStats().jobs().get(fleetJob.id()))
                .ifPresent(stats -> addLedger(fleetJob, stats, lines));
        Optional.ofNullable(moment.fleetStats().blocked().get(fleetJob.id()))
                .ifPresent(host -> lines.add(line("", Numbers.blocked(host))));
    }

    private void addLedger(FleetJob fleetJob, FrontierStats stats, List<String> lines) {
        var ledger = stats.ledger();
        var pace = rates.getOrDefault(fleetJob.id(), new RateSparkline());
        lines.add(
                line(
                        "",
                        hasEnded(fleetJob.state())
                                ? Numbers.count(ledger.pages()) + " pages"
                                : "%s pages   %s   %s"
                                        .formatted(
                                                Numbers.count(ledger.pages()),
                                                Numbers.rate(pace.rate()),
                                                pace.sparkline())));
        lines.add(
                line(
                        "",
                        "%s queued   %s claimed by workers   %s failed   %s refused"
                                .formatted(
                                        Numbers.count(ledger.queued()),
                                        Numbers.count(ledger.leased()),
                                        Numbers.count(ledger.dead()),
                                        Numbers.count(ledger.refused() + ledger.withdrawn()))));
    }

    /** Returns the current problems, the most urgent first. */
    private List<String> problemTexts(Instant now) {
        var texts = new ArrayList<String>();
        if (!unavailableReason.isEmpty()) {
            texts.add(
                    unavailableReason.startsWith("Redis")
                            ? unavailableReason
                            : "Redis is unavailable: " + unavailableReason);
        }
        if (unavailableReason.isEmpty() && lastSample.filter(FleetSample::full).isPresent()) {
            texts.add(RedisFullException.MESSAGE);
        }
        lastSample.map(FleetSample::workers).orElse(List.of()).stream()
                .filter(
                        worker ->
                                unavailableReason.isEmpty()
                                        && timeSinceLastSeen(worker, now).compareTo(SILENT_AFTER)
                                                > 0)
                .limit(PROBLEMS_MAX)
                .forEach(
                        worker ->
                                texts.add(
                                        worker.name()
                                                + ": no heartbeat; its hosts go to other workers"
                                                + " when its lease expires"));
        recentProblems.forEach(
                recentProblem ->
                        texts.add(
                                "%s, %s ago"
                                        .formatted(
                                                recentProblem.text,
                                                Numbers.shortDuration(
                                                        Duration.between(recentProblem.at, now)))));
        return texts;
    }
}
