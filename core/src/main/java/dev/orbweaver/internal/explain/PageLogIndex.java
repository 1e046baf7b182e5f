package dev.orbweaver.internal.explain;

import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.CrawlUrl;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Finds lines of a page log without reading all of it. It may find too many lines, because it
 * compares keys of URLs; the caller checks them.
 */
public interface PageLogIndex {

    /** Returns the offset in the page log before which every line can be found. */
    long indexedBytes();

    /** Returns lines of a URL, also of attempts that were retried: the first and the last ones. */
    List<PageLogEntry> attempts(CrawlUrl url, int max) throws IOException;

    Optional<PageLogEntry> line(long seq) throws IOException;

    /** Returns the first lines whose response may link or redirect to a URL, or list it. */
    List<PageLogEntry> linesLinkingTo(CrawlUrl url, int max) throws IOException;
}
