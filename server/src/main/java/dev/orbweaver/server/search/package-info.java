/**
 * Full-text search over the pages of a crawl.
 *
 * <p>The only package that uses Lucene. An index follows the page log of a crawl and can be deleted
 * at any time: it is rebuilt from log and WARC files.
 */
@NullMarked
package dev.orbweaver.server.search;

import org.jspecify.annotations.NullMarked;
