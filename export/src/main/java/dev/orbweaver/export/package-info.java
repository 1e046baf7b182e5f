/**
 * Exports a finished or running crawl as sitemaps, tables, Markdown, link graph or archive, and
 * runs SQL queries over it.
 *
 * <p>{@link dev.orbweaver.internal.archive.CrawlPages} reads the committed lines of one or several
 * crawls; all exports are visitors of it. {@link dev.orbweaver.export.ExportRunner} runs the export
 * of a format. Sorting and joining is done by {@code DuckDb}, so that memory does not grow with the
 * crawl.
 */
@NullMarked
package dev.orbweaver.export;

import org.jspecify.annotations.NullMarked;
