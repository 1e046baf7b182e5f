package dev.orbweaver.spi;

import dev.orbweaver.CrawlerBuilder;

/**
 * Receives committed pages, each once, in the order of the page log.
 *
 * <pre>{@code
 * Crawler.builder("https://example.com/")
 *         .onPage(page -> System.out.println(page.url()))
 * }</pre>
 *
 * <p>A handler is called by one thread, which is not the thread that calls {@link
 * dev.orbweaver.RunningCrawl#run}. A page is acknowledged when the handler returns. After a crash
 * or {@code kill -9}, delivery resumes after the last acknowledged page, so the page that was being
 * handled is delivered again. To process each page exactly once, store {@link CrawledPage#sequence}
 * in your own transaction and pass it to {@link dev.orbweaver.CrawlerBuilder#startAfter}. A loss of
 * power can take back committed pages and acknowledgements, unless {@link
 * dev.orbweaver.CrawlerBuilder#durability} is set.
 *
 * <p>Each handler has its own thread, order and position. In a fleet the order is per worker: each
 * worker has its own directory with its own page log, and pages of different workers have no order.
 *
 * <p>A slow handler slows the crawl down: see {@link dev.orbweaver.CrawlerBuilder#maxHandlerLag}.
 */
@FunctionalInterface
public interface PageHandler {

    /**
     * Processes a page.
     *
     * @throws Exception any exception stops the crawl, unless {@link
     *     CrawlerBuilder#stopOnHandlerFailure} is set to false; the page is not acknowledged
     */
    void handle(CrawledPage page) throws Exception;
}
