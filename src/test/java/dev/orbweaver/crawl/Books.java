package dev.orbweaver.crawl;

import dev.orbweaver.frontier.Batch;
import dev.orbweaver.frontier.Candidate;
import dev.orbweaver.frontier.DeadLetter;
import dev.orbweaver.frontier.Explanation;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.FrontierBlockedException;
import dev.orbweaver.frontier.Lease;
import dev.orbweaver.frontier.Outcome;
import dev.orbweaver.frontier.PassingFrontier;
import dev.orbweaver.frontier.Pause;
import dev.orbweaver.frontier.Settlement;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.JobId;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Stands between a simulated crawl and its frontier and keeps books of its own: where every URL is,
 * by what went through the calls alone. After each call they are compared. So a URL that is leased
 * twice at once, settled twice, lost or made up is found at the step where it happens, and the line
 * of ready hosts is seen to be a line: nobody is served again before those who stood behind it.
 */
final class Books extends PassingFrontier {

    private enum Place {
        QUEUED,
        LEASED,
        FINAL
    }

    private static final class Line {
        private long servedAt = -1;
        private long mustLetBy;
    }

    private final boolean inLine;
    private final Map<Fingerprint, CrawlUrl> urls = new HashMap<>();
    private final Map<Fingerprint, Place> places = new HashMap<>();
    private final Map<Long, Fingerprint> held = new HashMap<>();
    private final Map<Long, Instant> deadlines = new HashMap<>();
    private final Map<String, Line> lines = new HashMap<>();
    private final List<CrawlUrl> underWay = new ArrayList<>();
    private boolean withheld;
    private long served;

    /**
     * Books of an empty frontier.
     *
     * @param inLine whether hosts leave the line only by being served, so that its order can be
     *     checked
     */
    Books(Frontier inner, boolean inLine) {
        super(inner);
        this.inLine = inLine;
    }

    /**
     * A new process has opened the frontier. Whatever was known before the call that the old one
     * died in must be as it was; what that call was about may have happened or not. Where the power
     * failed, an older state may have come back, so only that it is one state is checked.
     */
    void reopened(Frontier opened, boolean powerFailed) {
        inner = opened;
        withheld = false;
        held.clear();
        deadlines.clear();
        lines.clear();
        underWay.forEach(url -> urls.putIfAbsent(url.key(), url));
        var interrupted = underWay.stream().map(CrawlUrl::key).toList();
        underWay.clear();
        for (var url : List.copyOf(urls.values())) {
            var before = places.get(url.key());
            var after = place(opened.explain(JobId.ONLY, url));
            var expected = before == Place.LEASED ? Place.QUEUED : before;
            if (after.orElse(null) != expected
                    && !powerFailed
                    && !interrupted.contains(url.key())) {
                throw new AssertionError(
                        url + " was " + before + " and is " + after + " after reopening");
            }
            after.ifPresentOrElse(
                    place -> places.put(url.key(), place),
                    () -> {
                        places.remove(url.key());
                        urls.remove(url.key());
                    });
        }
        compare();
    }

    private static Optional<Place> place(Explanation explanation) {
        return switch (explanation) {
            case Explanation.NeverAccepted _ -> Optional.empty();
            case Explanation.Queued _ -> Optional.of(Place.QUEUED);
            case Explanation.Leased _ -> Optional.of(Place.LEASED);
            case Explanation.Dead _, Explanation.Settled _, Explanation.Excluded _ ->
                    Optional.of(Place.FINAL);
        };
    }

    /** Both sums hold, and the frontier counts what these books count. */
    private void compare() {
        if (withheld) {
            return; // It may hold leases that nobody has seen yet.
        }
        var ledger = inner.ledger();
        var queued = places.values().stream().filter(place -> place == Place.QUEUED).count();
        var done = places.values().stream().filter(place -> place == Place.FINAL).count();
        if (!ledger.balances()
                || ledger.accepted() != places.size()
                || ledger.queued() != queued
                || ledger.leased() != held.size()
                || ledger.done() + ledger.dead() + ledger.withdrawn() != done) {
            throw new AssertionError(
                    "%s, but %d URLs, %d queued, %d leased, %d at their end"
                            .formatted(ledger, places.size(), queued, held.size(), done));
        }
    }

    private <T> T compared(T result) {
        underWay.clear();
        compare();
        return result;
    }

    private void accept(List<Candidate> candidates) {
        for (var candidate : candidates) {
            if (places.putIfAbsent(candidate.url().key(), Place.QUEUED) == null) {
                urls.put(candidate.url().key(), candidate.url());
            }
        }
    }

    @Override
    public void offer(JobId job, List<Candidate> candidates, Instant now) {
        candidates.forEach(candidate -> underWay.add(candidate.url()));
        made(() -> inner.offer(job, candidates, now), () -> accept(candidates));
        var _ = compared(true);
    }

