package dev.orbweaver.internal.seeds;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.SeedBatch;
import dev.orbweaver.internal.frontier.SeedPosition;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CrawlUrl;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Offers the seed lists of a crawl to its frontier while the crawl runs, and watches for new ones.
 *
 * <p>Lists are read in batches. A batch is stored together with the position after it, so after a
 * crash the next run continues with the line after the last stored one. Nothing of a list is kept
 * in memory.
 */
public final class SeedIntake implements SeedReader {

    /** What the crawl does with seeds. */
    public record Target(
            CrawlFrontier frontier,
            CrawlUrls urls,
            Consumer<CrawlUrl> extendScope,
            BooleanSupplier hasRoom,
            Consumer<Throwable> onFailure,
            RevisitRequests requests) {

        public Target(
                CrawlFrontier frontier,
                CrawlUrls urls,
                Consumer<CrawlUrl> extendScope,
                BooleanSupplier hasRoom,
                Consumer<Throwable> onFailure) {
            this(frontier, urls, extendScope, hasRoom, onFailure, RevisitRequests.NONE);
        }
    }

    /** The schedule of a crawl that visits its pages again. */
    public interface RevisitRequests {

        RevisitRequests NONE = revisits -> revisits;

        /**
         * Takes over URLs to visit again: a URL that both queued would be counted twice.
         *
         * @return those that are to be queued here
         */
        List<SeedBatch.Revisit> takeOver(List<SeedBatch.Revisit> revisits) throws IOException;

        /** Receives URLs that have changed according to their site, or are new. */
        default void announced(List<CrawlUrl> urls) throws IOException {}
    }

    private static final Logger LOG = LoggerFactory.getLogger(SeedIntake.class);
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
    private static final Duration ROOM_POLL_INTERVAL = Duration.ofMillis(20);
    private static final Duration LOAD_POLL_INTERVAL = Duration.ofMillis(50);

    private final Path crawl;
    private final Target target;
    private final InstantSource clock;
    private final Map<String, SeedPosition> positions = new HashMap<>();
    private final Thread thread;
    private volatile Progress progress = Progress.NONE;
    private volatile boolean closed;

    /** The lists of the crawl; there may be thousands, so the directory is read once a second. */
    private List<SeedList> lists = List.of();

    private Instant listedAt = Instant.MIN;

    /** Starts to read the lists in a crawl's directory. */
    public SeedIntake(Path crawl, Target target, InstantSource clock) throws IOException {
        this.crawl = crawl;
        this.target = target;
        this.clock = clock;
        target.frontier().seedPositions().forEach(each -> positions.put(each.list(), each));
        updateProgress();
        this.thread = Thread.ofVirtual().name("seeds").unstarted(this::run);
    }

    /**
     * Reads the lists of a directory to their end, before its crawl begins.
     *
     * @param progress receives the progress many times a second
     */
    public static void readToEnd(
            Path directory,
            CrawlFrontier frontier,
            CrawlUrls urls,
            InstantSource clock,
            Consumer<Progress> progress)
            throws IOException, InterruptedException {
        var failure = new AtomicReference<Throwable>();
        var target =
                new Target(
                        frontier,
                        urls,
                        _ -> {}, // The crawl takes the hosts of its scope from the frontier.
                        () -> true,
                        failure::set);
        try (var intake = new SeedIntake(directory, target, clock)) {
            intake.start();
            while (intake.isPending() && failure.get() == null) {
                progress.accept(intake.progress());
                Thread.sleep(LOAD_POLL_INTERVAL);
            }
            progress.accept(intake.progress());
        }
        if (failure.get() != null) {
            throw new IOException(String.valueOf(failure.get().getMessage()), failure.get());
        }
        frontier.flush().requireStored();
    }

    @Override
    public void readCaptures() throws IOException, InterruptedException {
        for (var list : currentLists()) {
            if (list.isCaptures() && position(list).bytes() < list.bytes()) {
                read(list, () -> true); // They are not queued, so they need no room.
            }
        }
    }

