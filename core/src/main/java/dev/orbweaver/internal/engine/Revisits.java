package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.SeedBatch;
import dev.orbweaver.internal.frontier.SeedPosition;
import dev.orbweaver.internal.revisit.Due;
import dev.orbweaver.internal.revisit.RevisitSchedule;
import dev.orbweaver.internal.revisit.RevisitStatistics;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Queues the pages of a running crawl again when they are due.
 *
 * <p>One thread alternates between following the page log and queueing. Due pages are queued in
 * batches: the schedule marks the pages with the number of the batch, the frontier stores the batch
 * together with its number, and the schedule marks them as queued. After a crash the number that
 * the frontier has stored decides which marks count, so every due page is queued once. A visit in
 * the page log removes the mark.
 */
final class Revisits implements Closeable {

    /** What the crawl does with pages that are due. */
    record Target(
            CrawlFrontier frontier,
            CrawlUrls urls,
            Predicate<CrawlUrl> isWanted,
            BooleanSupplier hasRoom,
            Consumer<Throwable> onFailure) {}

    private static final Logger LOG = LoggerFactory.getLogger(Revisits.class);

    /** The name under which the frontier stores the number of the last batch. */
    private static final String POSITION = DirectoryLayout.REVISITS;

    /** Pages in the frontier's queues at a time: enough for many hosts, and soon visited. */
    private static final int QUEUED_MAX = 20_000;

    /**
     * A host may have as many of them as a quarter of the room that is left, so slow hosts leave
     * room for others however many they are.
     */
    private static final int HOST_SHARE = 4;

    private static final int BATCH_MAX = 1_000;
    private static final Duration CLOSE_TIME = Duration.ofSeconds(10);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

    /** Finding pages that only seem to be queued reads four bytes of every page. */
    private static final Duration RELEASE_INTERVAL = Duration.ofMinutes(1);

    private static final Duration STORE_INTERVAL = Duration.ofMillis(20);

    private final RevisitSchedule schedule;
    private final RevisitFollower follower;
    private final Target target;
    private final InstantSource clock;
    private final Thread thread;
    private final List<Due> offering = new ArrayList<>();

    /**
     * Lines of the last visits of queued pages whose host was given up; no more than are queued.
     */
    private final ConcurrentLinkedQueue<CaptureRef> abandoned = new ConcurrentLinkedQueue<>();

    private long stored;
    private long batch;
    private boolean mayBeQueued = true;
    private Instant released = Instant.EPOCH;
    private volatile boolean closed;
    private volatile boolean hasFailed;

