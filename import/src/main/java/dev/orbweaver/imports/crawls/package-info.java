/**
 * Crawls of other programs: what they have visited and queued becomes a crawl of this one.
 *
 * <p>A {@link dev.orbweaver.imports.crawls.CrawlImporter} reads a crawl, {@link
 * dev.orbweaver.imports.crawls.CrawlImport} writes what it reads into a directory.
 */
@NullMarked
package dev.orbweaver.imports.crawls;

import org.jspecify.annotations.NullMarked;
