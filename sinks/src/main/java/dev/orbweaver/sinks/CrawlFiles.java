package dev.orbweaver.sinks;

import dev.orbweaver.internal.archive.Tombstones;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.sink.FleetPart;
import dev.orbweaver.internal.sink.WarcFiles;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CommittedLength;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The files of a crawl, as sinks read them.
 *
 * @param job the name of the crawl in external stores
 * @param fleetPart the worker and fleet job that the directory belongs to, if any
 * @param committedLengths at the last commit; polled
 */
public record CrawlFiles(
        Path directory,
        String job,
        Optional<FleetPart> fleetPart,
        Supplier<List<CommittedLength>> committedLengths,
        CrawlUrls urls,
        Tombstones tombstones) {

    /** Returns the current path of one of its files, finished or open. */
    public Path locate(String name) {
        var finished = directory.resolve(name);
        var open = directory.resolve(name + WarcFiles.OPEN);
        return Files.exists(finished) || !Files.exists(open) ? finished : open;
    }

    /** Returns the committed length of the page log. */
    public long logBytes() {
        return committedLengths.get().stream()
                .filter(mark -> mark.name().equals(DirectoryLayout.PAGE_LOG))
                .mapToLong(CommittedLength::length)
                .findFirst()
                .orElse(0);
    }
}
