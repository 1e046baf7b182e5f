package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.parse.TimedCalls;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.Page;
import dev.orbweaver.spi.Document;
import dev.orbweaver.spi.Extractor;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;

/** Runs extractors on a page, within a time limit. */
public final class PageExtractor {

    private static final Logger LOG = LoggerFactory.getLogger(PageExtractor.class);

    /** Runs nothing. */
    public static final PageExtractor NONE = new PageExtractor(List.of(), Duration.ofSeconds(1));

    private final List<Extractor> extractors;
    private final TimedCalls calls;

    /**
     * @param timeout the limit of all extractors together on one page
     */
    public PageExtractor(List<Extractor> extractors, Duration timeout) {
        this.extractors = List.copyOf(extractors);
        this.calls = new TimedCalls("extractor", timeout);
    }

    boolean isEmpty() {
        return extractors.isEmpty();
    }

    /** Returns the page with fields and links as the extractors left them. */
    Page extract(Page page, Document document, Exchange exchange, CrawlUrls urls) {
        var result =
                calls.call(
                        () -> {
                            var extraction = new ParsedExtraction(page, document, exchange, urls);
                            for (var extractor : extractors) {
                                extractor.extract(extraction);
                            }
                            return extraction.result();
                        });
        return result.value().orElseGet(() -> failed(page, document, result));
    }

    private static Page failed(Page page, Document document, TimedCalls.Result<Page> result) {
        LOG.warn("extractor failed for {}: {}", document.url(), result.problem(), result.error());
        return page.withExtraction(page.links(), "", result.problem());
    }
}
