package dev.orbweaver.cli;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.crawl.ResponseCounts;
import dev.orbweaver.internal.engine.CrawlReports;
import dev.orbweaver.internal.engine.ProgressSnapshot;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.revisit.RevisitStatistics;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;

import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The status of a crawl as JSON. The component names are the field names of the output, and those
 * of {@code inspect --json} and {@code summary.json}.
 *
 * @param state running, unfinished (after a crash), or the reason why the last run ended
 * @param progress what the crawl waits for while it runs, or waited for; null before the first
 *     snapshot
 * @param revisits visits of known pages; null if the crawl visits none again
 */
record StatusJson(
        String seed,
        String directory,
        String state,
        Ledger ledger,
        FrontierStats.Hosts hosts,
        Map<String, Long> failedByCause,
        Map<String, Long> refusedByReason,
        Map<String, Long> responsesByStatus,
        Map<String, Long> failedAttemptsByCause,
        Optional<ProgressSnapshot> progress,
        Optional<RevisitStatistics> revisits,
        List<SinkStatus> sinks) {

    static String of(
            CrawlConfig config,
            Path directory,
            String state,
            FrontierStats stats,
            ResponseCounts responses,
            Optional<ProgressSnapshot> progress,
            Optional<RevisitStatistics> revisits,
            List<SinkStatus> sinks) {
        var json =
                new StatusJson(
                        config.firstSeed(),
                        directory.toString(),
                        state,
                        stats.ledger(),
                        stats.hosts(),
                        CrawlReports.byId(stats.deadByCause(), FailureCause::id),
                        CrawlReports.byId(stats.refusedByReason(), Refusal::id),
                        responses.byStatus(),
                        responses.byCause(),
                        progress,
                        revisits,
                        sinks);
        return JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(json);
    }
}
