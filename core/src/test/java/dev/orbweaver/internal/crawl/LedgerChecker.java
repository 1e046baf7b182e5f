package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.CrawlHooks;
import dev.orbweaver.internal.frontier.DeferredLinks;
import dev.orbweaver.internal.frontier.FrontierAdmin;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.NextWork;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.frontier.SeedBatch;
import dev.orbweaver.internal.frontier.SeedPosition;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.internal.frontier.UrlState;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Wraps the frontier of a simulated crawl and keeps its own ledger: where every URL is, derived
 * only from the calls. After each call both are compared. So a URL that is leased twice at once,
 * settled twice, lost or invented is found at the step where it happens. It also checks that ready
 * hosts are served first in, first out.
 */
final class LedgerChecker implements CrawlFrontier {

    private enum UrlLocation {
        QUEUED,
        LEASED,
        FINAL
    }

    private static final class HostTurn {
        private long servedAt = -1;
        private long mustPass;
    }

    private CrawlFrontier inner;
    private final boolean checkFifo;
    private final Map<Fingerprint, CrawlUrl> urls = new HashMap<>();
    private final Map<Fingerprint, UrlLocation> locations = new HashMap<>();
    private final Map<Long, Fingerprint> held = new HashMap<>();
    private final Map<Long, Instant> deadlines = new HashMap<>();
    private final Map<String, HostTurn> hostTurns = new HashMap<>();
    private final List<CrawlUrl> uncertainUrls = new ArrayList<>();
    private boolean withheld;
    private long served;

    /**
     * Creates the ledger of an empty frontier.
     *
     * @param inLine whether hosts leave the queue of ready hosts only by being served, so that its
     *     order can be checked
     */
    LedgerChecker(FrontierAdmin frontier, boolean inLine) {
        this.inner = frontier.job(TestFrontier.JOB);
        this.checkFifo = inLine;
    }

    /**
     * Handles a new process that has opened the frontier. State from before the call in which the
     * old process died must be unchanged; that call itself may have been applied or not. After a
     * power failure an older state may be restored, so only its consistency is checked.
     */
    void reopened(FrontierAdmin opened, boolean powerFailed) {
        inner = opened.job(TestFrontier.JOB);
        withheld = false;
        held.clear();
        deadlines.clear();
        hostTurns.clear();
        uncertainUrls.forEach(url -> urls.putIfAbsent(url.key(), url));
        var interrupted = uncertainUrls.stream().map(CrawlUrl::key).toList();
        uncertainUrls.clear();
        for (var url : List.copyOf(urls.values())) {
            var before = locations.get(url.key());
            var after = location(opened.explain(TestFrontier.JOB, url));
            var expected = before == UrlLocation.LEASED ? UrlLocation.QUEUED : before;
            if (after.orElse(null) != expected
                    && !powerFailed
                    && !interrupted.contains(url.key())) {
                throw new AssertionError(
                        url + " was " + before + " and is " + after + " after reopening");
            }
            after.ifPresentOrElse(
                    urlLocation -> locations.put(url.key(), urlLocation),
                    () -> {
                        locations.remove(url.key());
                        urls.remove(url.key());
                    });
        }
        compare();
    }

    private static Optional<UrlLocation> location(UrlState urlState) {
        return switch (urlState) {
            case UrlState.NeverAccepted _ -> Optional.empty();
            case UrlState.Queued _ -> Optional.of(UrlLocation.QUEUED);
            case UrlState.Leased _ -> Optional.of(UrlLocation.LEASED);
            case UrlState.Dead _, UrlState.Settled _, UrlState.Excluded _ ->
                    Optional.of(UrlLocation.FINAL);
        };
    }

