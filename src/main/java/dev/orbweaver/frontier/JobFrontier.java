package dev.orbweaver.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.url.FingerprintKey;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * One job's part of a {@link SharedFrontier}. Its crawl need not know that there are others: it
 * speaks of {@link JobId#ONLY}, and its own job is meant, whatever that one's number.
 *
 * <p>An outlook is that of the job as far as the ledger tells it: whether anything is left. Which
 * of the hosts that wait are its own is not asked, as that would mean to look at all of them; so a
 * job among others is never given up for nothing but resting hosts.
 */
final class JobFrontier implements Frontier {

    private static final Logger LOG = LoggerFactory.getLogger(JobFrontier.class);
    private static final Duration ASK_AGAIN = Duration.ofMillis(200);

    private final SharedFrontier table;
    private final Frontier whole;
    private final JobId own;
    private final String folder;
    private final Optional<Marks> marks;

    /** What is out, by token. */
    private final Map<Long, Lease> out = new ConcurrentHashMap<>();

    /** Batches whose marks could not be written down, so that they could not be settled either. */
    private final Queue<Batch> owed = new ArrayDeque<>();

    JobFrontier(
            SharedFrontier table, Frontier whole, JobId own, String folder, Optional<Marks> marks) {
        this.table = table;
        this.whole = whole;
        this.own = own;
        this.folder = folder;
        this.marks = marks;
    }

    @Override
    public FingerprintKey fingerprintKey() {
        return whole.fingerprintKey();
    }

    @Override
    public void offer(JobId job, List<Candidate> candidates, Instant now) {
        whole.offer(own, candidates, now);
        table.stirred();
    }

    @Override
    public List<Lease> lease(int max, Instant now) {
        var leases = table.take(own, max);
        leases.forEach(lease -> out.put(lease.token(), lease));
        return leases;
    }

    @Override
    public List<Lease> lease(int max, Map<JobId, Integer> wanted, Instant now) {
        return lease(Math.min(max, wanted.getOrDefault(JobId.ONLY, 0)), now);
    }

    @Override
    public Optional<Instant> pass(Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        return whole.pass(lease, url, address, now);
    }

    @Override
    public void sent(Lease lease, Instant now) {
        whole.sent(lease, now);
    }

    @Override
    public boolean extend(Lease lease, Instant deadline) {
        return whole.extend(lease, deadline);
    }

    @Override
    public boolean release(Lease lease, Pause why, Instant now) {
        out.remove(lease.token());
        var held = whole.release(lease, why, now);
        table.stirred();
        return held;
    }

    @Override
    public synchronized int settle(Batch batch, Instant now) {
        if (marks.isPresent()) {
            owed.add(batch);
            return payOff(now);
        }
        var named = batch.marks().stream().map(mark -> mark.named(folder + mark.name())).toList();
        return settled(new Batch(batch.settlements(), named), now);
    }

    /** First the marks: what is settled must be found in the files by whoever comes after us. */
    private int payOff(Instant now) {
        var refused = 0;
        for (var batch = owed.peek(); batch != null; batch = owed.peek()) {
            try {
                marks.orElseThrow().keep(batch.marks());
            } catch (IOException e) {
                throw new FrontierBlockedException(e);
            }
            owed.remove(); // From here on it is the frontier's.
            refused += settled(new Batch(batch.settlements(), List.of()), now);
        }
        return refused;
    }

    private int settled(Batch batch, Instant now) {
        batch.settlements().forEach(settlement -> out.remove(settlement.lease().token()));
        var refused = whole.settle(batch, now);
        table.stirred();
        return refused;
    }

    @Override
    public void slowDown(String host, Duration delay) {
        whole.slowDownAtLeast(host, delay);
    }

    @Override
    public void slowDownAtLeast(String host, Duration delay) {
        whole.slowDownAtLeast(host, delay);
    }

    @Override
    public void weigh(JobId job, int weight) {
        whole.weigh(own, weight);
    }

    @Override
    public void keepTo(JobId job, Politeness politeness, Instant now) {
        whole.keepTo(own, politeness, now);
    }

    @Override
    public void limit(JobId job, IntakeLimits limits) {
        whole.limit(own, limits);
    }

    @Override
    public void limitPages(JobId job, long pages) {
        whole.limitPages(own, pages);
    }

    @Override
    public void whenRevoked(JobId job, Consumer<Lease> abort) {
        whole.whenRevoked(own, abort);
    }

    @Override
    public void exclude(JobId job, HostSet hosts, Instant now) {
        whole.exclude(own, hosts, now);
        table.stirred();
    }

    @Override
    public void show(JobId job, Usher usher) {
        whole.show(own, usher);
    }

    @Override
    public void deleteJob(JobId job, Instant now) {
        table.leave(own);
        whole.deleteJob(own, now);
    }

    @Override
    public long revive(JobId job, Predicate<DeadLetter> which, Instant now) {
        var revived = whole.revive(own, which, now);
        table.stirred();
        return revived;
    }

    @Override
    public synchronized boolean recover() {
        try {
            var _ = payOff(table.now());
        } catch (FrontierBlockedException e) {
            return false;
        }
        return whole.recover();
    }

    @Override
    public boolean isAway() {
        return whole.isAway();
    }

    @Override
    public void takeUp(
            JobId job,
            long capture,
            List<Candidate> found,
            Map<Refusal, Integer> refused,
            Instant now) {
        whole.takeUp(own, capture, found, refused, now);
        table.stirred();
    }

    @Override
    public DeferredLinks deferred(JobId job) {
        return whole.deferred(own);
    }

    @Override
    public long queuedBytes() {
        return whole.queuedBytes();
    }

    @Override
    public Outlook outlook(Instant now) {
        var waiting = !whole.exhausted(own);
        return new Outlook(
                false,
                (int) Math.min(Integer.MAX_VALUE, whole.ledger(own).leased()),
                waiting ? 1 : 0,
                waiting ? Optional.of(now.plus(ASK_AGAIN)) : Optional.empty(),
                "");
    }

    @Override
    public boolean exhausted(JobId job) {
        return whole.exhausted(own);
    }

    @Override
    public Explanation explain(JobId job, CrawlUrl url) {
        return whole.explain(own, url);
    }

    @Override
    public List<CrawlUrl> seeds(JobId job) {
        return whole.seeds(own);
    }

    @Override
    public List<FileMark> marks() {
        return marks.map(Marks::last).orElseGet(this::marksInFrontier);
    }

    private List<FileMark> marksInFrontier() {
        return whole.marks().stream()
                .filter(mark -> mark.name().startsWith(folder))
                .map(mark -> mark.named(mark.name().substring(folder.length())))
                .toList();
    }

    @Override
    public Ledger ledger() {
        return whole.ledger(own);
    }

    @Override
    public Ledger ledger(JobId job) {
        return whole.ledger(own);
    }

    @Override
    public FrontierStats stats() {
        return whole.stats(own);
    }

    @Override
    public FrontierStats stats(JobId job) {
        return whole.stats(own);
    }

    @Override
    public JobHosts hosts(JobId job, int max, Instant now) {
        return whole.hosts(own, max, now);
    }

    /** A crawl that broke off leaves URLs out, which nobody else would get until they are lost. */
    private void giveBackTheRest() {
        for (var lease : List.copyOf(out.values())) {
            try {
                var _ = release(lease, new Pause.Stopping(table.now()), table.now());
            } catch (FrontierBlockedException e) {
                LOG.warn("a lease is given back in memory only: {}", e.getMessage());
            } catch (FrontierFailedException e) {
                LOG.warn("a lease is given back when the frontier is opened again");
            }
        }
    }

    /** The frontier outlives the crawl and must not keep it in memory. */
    private void forgetCrawl() {
        whole.whenRevoked(own, _ -> {});
        try {
            whole.show(own, Usher.NONE);
        } catch (FrontierFailedException e) {
            LOG.debug("it ends with the frontier", e);
        }
    }

    @Override
    public void close() {
        giveBackTheRest();
        table.leave(own);
        forgetCrawl();
        try {
            if (marks.isPresent()) {
                marks.get().close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the marks of the outputs cannot be closed", e);
        }
    }
}