    Revisits(RevisitSchedule schedule, RevisitFollower follower, Target target, InstantSource clock)
            throws IOException {
        this.schedule = schedule;
        this.follower = follower;
        this.target = target;
        this.clock = clock;
        this.stored =
                target.frontier().seedPositions().stream()
                        .filter(position -> position.list().equals(POSITION))
                        .mapToLong(SeedPosition::lines)
                        .findFirst()
                        .orElse(0);
        var _ = schedule.recover(stored);
        this.batch = Math.max(stored, schedule.batch());
        this.thread = Thread.ofPlatform().daemon().name("revisits").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (!closed) {
                var wasIdle = isIdle();
                var isBusy = follow();
                isBusy |= releaseAbandoned();
                if (wasIdle) {
                    releaseQueued();
                }
                isBusy |= queueDue();
                if (!isBusy) {
                    Thread.sleep(POLL_INTERVAL);
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("the crawl ends; pages that are due are queued when it is resumed");
        } catch (Throwable e) { // Out of memory too: without this thread no page is visited again.
            hasFailed = true;
            if (!closed) {
                LOG.error("could not schedule the next visits", e);
                target.onFailure().accept(e);
            }
        }
    }

    /** Reads all that is committed; only then is it known which queued pages were visited. */
    private boolean follow() throws IOException {
        var any = false;
        while (!closed && followBatch()) {
            any = true;
        }
        return any;
    }

    /** Locks for one batch only: others look at the schedule while a whole log is read. */
    private synchronized boolean followBatch() throws IOException {
        return follower.follow();
    }

    /** Reports the last visit of a queued page whose host was given up; the log has no line. */
    void abandon(CaptureRef last) {
        abandoned.add(last);
    }

    /** Ends the visits that were abandoned, which makes room for others. */
    private synchronized boolean releaseAbandoned() throws IOException {
        var any = false;
        for (var last = abandoned.poll(); last != null; last = abandoned.poll()) {
            any = true;
            var line = follower.line(last.line());
            if (line.isPresent()) {
                schedule.release(line.get().firstLine(), clock.instant());
            }
        }
        return any;
    }

    private boolean queueDue() throws IOException, InterruptedException {
        if (!target.hasRoom().getAsBoolean()) {
            return false;
        }
        var dropped = new AtomicInteger();
        var revisits = nextBatch(dropped);
        if (revisits.isEmpty()) {
            return dropped.get() > 0;
        }
        store(
                new SeedBatch(
                        List.of(),
                        List.of(),
                        revisits,
                        0,
                        new SeedPosition(POSITION, 0, stored, 0),
                        new SeedPosition(POSITION, 0, batch, 0)));
        return true;
    }

    /** Marks pages that are due with the number of the next batch. */
    private synchronized List<SeedBatch.Revisit> nextBatch(AtomicInteger dropped)
            throws IOException {
        var now = clock.instant();
        // New URLs do not count: however many are queued, known pages get their turns.
        var room = Math.max(0, QUEUED_MAX - schedule.queued());
        var due = schedule.due(now, Math.min(room, BATCH_MAX), Math.max(1, room / HOST_SHARE));
        var revisits = new ArrayList<SeedBatch.Revisit>(due.size());
        offering.clear();
        for (var page : due) {
            var last =
                    follower.line(page.last()).filter(entry -> entry.firstLine() == page.first());
            var revisit = last.flatMap(entry -> RecrawlList.revisit(entry, target.urls()));
            if (revisit.filter(it -> target.isWanted().test(it.candidate().url())).isPresent()) {
                revisits.add(revisit.get());
                offering.add(page);
            } else {
                schedule.drop(page);
                dropped.incrementAndGet();
            }
        }
        if (!offering.isEmpty()) {
            batch++;
            schedule.offering(offering, batch, now);
        }
        return revisits;
    }

    /**
     * Ends the visits of pages that count as queued although the frontier had nothing queued before
     * the last lines were read: their hosts were given up, which the log has no lines for.
     */
    private synchronized void releaseQueued() throws IOException {
        var now = clock.instant();
        if (mayBeQueued && !now.isBefore(released.plus(RELEASE_INTERVAL))) {
            schedule.releaseQueued(now);
            released = now;
            mayBeQueued = false;
        }
    }

    private boolean isIdle() {
        var ledger = target.frontier().ledger();
        return ledger.queued() + ledger.leased() == 0;
    }

    private void store(SeedBatch due) throws InterruptedException {
        var status = target.frontier().offerSeeds(due, clock.instant());
        while (!closed && status instanceof CommitStatus.Pending) {
            Thread.sleep(STORE_INTERVAL);
            status = target.frontier().flush();
        }
        if (!closed) {
            synchronized (this) {
                schedule.offered(offering);
                stored = batch;
                mayBeQueued = true;
            }
        }
    }

    /**
     * Makes the pages of a list due at once.
     *
     * @return those that the schedule does not have
     */
    List<SeedBatch.Revisit> request(List<SeedBatch.Revisit> listed) throws IOException {
        var _ = follow(); // The schedule has all pages of a list then.
        return requestKnown(listed);
    }

    private synchronized List<SeedBatch.Revisit> requestKnown(List<SeedBatch.Revisit> listed)
            throws IOException {
        var others = new ArrayList<SeedBatch.Revisit>();
        for (var revisit : listed) {
            var last = revisit.last().line();
            var first = follower.line(last).map(PageLogEntry::firstLine);
            if (first.isEmpty() || !schedule.request(first.get(), last)) {
                others.add(revisit);
            }
        }
        if (others.size() < listed.size()) {
            schedule.force(); // The position after the list is stored next.
        }
        return others;
    }

    /** Counts a push for pages that changed, according to their site. */
    synchronized void changed(List<CrawlUrl> urls, Instant at) throws IOException {
        follower.changed(urls, at);
    }

    synchronized RevisitStatistics statistics() {
        return schedule.statistics(clock.instant());
    }

    /**
     * Stops after the batch in progress, and reads what was committed last, for a limited time; the
     * next opening reads the rest.
     */
    @Override
    public void close() throws IOException {
        closed = true;
        thread.interrupt();
        try (schedule;
                follower) {
            thread.join();
            var end = clock.instant().plus(CLOSE_TIME);
            while (clock.instant().isBefore(end) && !hasFailed && followBatch()) {}
            var _ = releaseAbandoned();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