    /** Checks both sums and compares the frontier's counts with these. */
    private void compare() {
        if (withheld) {
            return; // It may have leases that were not returned yet.
        }
        var ledger = inner.ledger();
        var queued =
                locations.values().stream()
                        .filter(urlLocation -> urlLocation == UrlLocation.QUEUED)
                        .count();
        var done =
                locations.values().stream()
                        .filter(urlLocation -> urlLocation == UrlLocation.FINAL)
                        .count();
        if (!ledger.balances()
                || ledger.accepted() != locations.size()
                || ledger.queued() != queued
                || ledger.leased() != held.size()
                || ledger.done() + ledger.dead() + ledger.withdrawn() != done) {
            throw new AssertionError(
                    "%s, but %d URLs, %d queued, %d leased, %d at their end"
                            .formatted(ledger, locations.size(), queued, held.size(), done));
        }
    }

    /** Compares after a change; the disk may or may not have one that is pending. */
    private <T> T compared(T result) {
        if (result instanceof CommitStatus.Pending) {
            return result;
        }
        uncertainUrls.clear();
        compare();
        return result;
    }

    private void accept(List<Candidate> candidates) {
        for (var candidate : candidates) {
            if (locations.putIfAbsent(candidate.url().key(), UrlLocation.QUEUED) == null) {
                urls.put(candidate.url().key(), candidate.url());
            }
        }
    }

    @Override
    public void setActive(boolean active) {
        inner.setActive(active);
    }

    @Override
    public CommitStatus offer(List<Candidate> candidates, Instant now) {
        candidates.forEach(candidate -> uncertainUrls.add(candidate.url()));
        var status = inner.offer(candidates, now);
        accept(candidates);
        return compared(status);
    }

    @Override
    public CommitStatus offerSeeds(SeedBatch batch, Instant now) {
        throw new UnsupportedOperationException("the simulation has no seed lists");
    }

    @Override
    public List<SeedPosition> seedPositions() {
        return inner.seedPositions();
    }

    @Override
    public void forEachSeedHost(Consumer<String> action) {
        inner.forEachSeedHost(action);
    }

    @Override
    public List<Lease> lease(int max, Instant now) {
        loseOverdue(now);
        var leases = inner.lease(max, now);
        if (leases.isEmpty() && inner.flush().isStored()) {
            leases = inner.lease(max, now); // Leases withheld until they were stored.
        }
        withheld = leases.isEmpty() && !inner.flush().isStored();
        var ready = checkFifo ? inner.stats().hosts().ready() : 0;
        for (var i = 0; i < leases.size(); i++) {
            take(leases.get(i));
            passOver(leases.get(i).url().host(), leases.size() - 1 - i + ready - 1);
        }
        if (leases.size() < max && inner.flush().isStored() && inner.nextWork(now).ready()) {
            throw new AssertionError("a worker idles while a host is ready");
        }
        return compared(leases);
    }

    /** A lease is valid through its deadline. */
    private void loseOverdue(Instant now) {
        for (var token : List.copyOf(held.keySet())) {
            if (deadlines.getOrDefault(token, now).isBefore(now)) {
                free(token, UrlLocation.QUEUED);
            }
        }
    }

    private void take(Lease lease) {
        var key = lease.url().key();
        if (locations.get(key) != UrlLocation.QUEUED) {
            throw new AssertionError("leased while " + locations.get(key) + ": " + lease);
        }
        locations.put(key, UrlLocation.LEASED);
        if (held.put(lease.token(), key) != null) {
            throw new AssertionError("a token given twice: " + lease);
        }
        deadlines.put(lease.token(), lease.deadline());
    }

    private void passOver(String host, long behind) {
        if (!checkFifo) {
            return;
        }
        served++;
        var hostTurn = hostTurns.computeIfAbsent(host, _ -> new HostTurn());
        if (hostTurn.servedAt >= 0 && served - hostTurn.servedAt <= hostTurn.mustPass) {
            throw new AssertionError(
                    host + " was served again before those who stood in line behind it");
        }
        hostTurn.servedAt = served;
        hostTurn.mustPass = behind;
    }

    private void free(long token, UrlLocation urlLocation) {
        var key = held.remove(token);
        deadlines.remove(token);
        if (key != null) {
            locations.put(key, urlLocation);
        }
    }

