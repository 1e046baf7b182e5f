package dev.orbweaver.crawl;

import dev.orbweaver.frontier.Batch;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.Settlement;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.sink.Prepared;
import dev.orbweaver.sink.Sink;

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
 * batch is the only commit point. Whatever is told to anybody else (listeners, counters, permits
 * given back) is told after it.
 */
final class Committer {

    private static final Logger LOG = LoggerFactory.getLogger(Committer.class);
    private static final int QUEUE_MAX = 1024;
    private static final int BATCH_MAX = 256;

    /** Stands for the number of refused settlements when the frontier could not answer. */
    private static final int UNKNOWN = -1;

    /** A batch takes no further end once its links take this much. */
    private static final long BATCH_LINK_BYTES = 16L << 20;

    private static final Duration LEASE_MARGIN = Duration.ofMinutes(4);

    /** A visit that is over, with its capture ready to be appended. */
    record Ended(Step.End end, Optional<Prepared> prepared) {}

    /** Whether there is room for links. */
    interface LinkRoom {

        /** Room without end. */
        LinkRoom ENDLESS = () -> {};

        /** A batch is about to be written. */
        void beginBatch();

        /** Whether so many links of a page are to be left for later; if not, they are taken in. */
        default boolean defers(int count) {
            return false;
        }
    }

    /** Who is told what has been committed. */
    interface Listener {

        /** These ends are now facts. */
        void committed(List<Ended> ends);

        /** Nothing can be committed any more. */
        void broken(Throwable error);
    }

    private final Frontier frontier;
    private final Sink sink;
    private final InstantSource clock;
    private final Listener listener;
    private final BlockingQueue<Ended> queue = new ArrayBlockingQueue<>(QUEUE_MAX);
    private final Thread thread;
    private final DiskPatience disk;
    private final LinkRoom links;
    private final Novelty novelty;
    private final Etiquette etiquette;
    private volatile boolean closing;

    /** When the commit that is being made was begun, or 0. */
    private volatile long begun;

    private volatile long lastNanos;

