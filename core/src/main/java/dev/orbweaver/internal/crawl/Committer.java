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
import java.util.function.BooleanSupplier;

/**
 * Writes and commits the results of visits; the only writer. It appends captures to the sink in
 * order of arrival, then commits the frontier's batch: the settlements, their new links, and the
 * lengths of the output files. That batch is the only commit point: listeners are notified,
 * counters updated and permits returned after it.
 */
final class Committer {

    private static final Logger LOG = LoggerFactory.getLogger(Committer.class);
    private static final int QUEUE_MAX = 1024;
    private static final int BATCH_MAX = 256;

    /** A batch takes no further visits once its links reach this size. */
    private static final long BATCH_LINK_BYTES = 16L << 20;

    private static final Duration LEASE_MARGIN = Duration.ofMinutes(4);

    /**
     * A completed visit with its capture ready to be appended.
     *
     * @param linkBytes an upper bound of the bytes of its links in the journal
     */
    record FinishedVisit(Step.End end, Optional<PreparedCapture> preparedCapture, long linkBytes) {

        /** Counts the links on the thread of the visit, not on the committer's. */
        FinishedVisit(Step.End end, Optional<PreparedCapture> preparedCapture) {
            this(
                    end,
                    preparedCapture,
                    end instanceof Step.Settle(var settlement, _) ? settlement.linkBytes() : 0);
        }
    }

    /** Decides whether links are offered now or deferred. */
    interface LinkBackpressure {

        /** Never defers links. */
        LinkBackpressure UNLIMITED = () -> {};

        /** Called before a batch is written. */
        void beginBatch();

        /**
         * Returns whether {@code count} links of a page are deferred; if not, they are offered now.
         */
        default boolean shouldDefer(int count) {
            return false;
        }
    }

    /** Receives the committer's results. */
    interface Listener {

        /** Called after these visits were committed. */
        void committed(List<FinishedVisit> ends);

        /** Called when the committer has failed and commits nothing further. */
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
    private final BooleanSupplier mayStage;
    private volatile boolean closing;

    /** Visits that the frontier has applied and will store later. */
    private final List<FinishedVisit> staged = new ArrayList<>();

    private long stagedLinkBytes;

    /** Start time of the commit in progress, or 0 if none is. */
    private volatile long commitStartNanos;

    private volatile long lastCommitNanos;

    Committer(
            CrawlFrontier frontier,
            Sink sink,
            InstantSource clock,
            Duration storageTimeout,
            LinkBackpressure links,
            VisitContext visitContext,
            BooleanSupplier mayStage,
            Listener listener) {
        this.mayStage = mayStage;
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
     * Queues a completed visit for commit. There are never more visits than leases, and leases are
     * bounded, so the queue is full only when very many workers meet a slow disk; then this method
     * blocks.
     *
     * @return false if the committer has ended and the visit will not be committed
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
            while (!closing || !queue.isEmpty() || !staged.isEmpty()) {
                var first = queue.poll(100, TimeUnit.MILLISECONDS);
                if (!staged.isEmpty()) {
                    report(storeStaged());
                }
                if (first != null) {
                    drainBatch(first, ends);
                    commitStartNanos = System.nanoTime();
                    var committed = commit(ends);
                    lastCommitNanos = System.nanoTime() - commitStartNanos;
                    commitStartNanos = 0;
                    report(committed);
                    ends.clear();
                }
            }
        } catch (Throwable e) { // Without its committer a crawl must end.
            LOG.error("the committer failed; the crawl ends", e);
            listener.failed(e);
        }
    }

    private void report(List<FinishedVisit> committed) {
        if (!committed.isEmpty()) {
            listener.committed(committed);
        }
    }

    private void drainBatch(FinishedVisit first, List<FinishedVisit> ends) {
        var bytes = 0L;
        for (var next = first; next != null; next = queue.poll()) {
            ends.add(next);
            bytes += next.linkBytes;
            if (ends.size() == BATCH_MAX || bytes >= BATCH_LINK_BYTES) {
                return;
            }
        }
    }

    /**
     * Commits visits as one batch. Called on the only writer thread: the committer's own, or the
     * simulation's single thread. Returns the visits as committed, those that were staged before
     * included; none if the frontier stores them later. One whose lease was lost no longer has a
     * capture.
     */
    List<FinishedVisit> commit(List<FinishedVisit> ends) throws IOException {
        var bytes = ends.stream().mapToLong(FinishedVisit::linkBytes).sum();
        if (bytes > CommitBatch.LINK_BYTES_MAX) {
            throw new IllegalStateException(
                    "the links of %d visits take %d bytes; a batch holds at most %d"
                            .formatted(ends.size(), bytes, CommitBatch.LINK_BYTES_MAX));
        }
        var writtenBatch = storageRetry.write(() -> write(ends), sink::rollBack);
        trackPages(writtenBatch);
        staged.addAll(writtenBatch.visits);
        stagedLinkBytes += bytes;
        var now = clock.instant();
        var committed =
                finish(
                        mustStore()
                                ? frontier.settle(writtenBatch.commitBatch, now)
                                : frontier.stage(writtenBatch.commitBatch, now));
        for (var finishedVisit : writtenBatch.visits) {
            if (finishedVisit.end instanceof Step.Release back) {
                release(back);
            }
        }
        return committed;
    }