    @Override
    public void start() {
        thread.start();
    }

    @Override
    public boolean isPending() {
        try {
            if (progress.isComplete()) {
                updateProgress();
            }
        } catch (IOException e) {
            LOG.warn("could not list the seed lists of {}: {}", crawl, e.getMessage());
        }
        return !closed && !progress.isComplete();
    }

    @Override
    public Progress progress() {
        return progress;
    }

    private void run() {
        try {
            readCaptures(); // A URL of an earlier list may be among them.
            while (!closed) {
                for (var list : currentLists()) {
                    if (position(list).bytes() < list.bytes()) {
                        read(list, target.hasRoom());
                    }
                }
                SeedList.deleteRead(currentLists(), list -> position(list).bytes() >= list.bytes());
                Thread.sleep(POLL_INTERVAL);
            }
        } catch (InterruptedException e) {
            LOG.debug("the crawl ends; the rest of the seeds is read when it is resumed");
        } catch (Throwable e) { // Out of memory too: these seeds must not be lost silently.
            if (!closed) {
                LOG.error("could not read a seed list", e);
                target.onFailure().accept(e);
            }
        }
    }

    private synchronized SeedPosition position(SeedList list) {
        return positions.getOrDefault(list.name(), SeedPosition.start(list.name()));
    }

    private void read(SeedList list, BooleanSupplier hasRoom)
            throws IOException, InterruptedException {
        list.requireUnchanged(crawl);
        LOG.info("reading the seed list {}", list.file());
        var start = position(list);
        try (var lines = new SeedListReader(list.file(), start.bytes());
                var rejected = RejectedLines.open(crawl, list.name(), start.lines())) {
            while (!closed && lines.position() < list.bytes()) {
                awaitRoom(hasRoom);
                var batch =
                        SeedBatches.read(
                                lines, position(list), list.bytes(), rejected, target.urls());
                rejected.flush();
                SeedBatches.extendScope(batch, target.extendScope());
                if (list.isAnnounced()) {
                    target.requests()
                            .announced(batch.candidates().stream().map(Candidate::url).toList());
                }
                store(
                        list,
                        batch.revisits().isEmpty()
                                ? batch
                                : batch.withRevisits(target.requests().takeOver(batch.revisits())));
                synchronized (this) {
                    positions.put(list.name(), batch.position());
                }
                updateProgress();
            }
        }
        var end = position(list);
        LOG.info("read {} lines of {}, {} malformed", end.lines(), list.file(), end.malformed());
    }

    private void awaitRoom(BooleanSupplier hasRoom) throws InterruptedException {
        while (!closed && !hasRoom.getAsBoolean()) {
            Thread.sleep(ROOM_POLL_INTERVAL);
        }
    }

    private void store(SeedList list, SeedBatch batch) throws IOException, InterruptedException {
        var status = target.frontier().offerSeeds(batch, clock.instant());
        while (!closed && status instanceof CommitStatus.Pending) {
            Thread.sleep(ROOM_POLL_INTERVAL);
            status = target.frontier().flush();
        }
        if (status instanceof CommitStatus.Rejected) {
            throw new IOException(
                    "another process reads the seed list %s too: stop it, then continue"
                            .formatted(list.file()));
        }
    }

    private synchronized List<SeedList> currentLists() throws IOException {
        var now = clock.instant();
        if (!now.isBefore(listedAt.plus(POLL_INTERVAL))) {
            lists = SeedList.of(crawl);
            listedAt = now;
        }
        return lists;
    }

    private synchronized void updateProgress() throws IOException {
        var read = 0L;
        var bytes = 0L;
        var lines = 0L;
        var malformed = 0L;
        for (var list : currentLists()) {
            var position = position(list);
            read += Math.min(position.bytes(), list.bytes());
            bytes += list.bytes();
            lines += position.lines();
            malformed += position.malformed();
        }
        progress = new Progress(read, bytes, lines, malformed);
    }

    @Override
    public void close() throws IOException {
        closed = true;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
