package dev.orbweaver.internal.archive;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CommittedLength;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/**
 * The committed output of a crawl, for readers that follow it while it runs.
 *
 * @param committedLengths the current committed length of every output file
 */
public record CommittedCrawl(
        Path directory,
        Supplier<List<CommittedLength>> committedLengths,
        CrawlUrls urls,
        Tombstones tombstones) {}
