package dev.orbweaver.spi;

/**
 * Extracts fields from a page before it is committed, so that they are stored with it: in {@code
 * pages.log}, in exports, in SQL and in {@link dev.orbweaver.spi.CrawledPage#fields}. It can also
 * add links to the page and veto links that were found.
 *
 * <pre>{@code
 * Extractor product = page -> {
 *     page.put("name", page.document().select("h1").text());
 *     page.put("price", page.document().select(".price").text());
 * };
 * }</pre>
 *
 * <p>Extractors are called for every page with a 2xx response, by several threads at once, so they
 * must be safe for that. All extractors of a page together may take the time set by {@link
 * dev.orbweaver.CrawlerBuilder#extractorTimeout}; then their thread is interrupted, and the page is
 * committed without fields and with the links that the parser found. Its cause is {@code
 * extractor-failed}. The same happens when an extractor throws an exception. So a veto depends on
 * the extractor; links that must never be followed belong to {@link
 * dev.orbweaver.CrawlerBuilder#linkFilter}. A page whose links were deferred for lack of space is
 * extracted a second time, later, for its links.
 */
@FunctionalInterface
public interface Extractor {

    /** Extracts fields from a page. */
    void extract(Extraction page) throws Exception;
}
