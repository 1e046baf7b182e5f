package dev.orbweaver.store;

import dev.orbweaver.archive.Tombstones;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.sink.FleetPart;
import dev.orbweaver.sink.PageLog;
import dev.orbweaver.url.CrawlUrls;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A crawl on disk, as stores see it.
 *
 * @param job the name by which the crawl is known outside
 * @param part whose part of a fleet's job it is, if it is one
 * @param marks how long its outputs were at the last commit; asked again and again
 * @param tombstones what was taken down
 */
public record CrawlFiles(
        Path folder,
        String job,
        Optional<FleetPart> part,
        Supplier<List<FileMark>> marks,
        CrawlUrls urls,
        Tombstones tombstones) {

    private static final String OPEN = ".open";

    /**
     * Where one of its files is now. A WARC file that may still grow carries {@code .open} behind
     * the name it will have, under which marks and page log know it.
     */
    public Path place(String name) {
        var finished = folder.resolve(name);
        var open = folder.resolve(name + OPEN);
        return Files.exists(finished) || !Files.exists(open) ? finished : open;
    }

    /** How much of the page log is committed. */
    public long logBytes() {
        return marks.get().stream()
                .filter(mark -> mark.name().equals(PageLog.FILE))
                .mapToLong(FileMark::length)
                .findFirst()
                .orElse(0);
    }
}