    @Override
    public List<Lease> lease(int max, Instant now) {
        loseOverdue(now);
        var leases = inner.lease(max, now);
        if (leases.isEmpty() && inner.recover()) {
            leases = inner.lease(max, now); // Those that were withheld until they were written.
        }
        withheld = leases.isEmpty() && !inner.recover();
        var ready = inLine ? inner.stats().hosts().ready() : 0;
        for (var i = 0; i < leases.size(); i++) {
            take(leases.get(i));
            letBy(leases.get(i).url().host(), leases.size() - 1 - i + ready - 1);
        }
        if (leases.size() < max && inner.recover() && inner.outlook(now).ready()) {
            throw new AssertionError("a worker idles while a host is ready");
        }
        return compared(leases);
    }

    /** A lease holds through its deadline and not a moment longer. */
    private void loseOverdue(Instant now) {
        for (var token : List.copyOf(held.keySet())) {
            if (deadlines.getOrDefault(token, now).isBefore(now)) {
                free(token, Place.QUEUED);
            }
        }
    }

    private void take(Lease lease) {
        var key = lease.url().key();
        if (places.get(key) != Place.QUEUED) {
            throw new AssertionError("leased while " + places.get(key) + ": " + lease);
        }
        places.put(key, Place.LEASED);
        if (held.put(lease.token(), key) != null) {
            throw new AssertionError("a token given twice: " + lease);
        }
        deadlines.put(lease.token(), lease.deadline());
    }

    private void letBy(String host, long behind) {
        if (!inLine) {
            return;
        }
        served++;
        var line = lines.computeIfAbsent(host, _ -> new Line());
        if (line.servedAt >= 0 && served - line.servedAt <= line.mustLetBy) {
            throw new AssertionError(
                    host + " was served again before those who stood in line behind it");
        }
        line.servedAt = served;
        line.mustLetBy = behind;
    }

    private void free(long token, Place place) {
        var key = held.remove(token);
        deadlines.remove(token);
        if (key != null) {
            places.put(key, place);
        }
    }

    @Override
    public Optional<Instant> pass(Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        return compared(inner.pass(lease, url, address, now));
    }

    @Override
    public boolean extend(Lease lease, Instant deadline) {
        var isHeld = held.containsKey(lease.token());
        made(
                () -> agree(inner.extend(lease, deadline), lease),
                () ->
                        deadlines.computeIfPresent(
                                lease.token(), (_, old) -> deadline.isAfter(old) ? deadline : old));
        return compared(isHeld);
    }

    private void agree(boolean isHeld, Lease lease) {
        if (isHeld != held.containsKey(lease.token())) {
            throw new AssertionError("held: " + isHeld + ", but not by these books: " + lease);
        }
    }

    @Override
    public boolean release(Lease lease, Pause why, Instant now) {
        underWay.add(lease.url());
        var isHeld = held.containsKey(lease.token());
        made(
                () -> agree(inner.release(lease, why, now), lease),
                () -> free(lease.token(), Place.QUEUED));
        return compared(isHeld);
    }

    @Override
    public int settle(Batch batch, Instant now) {
        for (var settlement : batch.settlements()) {
            underWay.add(settlement.lease().url());
            settlement.found().forEach(candidate -> underWay.add(candidate.url()));
        }
        var late =
                (int)
                        batch.settlements().stream()
                                .filter(each -> !held.containsKey(each.lease().token()))
                                .count();
        made(
                () -> {
                    var refused = inner.settle(batch, now);
                    if (late != refused) {
                        throw new AssertionError(
                                refused + " settlements refused, " + late + " came too late");
                    }
                },
                () -> batch.settlements().forEach(this::book));
        return compared(late);
    }

    private void book(Settlement settlement) {
        if (held.containsKey(settlement.lease().token())) {
            free(settlement.lease().token(), after(settlement));
            accept(settlement.found());
        }
    }

    /** A call that the disk did not take has been made all the same. */
    private static void made(Runnable call, Runnable book) {
        try {
            call.run();
        } catch (FrontierBlockedException e) {
            book.run();
            throw e;
        }
        book.run();
    }

    private static Place after(Settlement settlement) {
        return switch (settlement.outcome()) {
            case Outcome.Done _, Outcome.Dead _, Outcome.Withdrawn _ -> Place.FINAL;
            case Outcome.Respelled _, Outcome.Retry _ -> Place.QUEUED;
        };
    }

    @Override
    public void slowDown(String host, Duration delay) {
        inner.slowDown(host, delay);
        var _ = compared(true);
    }

    @Override
    public void deleteJob(JobId job, Instant now) {
        throw new AssertionError("a crawl has one job and keeps it");
    }

    @Override
    public long revive(JobId job, Predicate<DeadLetter> which, Instant now) {
        throw new AssertionError("a crawl takes no dead letter back");
    }
}
