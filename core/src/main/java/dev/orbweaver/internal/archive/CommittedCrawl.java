package dev.orbweaver.internal.archive;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CommittedLength;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/**
 * What a follower of a crawl's outputs needs to read them.
 *
 * @param committedLengths of every output file, as it is now
 */
public record CommittedCrawl(
        Path directory,
        Supplier<List<CommittedLength>> committedLengths,
        CrawlUrls urls,
        Tombstones tombstones) {}
