package dev.orbweaver.spi;

import dev.orbweaver.model.Capture;

import org.jsoup.nodes.Document;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A committed page: its line in the page log, and its response in the WARC files.
 *
 * <pre>{@code
 * Crawler.builder("https://example.com/")
 *         .onPage(page -> System.out.println(page.title() + " " + page.url()))
 * }</pre>
 *
 * <p>The properties of the page log are available without reading the response. Methods that throw
 * {@link IOException} read it from the WARC file; call them while the handler runs, because a
 * take-down or compaction may remove the record later.
 *
 * <p>Not safe for use by several threads at once.
 */
public interface CrawledPage {

    /**
     * Returns the number of this page's line in the page log. Numbers increase in the order of
     * commits, and gaps are possible. In a fleet each worker has its own page log and its own
     * numbers. Store it with your own data in one transaction, and pass it to {@link
     * dev.orbweaver.CrawlerBuilder#startAfter} after a restart, to process every page exactly once.
     */
    long sequence();

    /** Returns the URL as it was requested. */
    String url();

    /**
     * Returns what the visit led to. Handlers given to {@link dev.orbweaver.CrawlerBuilder#onPage}
     * see {@link Capture.Kind#PAGE} only; handlers given to {@link
     * dev.orbweaver.CrawlerBuilder#onResult} see redirects, errors, failures and withdrawn URLs
     * too.
     */
    Capture.Kind kind();

    /** Returns the HTTP status code, 0 when there was no response. */
    int status();

    /** Returns when the request was sent. */
    Instant time();

    /** Returns the media type in lower case without parameters, empty when unknown. */
    String mediaType();

    /** Returns the title, empty when there is none. */
    String title();

    /** Returns the number of links between a seed and this page. */
    int depth();

    /**
     * Returns the {@link #sequence} of the page that linked to this URL. 0 for a seed, and for a
     * page of a fleet that another worker found.
     */
    long parentSequence();

    /**
     * Returns why a visit failed or was refused, as an id such as {@code dns}; empty otherwise. Of
     * a page: {@code truncated}, {@code parser-failed} or {@code extractor-failed}, when links or
     * fields were lost.
     */
    String cause();

    /**
     * Returns the cause as a sentence, such as the message of an exception or the limit that was
     * exceeded; empty when there is nothing to add.
     */
    String detail();

    /** Returns the target of a redirect as the server sent it, empty otherwise. */
    String location();

    /**
     * Returns what extractors put, by name: {@link String}, {@link Long}, {@link Double}, {@link
     * Boolean} or a {@link List} of strings. Empty when there is nothing.
     */
    Map<String, Object> fields();

    /** Returns the first value of a response header field; the name is not case-sensitive. */
    Optional<String> header(String name) throws IOException;

    /**
     * Returns whether the stored body is incomplete, because it exceeded {@link
     * dev.orbweaver.CrawlerBuilder#maxBody} or the transfer ended early. False when no response is
     * stored.
     */
    boolean isTruncated() throws IOException;

    /**
     * Opens the body with its content codings undone. The caller closes the stream. A body of any
     * size can be read; memory does not grow with it.
     */
    InputStream body() throws IOException;

    /**
     * Returns the body as text, decoded by its charset (byte order mark, header, meta element, then
     * detection). For HTML this is the markup. Reads at most 16 MiB.
     */
    String text() throws IOException;

    /**
     * Parses the body as HTML and returns jsoup's tree, for CSS selectors. Each call parses again.
     * Reads at most 16 MiB.
     */
    Document document() throws IOException;
}
