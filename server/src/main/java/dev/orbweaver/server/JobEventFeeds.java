package dev.orbweaver.server;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.JobId;
import dev.orbweaver.server.metrics.RequestTimes;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Holds the event feeds of jobs. A feed is opened on first use and closed when it is idle.
 *
 * <p>Opening or closing a feed is slow, and a directory must not be opened twice, so every job has
 * its own lock. The lookup of an open feed takes no lock: a crawl that has committed lines does not
 * wait for a caller of another job.
 */
final class JobEventFeeds implements Jobs.JobListener, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(JobEventFeeds.class);
    private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration TICK_INTERVAL = Duration.ofSeconds(1);

    interface FeedOpener {
        JobEventFeed open(Jobs jobs, JobRecord job) throws IOException, ConfigException;
    }

    private final Map<JobId, Slot> slots = new ConcurrentHashMap<>();
    private final RequestTimes times;
    private final FeedOpener feedOpener;
    private final Duration idleTimeout;
    private @Nullable Jobs jobs;
    private @Nullable Thread ticker;
    private volatile boolean closed;
    private volatile Consumer<JobId> beforeDeletion = _ -> {};
    private volatile Runnable eachSecond = () -> {};

    JobEventFeeds(RequestTimes times) {
        this(times, JobEventFeed::new, IDLE_TIMEOUT);
    }

    /**
     * @param idle how long an unused feed stays open
     */
    JobEventFeeds(RequestTimes times, FeedOpener feedOpener, Duration idle) {
        this.times = times;
        this.feedOpener = feedOpener;
        this.idleTimeout = idle;
    }

    /** Sets the jobs. Must be called once, before any other method. */
    void attach(Jobs all) {
        jobs = all;
        ticker = Thread.ofVirtual().name("job event ticker").start(this::run);
    }

    /** Sets what is called while a job that is being deleted still has its counts. */
    void beforeDeletion(Consumer<JobId> action) {
        beforeDeletion = action;
    }

    /** Sets what is called once a second. */
    void everySecond(Runnable action) {
        eachSecond = action;
    }

    private Jobs jobs() {
        return Objects.requireNonNull(jobs, "attached");
    }

    /** The slot of a job's feed, created before the feed is opened. A closed slot is not reused. */
    private static final class Slot {
        private final ReentrantLock lock = new ReentrantLock();
        private volatile @Nullable JobEventFeed feed;
        private boolean closed;

        Optional<JobEventFeed> feed() {
            return Optional.ofNullable(feed);
        }

        /** Returns the feed and opens it if necessary; empty if this slot was closed. */
        Optional<JobEventFeed> open(FeedOpener feedOpener, Jobs jobs, JobRecord job)
                throws IOException, ConfigException {
            lock.lock();
            try {
                if (closed) {
                    return Optional.empty();
                }
                var open = feed;
                if (open == null) {
                    open = feedOpener.open(jobs, job);
                    feed = open;
                }
                open.touch(); // Under the lock, so that it is not closed as idle.
                return Optional.of(open);
            } finally {
                lock.unlock();
            }
        }

        void close() {
            lock.lock();
            try {
                closeFeed();
            } finally {
                lock.unlock();
            }
        }

        /** Closes the feed if it is idle and not being opened. */
        boolean closeIf(Predicate<JobEventFeed> unneeded) {
            if (!lock.tryLock()) {
                return false;
            }
            try {
                var open = feed;
                if (open != null && !unneeded.test(open)) {
                    return false;
                }
                closeFeed();
                return true;
            } finally {
                lock.unlock();
            }
        }

        private void closeFeed() {
            var open = feed;
            closed = true;
            feed = null;
            if (open != null) {
                closeQuietly(open);
            }
        }
    }

    JobEventFeed getOrOpen(JobRecord job) throws IOException, ConfigException {
        while (true) {
            var slot = slots.computeIfAbsent(job.id(), _ -> new Slot());
            var feed = slot.open(this::open, jobs(), job);
            if (feed.isPresent()) {
                return feed.get();
            }
            slots.remove(job.id(), slot); // Another thread has closed it.
        }
    }

    private JobEventFeed open(Jobs all, JobRecord job) throws IOException, ConfigException {
        if (closed) {
            throw ProblemException.of(
                    ProblemException.UNAVAILABLE, "The service is shutting down.");
        }
        if (all.find(job.id()).isEmpty()) {
            throw ProblemException.of(
                    ProblemException.NOT_FOUND, "Job " + job.id().number() + " not found.");
        }
        return feedOpener.open(all, job);
    }

    /**
     * Returns the feed of a job; empty if it cannot be opened, because the settings are no longer
     * valid or files are damaged. Such a job can still be shown, stopped and deleted.
     */
    Optional<JobEventFeed> tryGetOrOpen(JobRecord job) {
        try {
            return Optional.of(getOrOpen(job));
        } catch (IOException | ConfigException | RuntimeException e) {
            LOG.warn(
                    "could not open the event feed of job {}: {}", job.id().number(), e.toString());
            return Optional.empty();
        }
    }

    Optional<JobEventFeed> open(JobId job) {
        return Optional.ofNullable(slots.get(job)).flatMap(Slot::feed);
    }

    /** Returns the number of lines that are not indexed yet, of all open feeds. */
    long indexLag() {
        return slots.values().stream()
                .flatMap(slot -> slot.feed().stream())
                .mapToLong(JobEventFeed::indexLag)
                .sum();
    }

    int subscriberCount() {
        return slots.values().stream()
                .flatMap(slot -> slot.feed().stream())
                .mapToInt(feed -> feed.hub().subscriberCount())
                .sum();
    }

    @Override
    public JobRecord onStateChange(JobId id, Jobs.StateWriter stateWriter) throws IOException {
        var job = jobs().find(id);
        // Recorded even without a feed, for example if a job cannot continue.
        var feed = closed ? Optional.<JobEventFeed>empty() : job.flatMap(this::tryGetOrOpen);
        return feed.isPresent()
                ? feed.get().onStateChange(stateWriter)
                : stateWriter.write(JobEventFeed.lastLine(jobs(), id));
    }

    @Override
    public void captured(JobId job, Capture capture) {
        capture.exchange().ifPresent(times::add);
    }

    @Override
    public void committed(JobId job) {
        open(job).ifPresent(JobEventFeed::onCommitted);
    }

    @Override
    public void deleted(JobId job) {
        beforeDeletion.accept(job);
        var slot = slots.get(job);
        if (slot != null) {
            slot.close();
            slots.remove(job, slot);
        }
    }

    /** Closes a feed. An index that cannot be closed continues from its last commit later. */
    private static void closeQuietly(JobEventFeed feed) {
        try {
            feed.close();
        } catch (IOException | RuntimeException e) {
            LOG.warn("could not close an event feed", e);
        }
    }

    private void run() {
        while (!closed) {
            try {
                Thread.sleep(TICK_INTERVAL);
                tick();
                runEachSecond();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void runEachSecond() {
        try {
            eachSecond.run();
        } catch (RuntimeException e) {
            LOG.warn("a periodic task failed; it is retried in a second", e);
        }
    }

    /** Updates each feed separately, so that a failure does not affect the others. */
    void tick() {
        var now = Instant.now();
        slots.forEach(
                (id, slot) -> {
                    try {
                        tick(id, slot, now);
                    } catch (RuntimeException e) {
                        LOG.warn("could not sample the statistics of job {}", id.number(), e);
                    }
                });
    }

    private void tick(JobId id, Slot slot, Instant now) {
        var job = jobs().find(id);
        job.ifPresent(known -> slot.feed().ifPresent(feed -> feed.tick(known, now)));
        if (slot.closeIf(feed -> job.isEmpty() || feed.isIdle(idleTimeout))) {
            slots.remove(id, slot);
        }
    }

    @Override
    public void close() {
        closed = true;
        var thread = ticker;
        if (thread != null) {
            thread.interrupt();
        }
        slots.values().forEach(Slot::close);
    }
}
