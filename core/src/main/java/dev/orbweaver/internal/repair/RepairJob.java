package dev.orbweaver.internal.repair;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.spi.Parser;

import java.nio.file.Path;
import java.util.List;

/**
 * A job whose URLs are in the frontier: the only one of a crawl, or one of a service.
 *
 * @param prefix of the names of its output files in the frontier
 */
public record RepairJob(
        int job, String prefix, Path directory, CrawlConfig config, List<Parser> parsers) {

    /** Returns the lengths of the job's own output files, by their names in its directory. */
    List<CommittedLength> ownLengths(List<CommittedLength> marks) {
        return marks.stream()
                .filter(mark -> mark.name().startsWith(prefix))
                .map(mark -> mark.withName(mark.name().substring(prefix.length())))
                .toList();
    }
}
