package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.sink.PreparedCapture;
import dev.orbweaver.internal.sink.Sink;
import dev.orbweaver.internal.traps.TrapDetector;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.Exchange;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The one writer. It appends captures to the sink in the order in which they come, then commits the
 * frontier's batch: the settlements, their new links, and the lengths of the output files. That
 * batch is the only commit point: listeners are notified, counters updated and permits returned
 * after it.
 */
final class Committer {

    private static final Logger LOG = LoggerFactory.getLogger(Committer.class);
    private static final int QUEUE_MAX = 1024;
    private static final int BATCH_MAX = 256;

    /** A batch takes no further end once its links take this much. */
    private static final long BATCH_LINK_BYTES = 16L << 20;

    private static final Duration LEASE_MARGIN = Duration.ofMinutes(4);

    /** A visit that is over, with its capture ready to be appended. */
    record FinishedVisit(Step.End end, Optional<PreparedCapture> preparedCapture) {}

    /** Whether there is room for links. */
    interface LinkBackpressure {

        /** Room without end. */
        LinkBackpressure UNLIMITED = () -> {};

        /** A batch is about to be written. */
        void beginBatch();

        /** Whether {@code count} links of a page are deferred; if not, they are offered now. */
        default boolean shouldDefer(int count) {
            return false;
        }
    }

    /** Is notified of commits. */
    interface Listener {

        /** These ends are now facts. */
        void committed(List<FinishedVisit> ends);

        /** Nothing can be committed any more. */
        void failed(Throwable error);
    }

    private final CrawlFrontier frontier;
    private final Sink sink;
    private final InstantSource clock;
    private final Listener listener;
    private final BlockingQueue<FinishedVisit> queue = new ArrayBlockingQueue<>(QUEUE_MAX);
    private final Thread thread;
    private final StorageRetry storageRetry;
    private final LinkBackpressure linkBackpressure;
    private final TrapDetector trapDetector;
    private final VisitContext visitContext;
    private volatile boolean closing;

    /** When the commit that is being made was begun, or 0. */
    private volatile long commitStartNanos;

    private volatile long lastCommitNanos;

