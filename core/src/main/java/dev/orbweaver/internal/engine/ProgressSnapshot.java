package dev.orbweaver.internal.engine;

import com.fasterxml.jackson.annotation.JsonInclude;

import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The progress of a crawl: in {@code progress.json} while it runs, and at its end in its summary.
 *
 * @param inFlight requests under way, 0 in a summary
 * @param allowed requests that may be under way at once, 0 in a summary
 * @param reductionReason why these are fewer than the configured concurrency
 * @param concurrencyReductions how often they were reduced
 * @param secondsByPhase seconds by what hosts with work waited for, added up over hosts
 * @param politenessShare how much of what politeness allows is reached
 * @param waitingFor what the crawl waits for, if that is not the web
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record ProgressSnapshot(
        long seconds,
        int inFlight,
        int allowed,
        Optional<String> reductionReason,
        long concurrencyReductions,
        Map<String, Double> secondsByPhase,
        double politenessShare,
        Optional<String> waitingFor) {

    /** The progress of a running crawl. */
    public static ProgressSnapshot of(CrawlStatus status) {
        return new ProgressSnapshot(
                status.elapsed().toSeconds(),
                status.inFlight(),
                status.governor().allowed(),
                status.governor().reason(),
                status.governor().reductions(),
                CrawlReports.phaseSeconds(status.timeProfile()),
                CrawlReports.round(status.timeProfile().politenessShare()),
                status.problem());
    }

    /** Reads the newest snapshot in a crawl's directory. */
    public static Optional<ProgressSnapshot> of(Path directory) throws IOException {
        for (var name : new String[] {DirectoryLayout.PROGRESS, DirectoryLayout.REPORT}) {
            var file = directory.resolve(name);
            if (Files.exists(file)) {
                var json = AtomicFile.read(new RealDisk(), file);
                return Optional.of(JsonMapper.shared().readValue(json, ProgressSnapshot.class));
            }
        }
        return Optional.empty();
    }
}
