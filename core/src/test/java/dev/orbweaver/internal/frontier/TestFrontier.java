package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.frontier.disk.DiskFrontier;
import dev.orbweaver.internal.frontier.disk.DiskSettings;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Drives a frontier in tests. Calls of a crawl name their job, and every change must be stored when
 * the call returns.
 */
public class TestFrontier implements AutoCloseable {

    /** The job of tests that need only one. */
    public static final JobId JOB = new JobId(0);

    /** Tests use the first few numbers only. */
    private static final int JOBS = 12;

    public FrontierAdmin inner;

    private boolean checksLedger;

    public TestFrontier(FrontierAdmin inner) {
        this.inner = inner;
    }

    public static TestFrontier inMemory(Politeness politeness, Instant now) {
        return new TestFrontier(WorkbenchFrontier.inMemory(politeness, now));
    }

    public static TestFrontier open(
            Disk disk, Path directory, Politeness politeness, DiskSettings settings, Instant now)
            throws IOException {
        return new TestFrontier(DiskFrontier.open(disk, directory, politeness, settings, now));
    }

    public static TestFrontier open(Disk disk, Path directory, Politeness politeness, Instant now)
            throws IOException {
        return open(disk, directory, politeness, DiskSettings.DEFAULT, now);
    }

    /** From now on the ledger must balance after every call. */
    void checkLedger() {
        checksLedger = true;
    }

    public CrawlFrontier crawl(JobId job) {
        return inner.job(job);
    }

    /** Called with the status of each change. */
    protected CommitStatus await(CommitStatus status) {
        assertThat(status.isStored()).as("%s", status).isTrue();
        return status;
    }

    private <T> T checked(T result) {
        if (checksLedger) {
            var ledger = inner.stats().ledger();
            assertThat(ledger.balances()).as("%s balances", ledger).isTrue();
            if (inner instanceof WorkbenchFrontier frontier) {
                assertThat(frontier.queued()).isEqualTo(ledger.queued());
            }
        }
        return result;
    }

    private int rejected(CommitStatus status) {
        return checked(await(status)) instanceof CommitStatus.Rejected(var leases) ? leases : 0;
    }

    private void durably(CommitStatus status) {
        assertThat(rejected(status)).isZero();
    }

    /** Checks that a change is stored completely. */
    public static void durable(CommitStatus status) {
        assertThat(status).isEqualTo(CommitStatus.durable());
    }

    public FingerprintKey fingerprintKey() {
        return crawl(JOB).fingerprintKey();
    }

    public void offer(JobId job, List<Candidate> candidates, Instant now) {
        durably(crawl(job).offer(candidates, now));
    }

    public List<Lease> lease(int max, Instant now) {
        var wanted = new HashMap<JobId, Integer>();
        for (var job = 0; job < JOBS; job++) {
            wanted.put(new JobId(job), max);
        }
        return lease(max, wanted, now);
    }

    public List<Lease> lease(int max, Map<JobId, Integer> wanted, Instant now) {
        return checked(inner.lease(max, wanted, now));
    }

    public Optional<Instant> passGates(
            Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        return checked(crawl(lease.job()).passGates(lease, url, address, now));
    }

    public void sent(Lease lease, Instant now) {
        crawl(lease.job()).sent(lease, now);
        var _ = checked(lease);
    }

    public boolean extend(Lease lease, Instant deadline) {
        return rejected(crawl(lease.job()).extend(lease, deadline)) == 0;
    }

    public boolean release(Lease lease, ReleaseReason why, Instant now) {
        return rejected(crawl(lease.job()).release(lease, why, now)) == 0;
    }

    /** Returns the number of rejected settlements. */
    public int settle(CommitBatch commitBatch, Instant now) {
        return rejected(crawl(JOB).settle(commitBatch, now));
    }

    public void setCrawlDelay(String host, Duration delay) {
        durably(crawl(JOB).setCrawlDelay(host, delay));
    }

    public void setWeight(JobId job, int weight) {
        inner.setWeight(job, weight);
    }

    public void setPoliteness(JobId job, Politeness politeness, Instant now) {
        inner.setPoliteness(job, politeness, now);
    }

    public void setActive(JobId job, boolean active) {
        inner.setActive(List.of(job), active);
    }

    public void setIntakeLimits(JobId job, IntakeLimits limits) {
        inner.setIntakeLimits(job, limits);
    }

    public void exclude(JobId job, HostSet hosts, Instant now) {
        durably(inner.exclude(job, hosts, now));
    }

    public void setAdmissionHook(JobId job, AdmissionHook admissionHook) {
        crawl(job).attach(new CrawlHooks(admissionHook, _ -> {}, Long.MAX_VALUE));
    }

    public void deleteJob(JobId job, Instant now) {
        durably(inner.deleteJob(job, now));
    }

    public long requeueDeadLetters(JobId job, Predicate<DeadLetter> which, Instant now) {
        var requeued = inner.requeueDeadLetters(job, which, now);
        durably(requeued.status());
        return requeued.urls();
    }

    public boolean flush() {
        return crawl(JOB).flush().isStored();
    }

    public void offerDeferred(
            JobId job,
            long capture,
            List<Candidate> found,
            Map<Refusal, Integer> refused,
            Instant now) {
        durably(crawl(job).offerDeferred(capture, found, refused, now));
    }

    public DeferredLinks deferredLinks(JobId job) {
        return crawl(job).deferredLinks();
    }

    public long queuedBytes() {
        return crawl(JOB).queuedBytes();
    }

    public NextWork nextWork(Instant now) {
        return checked(inner.nextWork(now));
    }

    public boolean isExhausted(JobId job) {
        return inner.isExhausted(job);
    }

    public UrlState explain(JobId job, CrawlUrl url) {
        return checked(inner.explain(job, url));
    }

    public List<CrawlUrl> seeds(JobId job) {
        return crawl(job).seeds();
    }

    public List<CommittedLength> committedLengths() {
        return inner.committedLengths();
    }

    public Ledger ledger() {
        return inner.ledger();
    }

    public Ledger ledger(JobId job) {
        return crawl(job).ledger();
    }

    public FrontierStats stats() {
        return inner.stats();
    }

    public FrontierStats stats(JobId job) {
        return inner.stats(job);
    }

    public JobHosts hosts(JobId job, int max, Instant now) {
        return inner.hosts(job, max, now);
    }

    @Override
    public void close() {
        inner.close();
    }
}
