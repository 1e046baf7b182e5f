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
 * A crawl on disk.
 *
 * @param job the name by which the crawl is known outside
 * @param fleetPart whose part of a fleet's job it is, if it is one
 * @param committedLengths at the last commit; polled
 */
public record CrawlFiles(
        Path directory,
        String job,
        Optional<FleetPart> fleetPart,
        Supplier<List<CommittedLength>> committedLengths,
        CrawlUrls urls,
        Tombstones tombstones) {

    /** Where one of its files is now, finished or open. */
    public Path locate(String name) {
        var finished = directory.resolve(name);
        var open = directory.resolve(name + WarcFiles.OPEN);
        return Files.exists(finished) || !Files.exists(open) ? finished : open;
    }

    /** The committed length of the page log. */
    public long logBytes() {
        return committedLengths.get().stream()
                .filter(mark -> mark.name().equals(DirectoryLayout.PAGE_LOG))
                .mapToLong(CommittedLength::length)
                .findFirst()
                .orElse(0);
    }
}