    @Override
    public Optional<Instant> passGates(
            Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        return compared(inner.passGates(lease, url, address, now));
    }

    @Override
    public CommitStatus extend(Lease lease, Instant deadline) {
        var status = inner.extend(lease, deadline);
        agree(status, lease);
        deadlines.computeIfPresent(
                lease.token(), (_, old) -> deadline.isAfter(old) ? deadline : old);
        return compared(status);
    }

    /** A pending change was not rejected, as far as is known. */
    private void agree(CommitStatus status, Lease lease) {
        var rejected = status instanceof CommitStatus.Rejected;
        if (status.isStored() && rejected == held.containsKey(lease.token())) {
            throw new AssertionError(status + ", which these books do not agree with: " + lease);
        }
    }

    @Override
    public CommitStatus release(Lease lease, ReleaseReason why, Instant now) {
        uncertainUrls.add(lease.url());
        var status = inner.release(lease, why, now);
        agree(status, lease);
        free(lease.token(), UrlLocation.QUEUED);
        return compared(status);
    }

    @Override
    public CommitStatus settle(CommitBatch commitBatch, Instant now) {
        for (var settlement : commitBatch.settlements()) {
            uncertainUrls.add(settlement.lease().url());
            settlement.outlinks().forEach(candidate -> uncertainUrls.add(candidate.url()));
        }
        var late =
                (int)
                        commitBatch.settlements().stream()
                                .filter(each -> !held.containsKey(each.lease().token()))
                                .count();
        var status = inner.settle(commitBatch, now);
        if (status.isStored() && !status.equals(CommitStatus.ofRejected(late))) {
            throw new AssertionError(status + ", but " + late + " came too late");
        }
        commitBatch.settlements().forEach(this::recordSettlement);
        return compared(status);
    }

    private void recordSettlement(Settlement settlement) {
        if (held.containsKey(settlement.lease().token())) {
            free(settlement.lease().token(), after(settlement));
            accept(settlement.outlinks());
        }
    }

    private static UrlLocation after(Settlement settlement) {
        return switch (settlement.outcome()) {
            case Outcome.Done _, Outcome.Dead _, Outcome.Withdrawn _ -> UrlLocation.FINAL;
            case Outcome.EquivalentRedirect _, Outcome.Retry _ -> UrlLocation.QUEUED;
        };
    }

    @Override
    public CommitStatus setCrawlDelay(String host, Duration delay) {
        return compared(inner.setCrawlDelay(host, delay));
    }

    @Override
    public FingerprintKey fingerprintKey() {
        return inner.fingerprintKey();
    }

    @Override
    public void attach(CrawlHooks hooks) {
        inner.attach(hooks);
    }

    @Override
    public void sent(Lease lease, Instant now) {
        inner.sent(lease, now);
    }

    @Override
    public CommitStatus offerDeferred(
            long capture, List<Candidate> found, Map<Refusal, Integer> refused, Instant now) {
        throw new AssertionError("a simulated crawl defers no links");
    }

    @Override
    public DeferredLinks deferredLinks() {
        return inner.deferredLinks();
    }

    @Override
    public CommitStatus flush() {
        return inner.flush();
    }

    @Override
    public NextWork nextWork(Instant now) {
        return inner.nextWork(now);
    }

    @Override
    public List<CrawlUrl> seedsFrom(int position) {
        return inner.seedsFrom(position);
    }

    @Override
    public List<CrawlUrl> seeds() {
        return inner.seeds();
    }

    @Override
    public List<CommittedLength> committedLengths() {
        return inner.committedLengths();
    }

    @Override
    public long queuedBytes() {
        return inner.queuedBytes();
    }

    @Override
    public Ledger ledger() {
        return inner.ledger();
    }

    @Override
    public FrontierStats stats() {
        return inner.stats();
    }

    @Override
    public void close() {
        inner.close();
    }
}
