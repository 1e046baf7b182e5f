/**
 * A finished or running crawl as sitemaps, tables, Markdown, a link graph, archives, answers to
 * SQL.
 *
 * <p>{@link dev.orbweaver.internal.archive.CrawlPages} shows the committed lines of one or several
 * crawls; everything else here is a visitor of it. {@link dev.orbweaver.export.ExportRunner}
 * chooses the visitor that a format needs. What has to be sorted or joined goes through {@code
 * DuckDb}, so that memory does not grow with the crawl.
 */
@NullMarked
package dev.orbweaver.export;

import org.jspecify.annotations.NullMarked;
