package dev.orbweaver.archive;

import dev.orbweaver.model.FileMark;
import dev.orbweaver.url.CrawlUrls;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/**
 * What a follower of a crawl's outputs needs to read them.
 *
 * @param folder the crawl's directory
 * @param marks the committed length of every output file, as it is now
 * @param urls how this crawl normalises URLs
 */
public record CommittedCrawl(
        Path folder, Supplier<List<FileMark>> marks, CrawlUrls urls, Tombstones tombstones) {}
