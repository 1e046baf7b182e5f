package dev.orbweaver.spi;

/**
 * Thrown by {@link dev.orbweaver.RunningCrawl#run} when a page handler threw an exception and the
 * crawl was stopped because of it. {@link #getCause} is the handler's exception. The page is
 * delivered again when the crawl is opened the next time.
 */
public final class PageHandlerException extends RuntimeException {

    private final String handler;
    private final String url;
    private final long sequence;

    /** Wraps an exception that a handler threw. */
    public PageHandlerException(String handler, String url, long sequence, Throwable cause) {
        super("page handler '" + handler + "' failed for " + url + ": " + cause, cause);
        this.handler = handler;
        this.url = url;
        this.sequence = sequence;
    }

    /** Returns the name of the handler. */
    public String handler() {
        return handler;
    }

    /** Returns the URL of the page that was being handled. */
    public String url() {
        return url;
    }

    /** Returns the page's {@link CrawledPage#sequence sequence number}. */
    public long sequence() {
        return sequence;
    }
}
