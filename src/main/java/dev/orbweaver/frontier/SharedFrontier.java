package dev.orbweaver.frontier;

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
import java.util.concurrent.locks.LockSupport;

/**
 * One frontier for several crawls. Each crawl works on a {@link #view} of its own, in which its job
 * is the only one; hosts, their delays and the turns are shared.
 *
 * <p>One thread deals: it knows how many leases each crawl wants, leases for all of them at once,
 * so that the frontier's turns come out by weight, and lays each lease where its crawl finds it. A
 * crawl that stops wanting, because it is paused or over, gives back what lies there.
 */
public final class SharedFrontier implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SharedFrontier.class);
    private static final Duration NAP_MAX = Duration.ofMillis(200);
    private static final Duration NAP_MIN = Duration.ofMillis(1);

    /** A crawl's place at the table. */
    private static final class Seat {
        private final Queue<Lease> dealt = new ArrayDeque<>();
        private int wants;
        private Thread crawl = Thread.currentThread();
    }

    private final Frontier whole;
    private final InstantSource clock;
    private final int atOnce;
    private final Map<JobId, Seat> seats = new HashMap<>();
    private final Thread dealer;
    private Optional<Throwable> failure = Optional.empty();
    private volatile boolean closed;

    /**
     * Shares a frontier, which the caller closes after this.
     *
     * @param atOnce how many leases may be out at the same time, of all jobs together
     */
    public SharedFrontier(Frontier whole, int atOnce, InstantSource clock) {
        this.whole = whole;
        this.atOnce = atOnce;
        this.clock = clock;
        this.dealer = Thread.ofPlatform().daemon().name("dealer").start(this::deal);
    }

    /**
     * A job's part of the frontier; closing it leaves the job as it is.
     *
     * @param folder goes before the names of the crawl's output files, which must differ between
     *     jobs
     */
    public Frontier view(JobId job, String folder) {
        return new JobFrontier(this, whole, job, folder, Optional.empty());
    }

    /** The same with the marks of the crawl's output files written down beside the frontier. */
    public Frontier view(JobId job, Marks marks) {
        return new JobFrontier(this, whole, job, "", Optional.of(marks));
    }

    /** What goes before the names of a job's files, by which they are forgotten with the job. */
    public static String folderOf(JobId job) {
        return "jobs/" + job.number() + "/";
    }

    Instant now() {
        return clock.instant();
    }

    private void deal() {
        try {
            while (!closed) {
                try {
                    dealOnce();
                } catch (FrontierBlockedException e) {
                    LOG.debug("nothing to deal just now: {}", e.getMessage());
                    LockSupport.parkNanos(this, NAP_MAX.toNanos());
                }
            }
        } catch (Throwable e) { // Without its dealer no crawl gets a lease, so all must end.
            LOG.error("no more leases can be dealt", e);
            fail(e);
        }
    }

    private void dealOnce() {
        var wanted = wanted();
        var room = (int) Math.max(0, atOnce - whole.ledger().leased());
        var leases =
                wanted.isEmpty() || room == 0
                        ? List.<Lease>of()
                        : whole.lease(room, wanted, clock.instant());
        leases.forEach(this::handOut);
        if (leases.isEmpty()) {
            nap(wanted.isEmpty());
        }
    }

    private synchronized Map<JobId, Integer> wanted() {
        var wanted = new HashMap<JobId, Integer>();
        seats.forEach(
                (job, seat) -> {
                    if (seat.wants > 0) {
                        wanted.put(job, seat.wants);
                    }
                });
        return wanted;
    }

    private void handOut(Lease lease) {
        Optional<Thread> crawl = Optional.empty();
        synchronized (this) {
            var seat = seats.get(lease.job());
            if (seat != null) {
                seat.dealt.add(lease);
                seat.wants--;
                crawl = Optional.of(seat.crawl);
            }
        }
        crawl.ifPresentOrElse(LockSupport::unpark, () -> giveBack(List.of(lease)));
    }

    /** Until the next host's turn comes, or until somebody wants something. */
    private void nap(boolean nobodyWants) {
        var now = clock.instant();
        var until = nobodyWants ? Optional.<Instant>empty() : whole.outlook(now).nextDue();
        var nap = until.map(due -> Duration.between(now, due)).orElse(NAP_MAX);
        nap = nap.compareTo(NAP_MAX) > 0 ? NAP_MAX : nap;
        nap = nap.compareTo(NAP_MIN) < 0 ? NAP_MIN : nap;
        LockSupport.parkNanos(this, nap.toNanos());
    }

    /** Why no more leases are dealt, if so; that does not mend itself. */
    public synchronized Optional<Throwable> failure() {
        return failure;
    }

    private synchronized void fail(Throwable error) {
        failure = Optional.of(error);
        seats.values().forEach(seat -> LockSupport.unpark(seat.crawl));
    }

    /** What was dealt to a job, no more than {@code max}; from now on it wants the rest of them. */
    List<Lease> take(JobId job, int max) {
        var taken = new ArrayList<Lease>();
        var tooMany = new ArrayList<Lease>();
        synchronized (this) {
            failure.ifPresent(
                    error -> {
                        throw error instanceof FrontierFailedException failed
                                ? failed
                                : new IllegalStateException("no more leases can be dealt", error);
                    });
            var seat = seats.computeIfAbsent(job, _ -> new Seat());
            seat.crawl = Thread.currentThread();
            while (taken.size() < max && !seat.dealt.isEmpty()) {
                taken.add(seat.dealt.remove());
            }
            seat.wants = max - taken.size();
            tooMany.addAll(seat.dealt);
            seat.dealt.clear();
        }
        giveBack(tooMany);
        if (max > taken.size()) {
            LockSupport.unpark(dealer);
        }
        return taken;
    }

    /** Something has changed that may have made a host ready. */
    void stirred() {
        LockSupport.unpark(dealer);
    }

    /** A job's crawl is over, or leaves off. */
    void leave(JobId job) {
        List<Lease> left;
        synchronized (this) {
            var seat = seats.remove(job);
            left = seat == null ? List.of() : List.copyOf(seat.dealt);
        }
        giveBack(left);
    }

    private void giveBack(List<Lease> leases) {
        for (var lease : leases) {
            var now = clock.instant();
            try {
                var _ = whole.release(lease, new Pause.Stopping(now), now);
            } catch (FrontierBlockedException e) {
                LOG.warn("a lease is given back in memory only: {}", e.getMessage());
            } catch (FrontierFailedException e) {
                LOG.warn("a lease is given back when the frontier is opened again");
            }
        }
    }

    /** Deals no more. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(dealer);
        try {
            dealer.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
