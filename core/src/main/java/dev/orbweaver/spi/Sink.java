package dev.orbweaver.spi;

import java.io.IOException;
import java.util.List;

/**
 * Stores committed pages elsewhere, in batches. A sink follows the page log behind the crawl: it
 * sees every committed result once, in order, and can fall behind, fail and catch up without losing
 * a page.
 *
 * <pre>{@code
 * class ListSink implements Sink {
 *     final Map<Long, String> urls = new TreeMap<>();
 *
 *     public String name() {
 *         return "list";
 *     }
 *
 *     public void store(List<CrawledPage> batch) {
 *         batch.forEach(page -> urls.put(page.sequence(), page.url()));
 *     }
 * }
 * }</pre>
 *
 * <p>For one page at a time, use {@link dev.orbweaver.CrawlerBuilder#onPage}. {@link #store} and
 * {@link #close} are called by one thread. A slow sink slows the crawl down: see {@link
 * dev.orbweaver.CrawlerBuilder#maxHandlerLag}. In a fleet the order is per worker.
 */
public interface Sink extends AutoCloseable {

    /**
     * Returns the name under which the position is stored in the crawl's directory: 1 to 40
     * lower-case letters, digits and hyphens.
     */
    String name();

    /**
     * Stores a batch of 1 to 256 results. Returning acknowledges the batch; after a crash the last
     * batch may be passed again, so storing must be idempotent ({@link CrawledPage#sequence} is a
     * key).
     *
     * @throws Exception any exception stops the crawl; the batch is not acknowledged
     */
    void store(List<CrawledPage> batch) throws Exception;

    /**
     * Releases resources. Called once, after the last batch: at the end of the run, or when the
     * crawl is closed.
     */
    @Override
    default void close() throws IOException {}
}
