/**
 * Reads what crawls have stored: pages with their responses, in the order of the page log, without
 * the pages that were taken down.
 *
 * <p>{@link dev.orbweaver.internal.archive.CrawlPages} is the entry point: it passes the committed
 * lines of one or several crawls in order and reads a page's response on request.
 */
@NullMarked
package dev.orbweaver.internal.archive;

import org.jspecify.annotations.NullMarked;
