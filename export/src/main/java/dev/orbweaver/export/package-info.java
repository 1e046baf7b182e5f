/**
 * A finished or running crawl as something people use: sitemaps, tables, Markdown, a link graph,
 * archives, answers to SQL.
 *
 * <p>{@link dev.orbweaver.internal.archive.CrawlPages} is the only way in: it shows the committed
 * lines of one or several crawls, one after another, and reads a page's answer when asked.
 * Everything else here is a visitor of it. {@link dev.orbweaver.export.ExportRunner} chooses the
 * visitor that a format needs. What has to be sorted or joined goes through {@code DuckDb}, which
 * is DuckDB on a temporary file, so that memory does not grow with the crawl.
 */
@NullMarked
package dev.orbweaver.export;

import org.jspecify.annotations.NullMarked;
