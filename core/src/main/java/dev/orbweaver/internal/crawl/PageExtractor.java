package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.Page;
import dev.orbweaver.spi.Document;
import dev.orbweaver.spi.Extractor;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs extractors on a page, each call within a time limit. The calls are made on platform threads
 * of their own, because a call that does not end cannot be stopped: it keeps its thread and its
 * permit, and there are few permits.
 */
public final class PageExtractor {

    private static final Logger LOG = LoggerFactory.getLogger(PageExtractor.class);
    private static final int CALLS_PER_PROCESSOR = 4;

    /** Runs nothing. */
    public static final PageExtractor NONE = new PageExtractor(List.of(), Duration.ofSeconds(1));

    private final List<Extractor> extractors;
    private final Duration timeout;
    private final Semaphore permits =
            new Semaphore(CALLS_PER_PROCESSOR * Runtime.getRuntime().availableProcessors());

    public PageExtractor(List<Extractor> extractors, Duration timeout) {
        this.extractors = List.copyOf(extractors);
        this.timeout = timeout;
    }

    boolean isEmpty() {
        return extractors.isEmpty();
    }

    /** Returns the page with fields and links as the extractors left them. */
    Page extract(Page page, Document document, Exchange exchange, CrawlUrls urls) {
        var extraction = new ParsedExtraction(page, document, exchange, urls);
        var task =
                new FutureTask<Void>(
                        () -> {
                            for (var extractor : extractors) {
                                extractor.extract(extraction);
                            }
                            return null;
                        });
        var deadline = System.nanoTime() + timeout.toNanos();
        try {
            if (!permits.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                return failed(page, document, "all extractor threads are in use");
            }
            start(task);
            var _ = task.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            return extraction.result();
        } catch (TimeoutException e) {
            task.cancel(true);
            return failed(page, document, "no result after " + timeout.toMillis() + " ms");
        } catch (ExecutionException e) {
            return failed(page, document, String.valueOf(e.getCause()));
        } catch (InterruptedException e) {
            task.cancel(true);
            Thread.currentThread().interrupt();
            return failed(page, document, "interrupted");
        }
    }

    /** The permit is held until the call has really ended. */
    private void start(Runnable task) {
        var started = false;
        try {
            var _ =
                    Thread.ofPlatform()
                            .daemon()
                            .name("extractor")
                            .start(
                                    () -> {
                                        try {
                                            task.run();
                                        } finally {
                                            permits.release();
                                        }
                                    });
            started = true;
        } finally {
            if (!started) {
                permits.release();
            }
        }
    }

    private static Page failed(Page page, Document document, String problem) {
        LOG.warn("extractor failed for {}: {}", document.url(), problem);
        return page.withExtraction(page.links(), "", problem);
    }
}