    Committer(
            CrawlFrontier frontier,
            Sink sink,
            InstantSource clock,
            Duration storageTimeout,
            LinkBackpressure links,
            VisitContext visitContext,
            Listener listener) {
        this.visitContext = visitContext;
        this.trapDetector = visitContext.trapDetector();
        this.storageRetry = new StorageRetry(storageTimeout, () -> closing);
        this.linkBackpressure = links;
        this.frontier = frontier;
        this.sink = sink;
        this.clock = clock;
        this.listener = listener;
        this.thread = Thread.ofPlatform().daemon().name("committer").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /**
     * Hands an end over. More ends than leases there cannot be, and leases are bounded, so the
     * queue is full only when very many workers meet a slow disk; then this waits.
     *
     * @return false when nothing is committed any more
     */
    boolean submit(FinishedVisit finishedVisit) {
        try {
            while (thread.isAlive()) {
                if (queue.offer(finishedVisit, 100, TimeUnit.MILLISECONDS)) {
                    return true;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private void run() {
        var ends = new ArrayList<FinishedVisit>(BATCH_MAX);
        try {
            while (!closing || !queue.isEmpty()) {
                var first = queue.poll(100, TimeUnit.MILLISECONDS);
                if (first != null) {
                    drainBatch(first, ends);
                    commitStartNanos = System.nanoTime();
                    var committed = commit(ends);
                    lastCommitNanos = System.nanoTime() - commitStartNanos;
                    commitStartNanos = 0;
                    listener.committed(committed);
                    ends.clear();
                }
            }
        } catch (Throwable e) { // Without its committer a crawl must end, for any reason.
            LOG.error("the crawl cannot go on", e);
            listener.failed(e);
        }
    }

    private void drainBatch(FinishedVisit first, List<FinishedVisit> ends) {
        var bytes = 0L;
        for (var next = first; next != null; next = queue.poll()) {
            ends.add(next);
            bytes += linkBytes(next);
            if (ends.size() == BATCH_MAX || bytes >= BATCH_LINK_BYTES) {
                return;
            }
        }
    }

    private static long linkBytes(FinishedVisit finishedVisit) {
        return finishedVisit.end instanceof Step.Settle(var settlement, _)
                ? settlement.linkBytes()
                : 0;
    }

    /**
     * Commits ends as one batch, on whichever thread is the only writer: this one's own, or the
     * simulation's only one. Returns them as they were committed: one whose lease was lost has no
     * capture any more.
     */
    List<FinishedVisit> commit(List<FinishedVisit> ends) throws IOException {
        var bytes = ends.stream().mapToLong(Committer::linkBytes).sum();
        if (bytes > CommitBatch.LINK_BYTES_MAX) {
            throw new IllegalStateException(
                    "the links of %d visits take %d bytes; a batch holds at most %d"
                            .formatted(ends.size(), bytes, CommitBatch.LINK_BYTES_MAX));
        }
        var writtenBatch = storageRetry.write(() -> write(ends), sink::rollBack);
        trackPages(writtenBatch);
        var status = frontier.settle(writtenBatch.commitBatch, clock.instant());
        storageRetry.awaitStored(frontier, status);
        sink.confirmCommit();
        // After an outage it is not known whether leases were lost meanwhile.
        trapDetector.onSettled(status instanceof CommitStatus.Durable);
        if (status instanceof CommitStatus.Rejected(var leases)) {
            LOG.warn("{} settlements were rejected, their leases had expired", leases);
        }
        for (var finishedVisit : writtenBatch.visits) {
            if (finishedVisit.end instanceof Step.Release back) {
                release(back);
            }
        }
        return writtenBatch.visits;
    }

    /** What went to the sink, and what the frontier is to be told of it. */
    private record WrittenBatch(List<FinishedVisit> visits, CommitBatch commitBatch) {}

    /** What the pages are like; what their links are worth shows while they are settled. */
    private void trackPages(WrittenBatch writtenBatch) {
        var settlements = writtenBatch.commitBatch.settlements().iterator();
        for (var finishedVisit : writtenBatch.visits) {
            if (finishedVisit.end instanceof Step.Settle(_, var capture)) {
                var settlement = settlements.next();
                var page = capture.filter(stored -> stored.kind() == Kind.PAGE);
                if (settlement.capture() > 0 && !settlement.linksDeferred()) {
                    page.ifPresent(stored -> trapDetector.beginPage(settlement.capture(), stored));
                }
            }
        }
    }

    private static FinishedVisit dropCapture(FinishedVisit finishedVisit) {
        LOG.warn("the lease of {} was lost before its end", finishedVisit.end.lease().url());
        finishedVisit.preparedCapture.ifPresent(
                preparedCapture -> deleteFile(preparedCapture.records()));
        return new FinishedVisit(finishedVisit.end, Optional.empty());
    }

    /** Writes those whose leases still hold, which after a long wait may be fewer. */
    private WrittenBatch write(List<FinishedVisit> ends) throws IOException {
        linkBackpressure.beginBatch();
        var held = new ArrayList<FinishedVisit>(ends.size());
        var settlements = new ArrayList<Settlement>(ends.size());
        for (var each : ends) {
            var finishedVisit = holdsLease(each) ? failIfFilesMissing(each) : dropCapture(each);
            held.add(finishedVisit);
            var defers = defersLinks(finishedVisit);
            var sequence =
                    finishedVisit.preparedCapture.isPresent()
                            ? sink.write(finishedVisit.preparedCapture.get(), defers)
                            : 0;
            if (finishedVisit.end instanceof Step.Settle(var settlement, _)) {
                var whole = defers ? settlement.withDeferredLinks() : settlement;
                settlements.add(whole.withCapture(sequence));
            }
        }
        return new WrittenBatch(held, new CommitBatch(settlements, sink.commit()));
    }

    /** An end whose temporary files were deleted is one that could not be kept. */
    private FinishedVisit failIfFilesMissing(FinishedVisit finishedVisit) throws IOException {
        if (finishedVisit.preparedCapture.stream().allMatch(Committer::hasFiles)) {
            return finishedVisit;
        }
        var error = new IOException("a temporary file was deleted");
        LOG.warn("{} was fetched in vain: {}", finishedVisit.end.lease().url(), error.getMessage());
        return switch (finishedVisit.end) {
            case Step.Settle settle -> {
                var end =
                        new VisitOutcomes(settle.lease(), visitContext)
                                .storageFailed(error, clock.instant());
                yield new FinishedVisit(
                        end, Optional.of(sink.prepare(end.capture().orElseThrow())));
            }
            case Step.Release back -> new FinishedVisit(back, Optional.empty());
        };
    }

    private static boolean hasFiles(PreparedCapture preparedCapture) {
        var body = preparedCapture.capture().exchange().map(Exchange::body);
        return hasFile(preparedCapture.records())
                && (preparedCapture.bodyOffset() == PreparedCapture.BODY_INCLUDED
                        || body.stream().allMatch(Committer::hasFile));
    }

    private static boolean hasFile(Body body) {
        return !(body instanceof Body.InFile(var file, _)) || Files.exists(file);
    }

    /** Whether the visit's links are left for later: they must be in what is stored of it. */
    private boolean defersLinks(FinishedVisit finishedVisit) {
        return finishedVisit.end instanceof Step.Settle(var settlement, var capture)
                && !settlement.outlinks().isEmpty()
                && capture.filter(
                                stored ->
                                        stored.kind() == Kind.PAGE || stored.kind() == Kind.SITEMAP)
                        .isPresent()
                && linkBackpressure.shouldDefer(settlement.outlinks().size());
    }

    /**
     * A capture must not be written for a lease that another worker may hold by now; one about to
     * run out is extended.
     */
    private boolean holdsLease(FinishedVisit finishedVisit) throws IOException {
        var lease = finishedVisit.end.lease();
        var now = clock.instant();
        if (now.plus(LEASE_MARGIN).isBefore(lease.deadline())) {
            return true;
        }
        var status = frontier.extend(lease, now.plus(LEASE_MARGIN.multipliedBy(2)));
        storageRetry.awaitStored(frontier, status);
        return !(status instanceof CommitStatus.Rejected);
    }

    private void release(Step.Release back) throws IOException {
        var now = clock.instant();
        var lease = back.lease();
        if (back.delay().isPresent()) {
            storageRetry.awaitStored(
                    frontier, frontier.setCrawlDelay(lease.url().host(), back.delay().get()));
        }
        if (!back.found().isEmpty()) {
            storageRetry.awaitStored(frontier, frontier.offer(back.found(), now));
        }
        var status = frontier.release(lease, back.reason(), now);
        storageRetry.awaitStored(frontier, status);
        if (status instanceof CommitStatus.Rejected) {
            LOG.warn("the lease of {} expired before it was released", lease.url());
        }
    }

    /** How long the commit that is being made takes so far, or how long the last one took. */
    Duration lastCommitDuration() {
        var since = commitStartNanos;
        return Duration.ofNanos(since == 0 ? lastCommitNanos : System.nanoTime() - since);
    }

    /** How many ends wait to be committed. */
    int queueSize() {
        return queue.size();
    }

    /** What storage is being waited for, if any is. */
    Optional<String> problem() {
        return storageRetry.problem();
    }

    /** Deletes a body's temporary file. */
    static void deleteFile(Body body) {
        if (body instanceof Body.InFile(var file, _)) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                LOG.warn("cannot delete {}; the next opening does: {}", file, e.getMessage());
            }
        }
    }

    /** Commits what has been handed over and ends. */
    void close() throws InterruptedException {
        closing = true;
        thread.join();
    }
}
