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
 * Defers links while there is no room for them, and takes them up again from the stored pages when
 * there is. Nothing is dropped: the frontier counts what is deferred, and a crawl does not end
 * before that is none.
 */
final class DeferredLinkReader implements Committer.LinkBackpressure {

    private static final Logger LOG = LoggerFactory.getLogger(DeferredLinkReader.class);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(100);
    private static final int READ_BATCH = 64;

    /** About what a URL takes, where none is queued to tell. */
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

    /** The queue as the batch that is being written leaves it; the committer's alone. */
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

    /** A batch is about to be written: what the queue holds is looked up once for all of it. */
    @Override
    public void beginBatch() {
        if (spaceLimits.captures().isPresent()) {
            var queueSize = queueSize();
            batchQueueSize = queueSize;
            updateBackpressure(queueSize);
        }
    }

    /**
     * Whether a page's links are to be left where they are for now. If not, they count as queued
     * from here on, so the queue outgrows its limit by the links of one page at most.
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
     * How many URLs are queued, and about how many bytes they take.
     *
     * @param perUrl the bytes of one
     */
    private record QueueSize(long urls, long bytes, long perUrl) {

        private QueueSize plus(int more) {
            return new QueueSize(urls + more, bytes + more * perUrl, perUrl);
        }
    }

    private QueueSize queueSize() {
        var urls = frontier.ledger().queued();
        var bytes = frontier.queuedBytes();
        // The bytes are those of all jobs on the frontier, and this one may have few of the URLs.
        var perUrl = urls == 0 ? BYTES_PER_URL : Math.min(bytes / urls, 4 * BYTES_PER_URL);
        return new QueueSize(urls, bytes, perUrl);
    }

    /** Looks how things stand, now and then. */
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
                            ? "no room for more URLs: links of stored pages are left for later"
                            : "room for more URLs: links left for later are taken up");
        }
    }

    private long deferredCaptures() {
        return frontier.deferredLinks().captures();
    }

    /** Takes deferred links up if they may be. True while that is being done. */
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

    /** Below half of the limits; or with nothing queued, when there is nothing to wait for. */
    private boolean mayRead() {
        var queueSize = queueSize();
        return queueSize.urls == 0
                || backpressure.isDrained(queueSize.urls, queueSize.bytes, freeBytes);
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
            var some = (int) Math.min(READ_BATCH, deferred.captures());
            for (var entry : captures.deferredLinksAfter(deferred.lastOfferedCapture(), some)) {
                if (closed || !mayRead()) {
                    return;
                }
                readDeferred(entry, captures);
            }
        } catch (Throwable e) { // Out of memory too: these links must not be forgotten silently.
            LOG.error("links that were left for later cannot be read", e);
            onFailure.accept(e);
        } finally {
            running.set(false);
        }
    }

    private void readDeferred(PageLogEntry entry, CaptureReader captures) throws IOException {
        var url = visitContext.urls().parse(entry.url());
        if (url.isEmpty()) {
            throw new IOException("the page log has a URL that is none: " + entry.url());
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

    /** What was taken down and compacted away has no record, and so no links. */
    private Page page(PageLogEntry entry, CrawlUrl url, CaptureReader captures) throws IOException {
        var exchange = captures.exchange(entry, url);
        var hop = entry.kind() == Kind.SITEMAP ? Hop.SITEMAP : Hop.LINK;
        return pageParser.runOnPool(url, hop, () -> pageParser.parsePage(exchange, hop));
    }

    /** Takes up nothing more; what is under way ends soon. */
    void close() {
        closed = true;
        while (running.get()) {
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
    }
}
