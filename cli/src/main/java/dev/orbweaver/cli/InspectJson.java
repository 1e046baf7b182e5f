package dev.orbweaver.cli;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.engine.CrawlReports;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.HostView;
import dev.orbweaver.internal.frontier.disk.FrontierFile;
import dev.orbweaver.internal.frontier.disk.FrontierInspection;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;

import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The result of an inspection as JSON. The component names are the field names of the output.
 *
 * @param jobs the ledger of each job, by number
 * @param dead some dead letters of each cause
 * @param journalBytes the valid bytes of the journal since the snapshot
 */
record InspectJson(
        String seed,
        String directory,
        String state,
        Ledger ledger,
        SortedMap<Integer, Ledger> jobs,
        FrontierStats.Hosts hosts,
        Map<String, Long> failedByCause,
        Map<String, Long> refusedByReason,
        List<Host> longestQueues,
        List<Host> nextDue,
        Map<String, List<DeadLetterJson>> dead,
        int version,
        long snapshot,
        long journalBytes,
        List<FrontierFile> files) {

    /**
     * @param priority of the next URL, from 0 to 100; -1 if the host has none, or only delayed ones
     * @param dueInSeconds 0 if the host can be requested now; -1 if it has no queued URLs or has
     *     reached its concurrency
     */
    record Host(
            String host,
            long queued,
            int leased,
            int priority,
            String state,
            double dueInSeconds) {}

    record DeadLetterJson(
            int job, String url, String cause, int attempts, Instant foundAt, int depth) {

        static DeadLetterJson of(DeadLetter letter) {
            return new DeadLetterJson(
                    letter.job().number(),
                    letter.url().text(),
                    letter.cause().id(),
                    letter.attempts(),
                    letter.foundAt(),
                    letter.depth());
        }

        String toJsonLine() {
            return JsonMapper.shared().writeValueAsString(this);
        }
    }

    static String of(CrawlConfig config, Path directory, String state, FrontierInspection found) {
        var frontierOverview = found.frontierOverview();
        var dead = new TreeMap<String, List<DeadLetterJson>>();
        found.deadLetters()
                .forEach(
                        (cause, some) ->
                                dead.put(
                                        cause.id(),
                                        some.stream().map(DeadLetterJson::of).toList()));
        var json =
                new InspectJson(
                        config.firstSeed(),
                        directory.toString(),
                        state,
                        frontierOverview.stats().ledger(),
                        frontierOverview.jobs(),
                        frontierOverview.stats().hosts(),
                        CrawlReports.byId(frontierOverview.stats().deadByCause(), FailureCause::id),
                        CrawlReports.byId(frontierOverview.stats().refusedByReason(), Refusal::id),
                        frontierOverview.longestQueues().stream()
                                .map(host -> host(host, found))
                                .toList(),
                        frontierOverview.nextDue().stream().map(host -> host(host, found)).toList(),
                        dead,
                        found.version(),
                        found.snapshot(),
                        found.journalBytes(),
                        found.files());
        return JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(json);
    }

    private static Host host(HostView host, FrontierInspection found) {
        var wait =
                host.due()
                        .map(
                                due ->
                                        Duration.between(found.frontierOverview().at(), due)
                                                .toMillis());
        return new Host(
                host.host(),
                host.queued(),
                host.leased(),
                host.priority().orElse(-1),
                host.state().name().toLowerCase(Locale.ROOT),
                wait.map(millis -> Math.max(0, millis) / 1000.0).orElse(-1.0));
    }
}
