package dev.orbweaver.sinks;

import dev.orbweaver.internal.archive.Tombstones;
import dev.orbweaver.internal.sink.FleetPart;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CommittedLength;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A crawl on disk, as stores see it.
 *
 * @param job the name by which the crawl is known outside
 * @param fleetPart whose part of a fleet's job it is, if it is one
 * @param committedLengths how long its outputs were at the last commit; asked again and again
 * @param tombstones what was taken down
 */
public record CrawlFiles(
        Path directory,
        String job,
        Optional<FleetPart> fleetPart,
        Supplier<List<CommittedLength>> committedLengths,
        CrawlUrls urls,
        Tombstones tombstones) {

    private static final String OPEN = ".open";

    /**
     * Where one of its files is now. A WARC file that may still grow carries {@code .open} behind
     * the name it will have, under which marks and page log know it.
     */
    public Path locate(String name) {
        var finished = directory.resolve(name);
        var open = directory.resolve(name + OPEN);
        return Files.exists(finished) || !Files.exists(open) ? finished : open;
    }

    /** How much of the page log is committed. */
    public long logBytes() {
        return committedLengths.get().stream()
                .filter(mark -> mark.name().equals(PageLog.FILE))
                .mapToLong(CommittedLength::length)
                .findFirst()
                .orElse(0);
    }
}