    Committer(
            Frontier frontier,
            Sink sink,
            InstantSource clock,
            Duration diskPatience,
            LinkRoom links,
            Etiquette etiquette,
            Listener listener) {
        this.etiquette = etiquette;
        this.novelty = etiquette.novelty();
        this.disk = new DiskPatience(diskPatience, () -> closing);
        this.links = links;
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
    boolean put(Ended ended) {
        try {
            while (thread.isAlive()) {
                if (queue.offer(ended, 100, TimeUnit.MILLISECONDS)) {
                    return true;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private void run() {
        var ends = new ArrayList<Ended>(BATCH_MAX);
        try {
            while (!closing || !queue.isEmpty()) {
                var first = queue.poll(100, TimeUnit.MILLISECONDS);
                if (first != null) {
                    gather(first, ends);
                    begun = System.nanoTime();
                    var committed = commit(ends);
                    lastNanos = System.nanoTime() - begun;
                    begun = 0;
                    listener.committed(committed);
                    ends.clear();
                }
            }
        } catch (Throwable e) { // Without its committer a crawl must end, whatever ended that.
            LOG.error("the crawl cannot go on", e);
            listener.broken(e);
        }
    }

    private void gather(Ended first, List<Ended> ends) {
        var bytes = 0L;
        for (var next = first; next != null; next = queue.poll()) {
            ends.add(next);
            bytes += linkBytes(next);
            if (ends.size() == BATCH_MAX || bytes >= BATCH_LINK_BYTES) {
                return;
            }
        }
    }

    private static long linkBytes(Ended ended) {
        return ended.end instanceof Step.Settle(var settlement, _) ? settlement.linkBytes() : 0;
    }

    /**
     * Commits ends as one batch, on whichever thread is the only writer: this one's own, or the
     * laboratory's only one. Returns them as they were committed: one whose lease was lost has no
     * capture any more.
     */
    List<Ended> commit(List<Ended> ends) throws IOException {
        var bytes = ends.stream().mapToLong(Committer::linkBytes).sum();
        if (bytes > Batch.LINK_BYTES_MAX) {
            throw new IllegalStateException(
                    "the links of %d visits take %d bytes; a batch holds at most %d"
                            .formatted(ends.size(), bytes, Batch.LINK_BYTES_MAX));
        }
        var written = disk.write(() -> write(ends), sink::rollBack);
        read(written);
        var refused =
                disk.call(frontier, () -> frontier.settle(written.batch, clock.instant()), UNKNOWN)
                        .intValue();
        sink.confirmCommit();
        novelty.settled(refused == 0);
        if (refused > 0) {
            LOG.warn("{} settlements came too late and were refused", refused);
        }
        for (var ended : written.ends) {
            if (ended.end instanceof Step.GiveBack back) {
                giveBack(back);
            }
        }
        return written.ends;
    }

    /** What went to the sink, and what the frontier is to be told of it. */
    private record Written(List<Ended> ends, Batch batch) {}

    /** What the pages are like; what their links are worth shows while they are settled. */
    private void read(Written written) {
        var settlements = written.batch.settlements().iterator();
        for (var ended : written.ends) {
            if (ended.end instanceof Step.Settle(_, var capture)) {
                var settlement = settlements.next();
                var page = capture.filter(stored -> stored.kind() == Kind.PAGE);
                if (settlement.capture() > 0 && !settlement.linksDeferred()) {
                    page.ifPresent(stored -> novelty.reading(settlement.capture(), stored));
                }
            }
        }
    }

    private static Ended withoutCapture(Ended ended) {
        LOG.warn("the lease of {} was lost before its end", ended.end.lease().url());
        ended.prepared.ifPresent(prepared -> delete(prepared.records()));
        return new Ended(ended.end, Optional.empty());
    }

    /** Writes those whose leases still hold, which after a long wait may be fewer. */
    private Written write(List<Ended> ends) throws IOException {
        links.beginBatch();
        var held = new ArrayList<Ended>(ends.size());
        var settlements = new ArrayList<Settlement>(ends.size());
        for (var each : ends) {
            var ended = stillHeld(each) ? withItsFiles(each) : withoutCapture(each);
            held.add(ended);
            var defers = defers(ended);
            var sequence =
                    ended.prepared.isPresent() ? sink.write(ended.prepared.get(), defers) : 0;
            if (ended.end instanceof Step.Settle(var settlement, _)) {
                var whole = defers ? settlement.deferringLinks() : settlement;
                settlements.add(whole.capturedAs(sequence));
            }
        }
        return new Written(held, new Batch(settlements, sink.commit()));
    }

    /** An end whose temporary files were deleted is one that could not be kept. */
    private Ended withItsFiles(Ended ended) throws IOException {
        if (ended.prepared.stream().allMatch(Committer::hasFiles)) {
            return ended;
        }
        var error = new IOException("a temporary file was deleted");
        LOG.warn("{} was fetched in vain: {}", ended.end.lease().url(), error.getMessage());
        return switch (ended.end) {
            case Step.Settle settle -> {
                var end =
                        new Ending(settle.lease(), etiquette).failedLocally(error, clock.instant());
                yield new Ended(end, Optional.of(sink.prepare(end.capture().orElseThrow())));
            }
            case Step.GiveBack back -> new Ended(back, Optional.empty());
        };
    }

    private static boolean hasFiles(Prepared prepared) {
        var body = prepared.capture().exchange().map(Exchange::body);
        return hasFile(prepared.records())
                && (prepared.gap() == Prepared.WHOLE || body.stream().allMatch(Committer::hasFile));
    }

    private static boolean hasFile(Body body) {
        return !(body instanceof Body.InFile(var file, _)) || Files.exists(file);
    }

    /** Whether the visit's links are left for later: they must be in what is stored of it. */
    private boolean defers(Ended ended) {
        return ended.end instanceof Step.Settle(var settlement, var capture)
                && !settlement.found().isEmpty()
                && capture.filter(
                                stored ->
                                        stored.kind() == Kind.PAGE || stored.kind() == Kind.SITEMAP)
                        .isPresent()
                && links.defers(settlement.found().size());
    }

    /**
     * A capture must not be written for a lease that somebody else may hold by now; one about to
     * run out is extended.
     */
    private boolean stillHeld(Ended ended) throws IOException {
        var lease = ended.end.lease();
        var now = clock.instant();
        return now.plus(LEASE_MARGIN).isBefore(lease.deadline())
                || disk.call(
                        frontier,
                        () -> frontier.extend(lease, now.plus(LEASE_MARGIN.multipliedBy(2))),
                        true);
    }

    private void giveBack(Step.GiveBack back) throws IOException {
        var now = clock.instant();
        var lease = back.lease();
        if (back.delay().isPresent()) {
            made(() -> frontier.slowDown(lease.url().host(), back.delay().get()));
        }
        if (!back.found().isEmpty()) {
            made(() -> frontier.offer(lease.job(), back.found(), now));
        }
        if (!disk.call(frontier, () -> frontier.release(lease, back.why(), now), true)) {
            LOG.warn("the lease of {} was lost before it was given back", lease.url());
        }
    }

    private void made(Runnable call) throws IOException {
        var _ =
                disk.call(
                        frontier,
                        () -> {
                            call.run();
                            return true;
                        },
                        true);
    }

    /** How long the commit that is being made takes so far, or how long the last one took. */
    Duration takes() {
        var since = begun;
        return Duration.ofNanos(since == 0 ? lastNanos : System.nanoTime() - since);
    }

    /** How many ends wait to be committed. */
    int waiting() {
        return queue.size();
    }

    /** What the disk is being waited for, if it is. */
    Optional<String> trouble() {
        return disk.trouble();
    }

    /** Deletes a body that lies in a temporary file. */
    static void delete(Body body) {
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
