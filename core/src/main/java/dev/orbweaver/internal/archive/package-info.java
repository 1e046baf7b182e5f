/**
 * Reads what crawls have stored: pages with their responses, in the order of the page log, without
 * what was taken down.
 *
 * <p>{@link dev.orbweaver.internal.archive.CrawlPages} is the way in: it shows the committed lines
 * of one or several crawls, one after another, and reads a page's response on request.
 */
@NullMarked
package dev.orbweaver.internal.archive;

import org.jspecify.annotations.NullMarked;
