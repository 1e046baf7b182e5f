package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.sink.CaptureReader;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Page;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Defers the links of stored pages while the queue is full, and offers them to the frontier later.
 * It reads them again from the stored pages. No link is dropped: the frontier counts deferred
 * links, and a crawl does not end before the count is zero.
 */
final class DeferredLinkReader implements Committer.LinkBackpressure {

    private static final Logger LOG = LoggerFactory.getLogger(DeferredLinkReader.class);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(100);
    private static final int READ_BATCH = 64;

    /** Estimated bytes per URL, used while none is queued. */
    private static final long BYTES_PER_URL = 100;

    private final SpaceLimits spaceLimits;
    private final Backpressure backpressure;
    private final CrawlFrontier frontier;
    private final PageParser pageParser;
    private final VisitContext visitContext;
    private final InstantSource clock;
    private final Consumer<Throwable> onFailure;
    private final AtomicBoolean running = new AtomicBoolean();
    private volatile boolean closed;
    private volatile Instant lastPoll = Instant.MIN;
    private volatile long freeBytes;

    /** Estimated queue size after the batch in progress; accessed only by the committer. */
    private QueueSize batchQueueSize = new QueueSize(0, 0, BYTES_PER_URL);

    DeferredLinkReader(
            SpaceLimits spaceLimits,
            CrawlFrontier frontier,
            PageParser pageParser,
            VisitContext visitContext,
            InstantSource clock,
            Consumer<Throwable> broken) {
        this.spaceLimits = spaceLimits;
        this.backpressure =
                new Backpressure(
                        spaceLimits.queuedUrlsMax(),
                        spaceLimits.queuedBytesMax(),
                        spaceLimits.freeBytesMin());
        this.freeBytes = spaceLimits.freeBytes().getAsLong();
        this.frontier = frontier;
        this.pageParser = pageParser;
        this.visitContext = visitContext;
        this.clock = clock;
        this.onFailure = broken;
    }

    /** Reads the queue size once for the batch about to be written. */
    @Override
    public void beginBatch() {
        if (spaceLimits.captures().isPresent()) {
            var queueSize = queueSize();
            batchQueueSize = queueSize;
            updateBackpressure(queueSize);
        }
    }

    /**
     * Returns whether a page's links are deferred. If not, they count as queued from now on, so the
     * queue exceeds its limit by at most the links of one page.
     */
    @Override
    public boolean shouldDefer(int links) {
        if (spaceLimits.captures().isEmpty()) {
            return false;
        }
        if (backpressure.isActive()) {
            return true;
        }
        batchQueueSize = batchQueueSize.plus(links);
        updateBackpressure(batchQueueSize);
        return false;
    }

    /**
     * The number of queued URLs and their estimated size in bytes.
     *
     * @param perUrl estimated bytes per URL
     */
    private record QueueSize(long urls, long bytes, long perUrl) {

        private QueueSize plus(int more) {
            return new QueueSize(urls + more, bytes + more * perUrl, perUrl);
        }
    }

    private QueueSize queueSize() {
        var urls = frontier.ledger().queued();
        var bytes = frontier.queuedBytes();
        // The bytes cover all jobs of the frontier, of which this job may own only few URLs.
        var perUrl = urls == 0 ? BYTES_PER_URL : Math.min(bytes / urls, 4 * BYTES_PER_URL);
        return new QueueSize(urls, bytes, perUrl);
    }

    /** Updates backpressure and reads deferred links, at most once per {@link #POLL_INTERVAL}. */
    void poll() {
        var now = clock.instant();
        if (spaceLimits.captures().isPresent()
                && Duration.between(lastPoll, now).compareTo(POLL_INTERVAL) > 0) {
            lastPoll = now;
            freeBytes = spaceLimits.freeBytes().getAsLong();
            updateBackpressure(queueSize());
            var _ = readMore();
        }
    }

    private void updateBackpressure(QueueSize queueSize) {
        var before = backpressure.isActive();
        var on = backpressure.update(queueSize.urls, queueSize.bytes, freeBytes);
        if (on != before) {
            LOG.info(
                    on
                            ? "the queue is full: deferring the links of stored pages"
                            : "the queue has room again: offering deferred links");
        }
    }

    private long deferredCaptures() {
        return frontier.deferredLinks().captures();
    }

    /** Starts to offer deferred links if there is room. Returns whether this is in progress. */
    boolean readMore() {
        if (spaceLimits.captures().isEmpty() || deferredCaptures() == 0) {
            return false;
        }
        if (mayRead()) {
            startReading();
            return true;
        }
        return running.get();
    }

    /**
     * Returns whether the queue is below half of its limits, or empty, when nothing is left to wait
     * for.
     */
    private boolean mayRead() {
        var queueSize = queueSize();
        return queueSize.urls == 0
                || backpressure.isDrained(queueSize.urls, queueSize.bytes, freeBytes);
    }

    /** Returns whether the queue and the disk have room for more URLs. */
    boolean hasRoom() {
        var queueSize = queueSize();
        return queueSize.urls < spaceLimits.queuedUrlsMax()
                && queueSize.bytes < spaceLimits.queuedBytesMax()
                && spaceLimits.freeBytes().getAsLong() >= spaceLimits.freeBytesMin();
    }

    private void startReading() {
        if (!closed && running.compareAndSet(false, true)) {
            var _ = Thread.startVirtualThread(this::readDeferred);
        }
    }

    private void readDeferred() {
        try {
            var captures = spaceLimits.captures().orElseThrow();
            var deferred = frontier.deferredLinks();
            var limit = (int) Math.min(READ_BATCH, deferred.captures());
            for (var entry : captures.deferredLinksAfter(deferred.lastOfferedCapture(), limit)) {
                if (closed || !mayRead()) {
                    return;
                }
                readDeferred(entry, captures);
            }
        } catch (Throwable e) { // Out of memory too: these links must not be lost silently.
            LOG.error("could not read deferred links", e);
            onFailure.accept(e);
        } finally {
            running.set(false);
        }
    }

    private void readDeferred(PageLogEntry entry, CaptureReader captures) throws IOException {
        var url = visitContext.urls().parse(entry.url());
        if (url.isEmpty()) {
            throw new IOException("invalid URL in the page log: " + entry.url());
        }
        var page = entry.warc().isEmpty() ? Page.EMPTY : page(entry, url.get(), captures);
        var now = clock.instant();
        var classifiedLinks = visitContext.classifyLinks(page, entry.depth(), now);
        var status =
                frontier.offerDeferred(
                        entry.seq(), classifiedLinks.found(), classifiedLinks.refused(), now);
        while (!closed && !status.isStored()) {
            LockSupport.parkNanos(POLL_INTERVAL.toNanos());
            status = frontier.flush();
        }
    }

    /**
     * Parses a stored page. A page that was taken down and compacted away has no record and no
     * links.
     */
    private Page page(PageLogEntry entry, CrawlUrl url, CaptureReader captures) throws IOException {
        var exchange = captures.exchange(entry, url);
        var hop = entry.kind() == Kind.SITEMAP ? Hop.SITEMAP : Hop.LINK;
        return pageParser.runOnPool(url, hop, () -> pageParser.parsePage(exchange, hop));
    }

    /** Stops and waits until the page in progress is done. */
    void close() {
        closed = true;
        while (running.get()) {
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
    }
}
