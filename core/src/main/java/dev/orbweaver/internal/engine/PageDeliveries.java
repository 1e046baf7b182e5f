package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.archive.CommittedCrawl;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.spi.PageHandlerException;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** The deliveries to all page handlers of a crawl, which start and end together. */
final class PageDeliveries implements AutoCloseable {

    private static final Duration JOIN_SLICE = Duration.ofMillis(20);
    private static final Duration FAR = Duration.ofDays(10_000);

    private final CommittedCrawl crawl;
    private final LongSupplier committedLines;
    private final boolean synced;
    private final List<PageDelivery> deliveries = new ArrayList<>();
    private volatile long deadlineNanos = System.nanoTime() + FAR.toNanos();
    private volatile Optional<PageHandlerException> failure = Optional.empty();

    /**
     * @param committedLines returns the number of the last committed line of the page log
     * @param synced whether positions survive a loss of power
     */
    PageDeliveries(CommittedCrawl crawl, LongSupplier committedLines, boolean synced) {
        this.crawl = crawl;
        this.committedLines = committedLines;
        this.synced = synced;
    }

    /**
     * Adds a handler, before the crawl runs.
     *
     * @param onFailure called when the handler failed and the crawl is to stop
     */
    void add(DeliverySettings settings, Consumer<PageHandlerException> onFailure)
            throws IOException {
        deliveries.add(new PageDelivery(settings, crawl, durableLog(), synced, onFailure));
    }

    void start() {
        deliveries.forEach(PageDelivery::start);
    }

    /** Makes further lines available; called by the committer's thread after a commit. */
    void committed() {
        if (!deliveries.isEmpty()) {
            var durable = durableLog();
            deliveries.forEach(each -> each.committed(durable));
        }
    }

    private PageDelivery.Committed durableLog() {
        var bytes =
                crawl.committedLengths().get().stream()
                        .filter(each -> each.name().equals(DirectoryLayout.PAGE_LOG))
                        .mapToLong(CommittedLength::length)
                        .findFirst()
                        .orElse(0);
        return new PageDelivery.Committed(bytes, committedLines.getAsLong());
    }

    /** Returns what the crawl waits for, while a handler is too far behind. */
    Optional<String> backlog() {
        return deliveries.stream().flatMap(each -> each.backlog().stream()).findFirst();
    }

    /** Sets the time at which handlers are no longer waited for; a later call can shorten it. */
    synchronized void stop(Duration grace) {
        var deadline = System.nanoTime() + grace.toNanos();
        if (deadline - deadlineNanos < 0) {
            deadlineNanos = deadline;
        }
    }

    /**
     * Waits until handlers have processed everything that is committed. A crawl that was stopped,
     * also during this wait, waits no longer than its grace period.
     *
     * @return the end of the crawl: the given one, unless a handler failed
     */
    CrawlEnd finish(CrawlEnd end, Duration stopGrace) throws InterruptedException {
        switch (end.reason()) {
            case COMPLETE, MAX_PAGES, MAX_BYTES, MAX_TIME, WAITING -> {}
            case STOPPED, RETENTION, BROKEN, HANDLER_FAILED, INTERNAL -> stop(stopGrace);
        }
        deliveries.forEach(PageDelivery::finish);
        for (var delivery : deliveries) {
            while (System.nanoTime() - deadlineNanos < 0 && !delivery.awaitEnd(JOIN_SLICE)) {}
            failure = failure.or(delivery::failure);
        }
        return switch (end.reason()) {
            case BROKEN, INTERNAL -> end; // A handler's failure may be a consequence of it.
            case COMPLETE,
                    MAX_PAGES,
                    MAX_BYTES,
                    MAX_TIME,
                    WAITING,
                    STOPPED,
                    RETENTION,
                    HANDLER_FAILED ->
                    failure.map(PageDeliveries::endOf).orElse(end);
        };
    }

    private static CrawlEnd endOf(PageHandlerException failure) {
        return new CrawlEnd(CrawlEnd.Reason.HANDLER_FAILED, String.valueOf(failure.getMessage()));
    }

    /** Returns the exception of the first handler that failed, once {@link #finish} has ended. */
    Optional<PageHandlerException> failure() {
        return failure;
    }

    @Override
    public void close() {
        deliveries.forEach(PageDelivery::close);
    }
}
