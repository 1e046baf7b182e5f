package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.archive.CommittedCrawl;
import dev.orbweaver.internal.sink.CaptureReader;
import dev.orbweaver.internal.sink.PageLogLine;
import dev.orbweaver.internal.sink.PageLogPosition;
import dev.orbweaver.internal.sink.PageLogReader;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.spi.CrawledPage;
import dev.orbweaver.spi.PageHandlerException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Delivers committed lines of the page log to one handler, in order, on a thread of its own.
 *
 * <p>The position after the last acknowledged batch is stored in the crawl's directory as soon as
 * the handler returns, so that after {@code kill -9} at most that batch is delivered again. A
 * position that the page log does not confirm (it was compacted, or a power failure removed lines)
 * is replaced by the first line with a higher number, or by the end of the log when that is lower.
 *
 * <p>Only lines are read whose commit is durable ({@link #committed}): what a crash could still
 * take back is not delivered.
 *
 * <p>The crawl leases nothing while the handler is more than {@link DeliverySettings#maxLag} lines
 * behind, until it has caught up with half of that.
 */
final class PageDelivery implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PageDelivery.class);
    private static final Duration POLL = Duration.ofMillis(50);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);
    private static final int SCAN_LINES = 1_000;

    /**
     * What is durable of the page log.
     *
     * @param bytes its length
     * @param lines the number of its last line
     */
    record Committed(long bytes, long lines) {}

    private final DeliverySettings settings;
    private final CommittedCrawl crawl;
    private final Consumer<PageHandlerException> onFailure;
    private final CaptureReader captures;
    private final PositionFile positions;
    private final PageLogReader reader;
    private final Thread thread;
    private volatile Committed committed;
    private volatile long delivered;
    private volatile boolean behind;
    private volatile boolean stopping;
    private volatile boolean finishing;
    private boolean abandoned; // Guarded by this.
    private volatile Optional<PageHandlerException> failure = Optional.empty();

    /**
     * @param committed what is durable now
     * @param synced whether the position survives a loss of power
     * @param onFailure called when the handler failed and the crawl is to stop
     */
    PageDelivery(
            DeliverySettings settings,
            CommittedCrawl crawl,
            Committed committed,
            boolean synced,
            Consumer<PageHandlerException> onFailure)
            throws IOException {
        this.settings = settings;
        this.crawl = crawl;
        this.committed = committed;
        this.onFailure = onFailure;
        this.captures = new CaptureReader(crawl.directory());
        this.reader = PageLogReader.open(crawl.directory(), this::committedBytes);
        this.positions = PositionFile.open(crawl.directory(), settings.name(), synced);
        try {
            seek();
        } catch (IOException | RuntimeException e) {
            closeFiles();
            throw e;
        }
        this.delivered = reader.position().seq();
        this.thread =
                Thread.ofPlatform()
                        .daemon()
                        .name("page handler " + settings.name())
                        .unstarted(this::run);
    }

    private long committedBytes() {
        return committed.bytes();
    }

    private void seek() throws IOException {
        var stored = positions.read();
        if (settings.startAfter().isEmpty() && reader.seek(stored)) {
            return;
        }
        checkStartAfter();
        var sequence = settings.startAfter().orElse(stored.seq());
        if (sequence >= reader.end().seq()) {
            var _ = reader.seek(reader.end());
            return;
        }
        var before = PageLogPosition.START;
        for (var lines = reader.next(SCAN_LINES);
                !lines.isEmpty();
                lines = reader.next(SCAN_LINES)) {
            for (var line : lines) {
                if (line.entry().seq() > sequence) {
                    var _ = reader.seek(before);
                    return;
                }
                before = line.after();
            }
        }
    }

    /** Refuses a number that the log does not have yet: later lines would be left out. */
    private void checkStartAfter() throws IOException {
        var last = Math.max(committed.lines(), reader.end().seq());
        if (settings.startAfter().orElse(0L) > last) {
            throw new IOException(
                    ("startAfter(%d) of handler '%s' is beyond the last line %d of this page log:"
                                    + " the number is of another crawl, or a loss of power removed"
                                    + " lines")
                            .formatted(settings.startAfter().orElse(0L), settings.name(), last));
        }
    }

    void start() {
        thread.start();
    }

    /** Makes further lines available, once their commit is durable. */
    void committed(Committed now) {
        committed = now;
        LockSupport.unpark(thread);
    }

    /** Returns what the crawl waits for, while the handler is too far behind. */
    Optional<String> backlog() {
        var lag = Math.max(0, committed.lines() - delivered);
        var max = finishing ? 0 : behind ? settings.maxLag() / 2 : settings.maxLag();
        behind = failure.isEmpty() && lag > max;
        return behind
                ? Optional.of(
                        "page handler '%s' is %,d %s of the page log behind"
                                .formatted(settings.name(), lag, lag == 1 ? "line" : "lines"))
                : Optional.empty();
    }

    private void run() {
        try {
            while (!stopping) {
                // Both are read before the log: a batch that is committed in between is not missed.
                var last = finishing;
                var known = committed.lines();
                var lines = reader.next(settings.batchSize());
                if (!lines.isEmpty()) {
                    deliver(lines);
                } else if (last) {
                    break;
                } else {
                    // Lines of retried attempts are skipped by the reader, and some numbers have no
                    // line any more.
                    delivered = Math.max(delivered, known);
                    LockSupport.parkNanos(this, POLL.toNanos());
                }
            }
        } catch (PageHandlerException e) {
            fail(e);
        } catch (IOException | RuntimeException | Error e) {
            fail(new PageHandlerException(settings.name(), "a page", delivered, e));
        } finally {
            closeAll();
        }
    }

    private void deliver(List<PageLogLine> lines) throws IOException {
        var batch = new ArrayList<CrawledPage>(lines.size());
        for (var line : lines) {
            var entry = line.entry();
            if (isWanted(entry.kind()) && !crawl.tombstones().covers(entry.url())) {
                batch.add(new LoggedPage(entry, captures, crawl.urls()));
            }
        }
        if (!batch.isEmpty()) {
            call(batch);
        }
        acknowledge(lines.getLast().after());
        delivered = lines.getLast().entry().seq();
    }

    /** Stores the position, unless the crawl was closed: its directory may be open again by now. */
    private synchronized void acknowledge(PageLogPosition position) throws IOException {
        if (!abandoned) {
            positions.write(position);
        }
    }

    private synchronized void abandon() {
        abandoned = true;
    }

    private boolean isWanted(Kind kind) {
        return settings.pagesOnly() ? kind == Kind.PAGE : isResult(kind);
    }

    /** Returns whether a line is the final result of a URL that is not robots.txt or a sitemap. */
    static boolean isResult(Kind kind) {
        return switch (kind) {
            case PAGE, REDIRECT, ERROR, FAILED, WITHDRAWN -> true;
            case RETRIED, ROBOTS, SITEMAP -> false;
        };
    }

    @SuppressWarnings("InterruptedExceptionSwallowed") // The thread is this object's own.
    private void call(List<CrawledPage> batch) {
        var first = batch.getFirst();
        try {
            settings.sink().store(batch);
        } catch (Throwable e) { // Errors of the program's code too: they belong to this page.
            var problem =
                    new PageHandlerException(settings.name(), first.url(), first.sequence(), e);
            // A batch is never skipped: it has results that have nothing to do with the failure.
            if (settings.stopOnFailure() || settings.batchSize() > 1) {
                throw problem;
            }
            LOG.warn("{}; the page is skipped", problem.getMessage(), e);
        }
    }

    private void fail(PageHandlerException problem) {
        LOG.error("{}", problem.getMessage(), problem.getCause());
        failure = Optional.of(problem);
        onFailure.accept(problem);
    }

    /** Ends the thread as soon as everything that is committed is delivered. */
    void finish() {
        finishing = true;
        LockSupport.unpark(thread);
    }

    /** Waits for the end of the thread; returns whether it has ended. */
    boolean awaitEnd(Duration limit) throws InterruptedException {
        return thread.join(limit);
    }

    /** Returns why the handler failed, if it did. */
    Optional<PageHandlerException> failure() {
        return failure;
    }

    @Override
    public void close() {
        stopping = true;
        if (thread.getState() == Thread.State.NEW) {
            closeAll();
            return;
        }
        LockSupport.unpark(thread);
        try {
            if (!thread.join(CLOSE_TIMEOUT)) {
                LOG.warn(
                        "page handler '{}' has not returned after {} s; its page is delivered"
                                + " again",
                        settings.name(),
                        CLOSE_TIMEOUT.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            abandon();
            thread.interrupt();
        }
    }

    private void closeAll() {
        try {
            settings.sink().close();
        } catch (IOException | RuntimeException | Error e) {
            LOG.warn("could not close sink '{}'", settings.name(), e);
        }
        closeFiles();
    }

    private void closeFiles() {
        try (reader;
                positions) {
            LOG.debug("page handler '{}' ended at line {}", settings.name(), delivered);
        } catch (IOException e) {
            LOG.warn("could not close the files of page handler '{}'", settings.name(), e);
        }
    }
}
