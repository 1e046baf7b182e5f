package dev.orbweaver.crawl;

import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.FrontierBlockedException;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Page;
import dev.orbweaver.sink.CaptureReader;
import dev.orbweaver.sink.PageEntry;

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
final class DeferredReading implements Committer.LinkRoom {

    private static final Logger LOG = LoggerFactory.getLogger(DeferredReading.class);
    private static final Duration LOOK_EVERY = Duration.ofMillis(100);
    private static final int AT_ONCE = 64;

    /** About what a URL takes, where none is queued to tell. */
    private static final long BYTES_PER_URL = 100;

    private final Room room;
    private final Backpressure pressure;
    private final Frontier frontier;
    private final Reader reader;
    private final Etiquette etiquette;
    private final InstantSource clock;
    private final Consumer<Throwable> broken;
    private final AtomicBoolean running = new AtomicBoolean();
    private volatile boolean closed;
    private volatile Instant lookedAt = Instant.MIN;
    private volatile long freeBytes;

    /** The queue as the batch that is being written leaves it; the committer's alone. */
    private Queued batch = new Queued(0, 0, BYTES_PER_URL);

    DeferredReading(
            Room room,
            Frontier frontier,
            Reader reader,
            Etiquette etiquette,
            InstantSource clock,
            Consumer<Throwable> broken) {
        this.room = room;
        this.pressure =
                new Backpressure(room.queuedUrlsMax(), room.queuedBytesMax(), room.freeBytesMin());
        this.freeBytes = room.freeBytes().getAsLong();
        this.frontier = frontier;
        this.reader = reader;
        this.etiquette = etiquette;
        this.clock = clock;
        this.broken = broken;
    }

    /** A batch is about to be written: what the queue holds is looked up once for all of it. */
    @Override
    public void beginBatch() {
        if (room.captures().isPresent()) {
            var queued = queued();
            batch = queued;
            squeezed(queued);
        }
    }

    /**
     * Whether a page's links are to be left where they are for now. If not, they count as queued
     * from here on, so the queue outgrows its limit by the links of one page at most.
     */
    @Override
    public boolean defers(int links) {
        if (room.captures().isEmpty()) {
            return false;
        }
        if (pressure.on()) {
            return true;
        }
        batch = batch.plus(links);
        squeezed(batch);
        return false;
    }

    /**
     * How many URLs are queued, and about how many bytes they take.
     *
     * @param perUrl the bytes of one
     */
    private record Queued(long urls, long bytes, long perUrl) {

        private Queued plus(int more) {
            return new Queued(urls + more, bytes + more * perUrl, perUrl);
        }
    }

    private Queued queued() {
        var urls = frontier.ledger(JobId.ONLY).queued();
        var bytes = frontier.queuedBytes();
        // The bytes are those of all jobs on the frontier, and this one may have few of the URLs.
        var perUrl = urls == 0 ? BYTES_PER_URL : Math.min(bytes / urls, 4 * BYTES_PER_URL);
        return new Queued(urls, bytes, perUrl);
    }

    /** Looks how things stand, now and then. */
    void look() {
        var now = clock.instant();
        if (room.captures().isPresent()
                && Duration.between(lookedAt, now).compareTo(LOOK_EVERY) > 0) {
            lookedAt = now;
            freeBytes = room.freeBytes().getAsLong();
            squeezed(queued());
            var _ = takesUpMore();
        }
    }

    private void squeezed(Queued queued) {
        var before = pressure.on();
        var on = pressure.update(queued.urls, queued.bytes, freeBytes);
        if (on != before) {
            LOG.info(
                    on
                            ? "no room for more URLs: links of stored pages are left for later"
                            : "room for more URLs: links left for later are taken up");
        }
    }

    private long waiting() {
        return frontier.deferred(JobId.ONLY).captures();
    }

    /** Takes deferred links up if they may be. True while that is being done. */
    boolean takesUpMore() {
        if (room.captures().isEmpty() || waiting() == 0) {
            return false;
        }
        if (mayTakeUp()) {
            begin();
            return true;
        }
        return running.get();
    }

    /** Below half of the limits; or with nothing queued, when there is nothing to wait for. */
    private boolean mayTakeUp() {
        var queued = queued();
        return queued.urls == 0 || pressure.drained(queued.urls, queued.bytes, freeBytes);
    }

    private void begin() {
        if (!closed && running.compareAndSet(false, true)) {
            var _ = Thread.startVirtualThread(this::takeUp);
        }
    }

    private void takeUp() {
        try {
            var captures = room.captures().orElseThrow();
            var deferred = frontier.deferred(JobId.ONLY);
            var some = (int) Math.min(AT_ONCE, deferred.captures());
            for (var entry : captures.deferredAfter(deferred.takenUpTo(), some)) {
                if (closed || !mayTakeUp()) {
                    return;
                }
                takeUp(entry, captures);
            }
        } catch (Throwable e) { // Out of memory too: these links must not be forgotten silently.
            LOG.error("links that were left for later cannot be read", e);
            broken.accept(e);
        } finally {
            running.set(false);
        }
    }

    private void takeUp(PageEntry entry, CaptureReader captures) throws IOException {
        var url = etiquette.urls().parse(entry.url());
        if (url.isEmpty()) {
            throw new IOException("the page log has a URL that is none: " + entry.url());
        }
        var page = entry.warc().isEmpty() ? Page.EMPTY : page(entry, url.get(), captures);
        var now = clock.instant();
        var sorted = etiquette.sort(page, entry.depth(), now);
        try {
            frontier.takeUp(JobId.ONLY, entry.seq(), sorted.found(), sorted.refused(), now);
        } catch (FrontierBlockedException e) {
            while (!closed && !frontier.recover()) {
                LockSupport.parkNanos(LOOK_EVERY.toNanos());
            }
        }
    }

    /** What was taken down and compacted away has no record, and so no links. */
    private Page page(PageEntry entry, CrawlUrl url, CaptureReader captures) throws IOException {
        var exchange = captures.exchange(entry, url);
        var hop = entry.kind() == Kind.SITEMAP ? Hop.SITEMAP : Hop.LINK;
        return reader.onPool(url, hop, () -> reader.page(exchange, hop));
    }

    /** Takes up nothing more; what is under way ends soon. */
    void close() {
        closed = true;
        while (running.get()) {
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
    }
}
