package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.JobId;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Shares one frontier between several crawls.
 *
 * <p>Each crawl works on its own {@link #view}, in which its job is the only one. Hosts, their
 * delays and the turns are shared.
 *
 * <p>One dispatcher thread knows how many leases each crawl wants. It leases for all of them at
 * once, so that turns are shared by weight, and puts each lease into its crawl's slot. A crawl that
 * is paused or has ended returns the leases that it has not taken.
 */
public final class SharedFrontier implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SharedFrontier.class);
    private static final Duration WAIT_MAX = Duration.ofMillis(200);
    private static final Duration WAIT_MIN = Duration.ofMillis(1);

    private static final class JobSlot {
        private final Queue<Lease> assigned = new ArrayDeque<>();
        private Thread crawl = Thread.currentThread();
    }

    private final FrontierAdmin frontier;
    private final InstantSource clock;
    private final int maxLeases;
    private final Map<JobId, JobSlot> jobSlots = new HashMap<>();

    /** How many leases each job wants that wants any; the frontier reads it without a lock. */
    private final Map<JobId, Integer> wanted = new ConcurrentHashMap<>();

    private final Thread dispatcher;
    private Optional<Throwable> failure = Optional.empty();
    private volatile boolean closed;

    /**
     * Shares a frontier. The caller closes the frontier after this.
     *
     * @param atOnce maximum number of outstanding leases of all jobs together
     */
    public SharedFrontier(FrontierAdmin whole, int atOnce, InstantSource clock) {
        this.frontier = whole;
        this.maxLeases = atOnce;
        this.clock = clock;
        this.dispatcher = Thread.ofPlatform().daemon().name("dealer").start(this::dispatch);
    }

    /**
     * Returns a job's view of the frontier; closing it leaves the job unchanged.
     *
     * @param directory prefix of the names of the crawl's output files, which must differ between
     *     jobs
     */
    public CrawlFrontier view(JobId job, String directory) {
        return new JobFrontier(this, frontier.job(job), job, directory, Optional.empty());
    }

    /** Returns a view that stores the lengths of the crawl's output files beside the frontier. */
    public CrawlFrontier view(JobId job, CommittedLengths committedLengths) {
        return new JobFrontier(this, frontier.job(job), job, "", Optional.of(committedLengths));
    }

    /** Returns the prefix of the names of a job's files, which are deleted with the job. */
    public static String directoryOf(JobId job) {
        return "jobs/" + job.number() + "/";
    }

    Instant now() {
        return clock.instant();
    }

    void setActive(JobId job, boolean active) {
        frontier.setActive(List.of(job), active);
        wakeDispatcher();
    }

    boolean isExhausted(JobId job) {
        return frontier.isExhausted(job);
    }

    private void dispatch() {
        try {
            while (!closed) {
                try {
                    dispatchOnce();
                } catch (FrontierUnavailableException e) {
                    LOG.debug("could not lease URLs, retrying: {}", e.getMessage());
                    LockSupport.parkNanos(this, WAIT_MAX.toNanos());
                }
            }
        } catch (Throwable e) { // Without the dispatcher no crawl gets a lease, so all must end.
            LOG.error("lease dispatcher failed; all crawls end", e);
            fail(e);
        }
    }

    private void dispatchOnce() {
        var room = (int) Math.max(0, maxLeases - frontier.leased());
        var leases =
                wanted.isEmpty() || room == 0
                        ? List.<Lease>of()
                        : frontier.lease(room, wanted, clock.instant());
        leases.forEach(this::assign);
        if (leases.isEmpty()) {
            awaitWork(wanted.isEmpty());
        }
    }

    private void assign(Lease lease) {
        Optional<Thread> crawl = Optional.empty();
        synchronized (this) {
            var jobSlot = jobSlots.get(lease.job());
            // The crawl may have ended or been paused since the demand was read.
            if (jobSlot != null && wanted.containsKey(lease.job())) {
                jobSlot.assigned.add(lease);
                setWanted(lease.job(), wanted.get(lease.job()) - 1);
                crawl = Optional.of(jobSlot.crawl);
            }
        }
        crawl.ifPresentOrElse(LockSupport::unpark, () -> release(List.of(lease)));
    }

    /** Waits until the next host is due, or until a crawl wants leases. */
    private void awaitWork(boolean noDemand) {
        var now = clock.instant();
        var until = noDemand ? Optional.<Instant>empty() : frontier.nextDue(now);
        var nap = until.map(due -> Duration.between(now, due)).orElse(WAIT_MAX);
        nap = nap.compareTo(WAIT_MAX) > 0 ? WAIT_MAX : nap;
        nap = nap.compareTo(WAIT_MIN) < 0 ? WAIT_MIN : nap;
        LockSupport.parkNanos(this, nap.toNanos());
    }

    /** Returns why the dispatcher failed, if it did; only a restart helps. */
    public synchronized Optional<Throwable> failure() {
        return failure;
    }

    private synchronized void fail(Throwable error) {
        failure = Optional.of(error);
        jobSlots.values().forEach(jobSlot -> LockSupport.unpark(jobSlot.crawl));
    }

    /**
     * Returns the leases dispatched to a job, at most {@code max}, and records demand for the rest.
     */
    List<Lease> take(JobId job, int max) {
        var taken = new ArrayList<Lease>();
        var tooMany = new ArrayList<Lease>();
        synchronized (this) {
            failure.ifPresent(
                    error -> {
                        throw error instanceof FrontierFailedException failed
                                ? failed
                                : new IllegalStateException("the lease dispatcher failed", error);
                    });
            var jobSlot = jobSlots.computeIfAbsent(job, _ -> new JobSlot());
            jobSlot.crawl = Thread.currentThread();
            while (taken.size() < max && !jobSlot.assigned.isEmpty()) {
                taken.add(jobSlot.assigned.remove());
            }
            setWanted(job, max - taken.size());
            tooMany.addAll(jobSlot.assigned);
            jobSlot.assigned.clear();
        }
        release(tooMany);
        if (max > taken.size()) {
            LockSupport.unpark(dispatcher);
        }
        return taken;
    }

    private void setWanted(JobId job, int count) {
        if (count > 0) {
            wanted.put(job, count);
        } else {
            wanted.remove(job);
        }
    }

    /** Wakes the dispatcher after a change that may have made a host ready. */
    void wakeDispatcher() {
        LockSupport.unpark(dispatcher);
    }

    /** Removes a job whose crawl has ended. */
    void removeJob(JobId job) {
        List<Lease> left;
        synchronized (this) {
            var jobSlot = jobSlots.remove(job);
            wanted.remove(job);
            left = jobSlot == null ? List.of() : List.copyOf(jobSlot.assigned);
        }
        release(left);
    }

    private void release(List<Lease> leases) {
        for (var lease : leases) {
            release(frontier.job(lease.job()), lease, clock.instant());
        }
    }

    /**
     * Returns a lease of a crawl that ends. If that cannot be stored, the lease ends at its
     * deadline.
     */
    static void release(CrawlFrontier frontier, Lease lease, Instant now) {
        try {
            if (frontier.release(lease, new ReleaseReason.Stopping(now), now)
                    instanceof CommitStatus.Pending(var problem)) {
                LOG.warn(
                        "released the lease of {} in memory only, could not store it: {}",
                        lease.url(),
                        problem);
            }
        } catch (FrontierFailedException e) {
            LOG.warn(
                    "could not release the lease of {}; it is released when the frontier is opened"
                            + " again",
                    lease.url());
        }
    }

    /** Stops dispatching. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(dispatcher);
        try {
            dispatcher.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
