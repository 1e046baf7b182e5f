package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A frontier and a clock that a test advances, with short names for common test steps. */
public final class Fixture implements AutoCloseable {

    /** The start time of every scenario. */
    public static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    /** The frontier under test. */
    public final TestFrontier frontier;

    /** The current time. */
    public Instant now = START;

    /** Creates a scenario with this frontier. */
    public Fixture(TestFrontier frontier) {
        this.frontier = frontier;
        frontier.checkLedger();
    }

    /** A URL. */
    public static CrawlUrl url(String text) {
        return URLS.parse(text).orElseThrow();
    }

    /** An address. */
    public static InetAddress ip(String text) {
        try {
            return InetAddress.ofLiteral(text);
        } catch (IllegalArgumentException e) {
            throw new AssertionError(text, e);
        }
    }

    /** A link one level below the seeds. */
    public static Candidate link(String text) {
        return new Candidate(url(text), Hop.LINK, 1, 0);
    }

    void offer(String... urls) {
        offer(TestFrontier.JOB, urls);
    }

    void offer(JobId job, String... urls) {
        frontier.offer(job, Arrays.stream(urls).map(Fixture::link).toList(), now);
    }

    List<Lease> leases() {
        return frontier.lease(1000, now);
    }

    /** Returns the only available lease. */
    Lease lease() {
        var leases = leases();
        assertThat(leases).hasSize(1);
        return leases.getFirst();
    }

    /** Returns the leased URLs in short form. */
    List<String> leased() {
        return leases().stream().map(lease -> lease.url().text()).toList();
    }

    void expectNothing() {
        assertThat(leases()).as("leases at %s", now).isEmpty();
    }

    void advance(Duration time) {
        now = now.plus(time);
    }

    void advance(long millis) {
        now = now.plusMillis(millis);
    }

    void settle(Lease lease, Outcome outcome, HostSignal signal) {
        var commitBatch =
                new CommitBatch(List.of(Settlement.of(lease, outcome, signal)), List.of());
        assertThat(frontier.settle(commitBatch, now)).as("settlements refused").isZero();
    }

    /** Settles a lease with a page now. */
    void done(Lease lease) {
        settle(lease, new Outcome.Done(true, 1), healthy());
    }

    /** Settles a lease with a failure now; its URL is retried after a time. */
    void failed(Lease lease, Duration retryAfter) {
        var outcome = new Outcome.Retry(now.plus(retryAfter), FailureCause.TIMEOUT);
        settle(lease, outcome, failing());
    }

    void withdrawn(Lease lease) {
        settle(lease, new Outcome.Withdrawn(Refusal.ROBOTS), new HostSignal.NoRequest());
    }

    HostSignal healthy() {
        return new HostSignal.Healthy(now);
    }

    HostSignal failing() {
        return new HostSignal.Failing(now);
    }

    Optional<Instant> pass(Lease lease, String address) {
        var closedUntil = frontier.passGates(lease, lease.url(), ip(address), now);
        if (closedUntil.isEmpty()) {
            frontier.sent(lease, now);
        }
        return closedUntil;
    }

    /** Leases and settles everything, waiting as long as necessary, and returns the order. */
    List<String> crawlAll() {
        var order = new ArrayList<String>();
        for (var nextWork = frontier.nextWork(now);
                !nextWork.isExhausted();
                nextWork = frontier.nextWork(now)) {
            for (var lease : leases()) {
                order.add(lease.url().text());
                done(lease);
            }
            frontier.nextWork(now).nextDue().ifPresent(due -> now = due);
        }
        return order;
    }

    Ledger ledger() {
        return frontier.stats().ledger();
    }

    UrlState explain(String url) {
        return frontier.explain(TestFrontier.JOB, url(url));
    }

    @Override
    public void close() {
        frontier.close();
    }
}
