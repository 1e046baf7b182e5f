/**
 * Finding pages of a crawl by their words, and by what is known of them.
 *
 * <p>The one room that knows Lucene. An index follows the page log of a crawl and can be deleted at
 * any time: it is made anew from log and WARC files.
 */
@NullMarked
package dev.orbweaver.server.search;

import org.jspecify.annotations.NullMarked;
