/**
 * Full-text search over the pages of a crawl.
 *
 * <p>The only package that uses Lucene. An index tails the page log of a crawl and can be deleted
 * at any time: it is rebuilt from the page log and the WARC files.
 */
@NullMarked
package dev.orbweaver.server.search;

import org.jspecify.annotations.NullMarked;