    /** Returns whether visits must not wait: there are many, or the crawl waits for them. */
    private boolean mustStore() {
        return closing
                || staged.size() >= BATCH_MAX
                || stagedLinkBytes >= BATCH_LINK_BYTES
                || !mayStage.getAsBoolean();
    }

    /** Returns the staged visits if they are stored, otherwise none. */
    private List<FinishedVisit> storeStaged() throws IOException {
        return finish(frontier.storeStaged(mustStore(), clock.instant()));
    }

    /** Handles that the frontier has stored the staged visits, if it has. */
    private List<FinishedVisit> finish(CommitStatus status) throws IOException {
        if (status instanceof CommitStatus.Staged) {
            return List.of();
        }
        storageRetry.awaitStored(frontier, status);
        sink.confirmCommit();
        // After a storage outage it is unknown whether leases were lost in the meantime.
        trapDetector.onSettled(status instanceof CommitStatus.Durable);
        if (status instanceof CommitStatus.Rejected(var leases)) {
            LOG.warn("rejected {} settlements: their leases had expired", leases);
        }
        var visits = List.copyOf(staged);
        staged.clear();
        stagedLinkBytes = 0;
        return visits;
    }

    /** The visits written to the sink and the batch that records them in the frontier. */
    private record WrittenBatch(List<FinishedVisit> visits, CommitBatch commitBatch) {}

    /**
     * Records the pages with the trap detector; the value of their links is known when they are
     * settled.
     */
    private void trackPages(WrittenBatch writtenBatch) {
        var settlements = writtenBatch.commitBatch.settlements().iterator();
        for (var finishedVisit : writtenBatch.visits) {
            if (finishedVisit.end instanceof Step.Settle(_, var capture)) {
                var settlement = settlements.next();
                var page =
                        capture.filter(
                                stored -> stored.kind() == Kind.PAGE && stored.visit().isFirst());
                if (settlement.capture() > 0 && !settlement.linksDeferred()) {
                    page.ifPresent(stored -> trapDetector.beginPage(settlement.capture(), stored));
                }
            }
        }
    }

    private static FinishedVisit dropCapture(FinishedVisit finishedVisit) {
        LOG.warn(
                "lost the lease of {} before its visit was committed",
                finishedVisit.end.lease().url());
        finishedVisit.preparedCapture.ifPresent(
                preparedCapture -> deleteFile(preparedCapture.records()));
        return new FinishedVisit(finishedVisit.end, Optional.empty());
    }

    /**
     * Writes the visits whose leases are still valid; after a long storage outage some may have
     * expired.
     */
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
                settlements.add(withResult(whole.withCapture(sequence), finishedVisit));
            }
        }
        return new WrittenBatch(held, new CommitBatch(settlements, sink.commit()));
    }

    /** Adds what the response showed, if the frontier decides when the URL is visited again. */
    private Settlement withResult(Settlement settlement, FinishedVisit finishedVisit) {
        return frontier.needsResults()
                ? finishedVisit
                        .preparedCapture
                        .flatMap(VisitResults::of)
                        .map(settlement::withResult)
                        .orElse(settlement)
                : settlement;
    }

    /**
     * Turns a visit whose temporary files were deleted into one that failed to store its result.
     */
    private FinishedVisit failIfFilesMissing(FinishedVisit finishedVisit) throws IOException {
        if (finishedVisit.preparedCapture.stream().allMatch(Committer::hasFiles)) {
            return finishedVisit;
        }
        var error = new IOException("a temporary file was deleted");
        LOG.warn(
                "could not store the response of {}: {}",
                finishedVisit.end.lease().url(),
                error.getMessage());
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

    /** Returns whether the visit's links are deferred; they must then be in the stored capture. */
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
     * Returns whether the visit's lease is still valid, and extends a lease that is about to
     * expire. No capture may be written for a lease that another worker may hold by now.
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

    /** Returns the duration of the commit in progress so far, or of the last one. */
    Duration lastCommitDuration() {
        var since = commitStartNanos;
        return Duration.ofNanos(since == 0 ? lastCommitNanos : System.nanoTime() - since);
    }

    /** Returns how many visits wait to be committed. */
    int queueSize() {
        return queue.size();
    }

    /** Returns the storage problem that the committer is waiting out, if any. */
    Optional<String> problem() {
        return storageRetry.problem();
    }

    /** Deletes a body's temporary file. */
    static void deleteFile(Body body) {
        if (body instanceof Body.InFile(var file, _)) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                LOG.warn(
                        "could not delete {}; deleted on the next start: {}", file, e.getMessage());
            }
        }
    }

    /** Commits the queued visits and ends the thread. */
    void close() throws InterruptedException {
        closing = true;
        thread.join();
    }
}
