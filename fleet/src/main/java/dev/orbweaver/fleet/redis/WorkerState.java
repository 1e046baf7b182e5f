package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.EventLog;
import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.JobId;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The state of one worker of a fleet: its connection, the hosts that it has claimed, and unsent
 * changes. {@link RedisFrontier} makes all calls, one at a time.
 *
 * <p>Time never goes back: a worker's clock is Redis's ({@link FleetClock}), and a time before the
 * last one is replaced by it.
 */
final class WorkerState {

    private static final long MAINTENANCE_MILLIS = 1000;

    private static final int RENEWALS_PER_LEASE = 3;

    /** For how long settlements may wait to be sent together. */
    private static final long STAGED_MILLIS = 5_000;

    /** Maximum number of them: that many pages are fetched again if this worker dies. */
    private static final int STAGED_MAX = 16;

    /** For how long they may wait if their links are on hosts that other workers may crawl. */
    private static final long STAGED_FOREIGN_MILLIS = 1_000;

    final FleetSettings settings;
    final FingerprintKey key;
    final WorkerNumber number;
    final JobSeeds seeds;
    final RedisConnection connection;
    final Shards shards;
    final ClaimedHosts claimedHosts;
    final HostClaimer hostClaimer;
    final Offers offers;
    final JobQuotas jobQuotas;
    final PageQuotas quotas;
    final Optional<Overflow> overflow;
    final SpillLoader spillLoader;
    final CrawlDelays crawlDelays = new CrawlDelays(this);
    final StoredLengths lengths;

    /** Jobs that this worker does not crawl at present, though it did or will. */
    final Set<JobId> inactiveJobs = new HashSet<>();

    long latestTime;

    /** When the first settlement that is not sent was applied; 0 if there is none. */
    private long stagedAt;

    private int staged;

    /** Pages that this worker has settled. */
    long settledPages;

    private long maintainedAt;

    WorkerState(
            FleetSettings settings,
            FingerprintKey key,
            RedisConnection link,
            Politeness politeness,
            Overflow.OverflowTimings overflowTimings,
            Consumer<Overflow.Step> witness,
            UnaryOperator<EventLog> log,
            SeenCache seen,
            Instant now)
            throws IOException {
        this.settings = settings;
        this.connection = link;
        this.key = key;
        this.shards = new Shards(link, settings, key);
        this.claimedHosts =
                new ClaimedHosts(shards, settings, politeness, log, now, () -> latestTime);
        this.overflow =
                settings.overflowStore() instanceof OverflowStore.InFiles place
                        ? Optional.of(
                                new Overflow(
                                        link, shards, settings, place, overflowTimings, witness))
                        : Optional.empty();
        this.spillLoader =
                overflow.map(each -> each.spillLoader)
                        .orElseGet(() -> new SpillLoader(shards, OverflowFiles.NONE, witness));
        this.hostClaimer =
                new HostClaimer(shards, claimedHosts, settings, spillLoader, now.toEpochMilli());
        this.number = new WorkerNumber(link, settings);
        this.seeds = new JobSeeds(link, settings);
        this.offers = new Offers(shards, number::current, seen, this::onOfferReply);
        this.jobQuotas = new JobQuotas(link, shards, settings, offers);
        shards.beforeFlush(jobQuotas::reserve);
        this.quotas = new PageQuotas(link, settings);
        this.latestTime = now.toEpochMilli();
        hostClaimer.setPoliteness(politeness);
        this.lengths = new StoredLengths(this);
    }

    long advanceClock(Instant now) {
        latestTime = Math.max(latestTime, now.toEpochMilli());
        return latestTime;
    }

    Instant monotonic(Instant now) {
        return now.toEpochMilli() < advanceClock(now) ? Instant.ofEpochMilli(latestTime) : now;
    }

    /**
     * Handles the reply for an offered URL: stores a new seed, and records that a claimed host has
     * more URLs.
     */
    private void onOfferReply(QueuedUrl url, boolean taken) {
        var facts = url.url();
        if (taken) {
            claimedHosts
                    .find(facts.url().host())
                    .ifPresent(mine -> mine.jobsWithMore.add(facts.job()));
            overflow.ifPresent(each -> each.offered(1));
        }
    }

    /**
     * Sends every change of claimed hosts to its shard, after the offered links that it depends on.
     */
    CommitStatus sendChanges(Instant now) {
        stagedAt = 0;
        staged = 0;
        var offered = CommitStatus.durable();
        if (offers.hasUrls()) {
            offered = sendOffers();
            if (!offered.isStored()) {
                shards.queue(claimedHosts.commitCalls(now));
                return offered;
            }
        }
        CommitStatus status;
        do {
            var calls = new ArrayList<Shards.ShardCall<?>>(offers.takeCalls()); // Counters.
            calls.addAll(claimedHosts.commitCalls(now));
            shards.queue(calls);
            status = shards.flush(latestTime);
        } while (status.isStored() && claimedHosts.hasChanges());
        return status;
    }

    /** Sends changes of claimed hosts, unless these are settlements that may wait. */
    CommitStatus sendUrgentChanges(Instant now) {
        return claimedHosts.hasChanges() && latestTime >= stagedUntil()
                ? sendChanges(now)
                : CommitStatus.durable();
    }

    /** Notes that some settlements were applied and not sent. */
    void stage(int count) {
        stagedAt = stagedAt == 0 ? latestTime : stagedAt;
        staged += count;
    }

    boolean hasStaged() {
        return stagedAt != 0;
    }

    /**
     * Returns until when staged settlements may wait: some seconds; or until a host is due that has
     * no URLs here, but may have some in Redis after they are sent; not at all if there are many,
     * or if this worker has nothing else to do. 0 if there are none.
     */
    long stagedUntil() {
        if (stagedAt == 0 || staged >= STAGED_MAX || !claimedHosts.hasLocalWork()) {
            return 0;
        }
        var until =
                stagedAt
                        + Math.min(
                                offers.hasForeignHost(host -> claimedHosts.find(host).isPresent())
                                        ? STAGED_FOREIGN_MILLIS
                                        : STAGED_MILLIS,
                                settings.hostLease().toMillis() / RENEWALS_PER_LEASE);
        for (var mine : claimedHosts.changedHosts()) {
            var claimState = claimedHosts.local.claimState(mine.host).orElseThrow();
            if (claimState.leased() == 0
                    && claimState.waiting().isEmpty()
                    && (!mine.jobsWithMore.isEmpty() || offers.hasUrlsOf(mine.host))) {
                until =
                        Math.min(
                                until,
                                Math.max(claimState.delayedUntil(), claimState.host().restUntil()));
            }
        }
        return until;
    }

    CommitStatus sendOffers() {
        shards.queue(offers.takeCalls());
        var status = seeds.flush();
        return status.isStored() ? shards.flush(latestTime) : status;
    }

    /** Renews claims, and releases hosts that were claimed for long enough. */
    CommitStatus runMaintenance(Instant now) {
        var lease = settings.hostLease().toMillis();
        if (latestTime - maintainedAt < Math.min(MAINTENANCE_MILLIS, lease / 10)) {
            return CommitStatus.durable();
        }
        maintainedAt = latestTime;
        var back = new ArrayList<ClaimedHost>();
        var renewals = false;
        var surplus = hostClaimer.fairShare.surplus(claimedHosts.all().size(), latestTime);
        for (var mine : List.copyOf(claimedHosts.all())) {
            var claimState = claimedHosts.local.claimState(mine.host).orElseThrow();
            var far = Math.max(claimState.delayedUntil(), claimState.host().restUntil());
            if (claimState.leased() == 0
                    && (latestTime - mine.claimedAt > lease || far > latestTime + lease)) {
                back.add(mine);
            } else if (claimState.leased() == 0 && surplus > 0) {
                surplus--;
                back.add(mine); // For a worker that has fewer hosts.
            } else if (latestTime - mine.renewedAt > lease / RENEWALS_PER_LEASE) {
                mine.markChanged();
                renewals = true;
            }
        }
        if (!back.isEmpty()) {
            var status = sendChanges(now); // Links before the settlements of these hosts.
            if (!status.isStored()) {
                return status;
            }
            back.removeIf(mine -> claimedHosts.find(mine.host).filter(mine::equals).isEmpty());
            shards.queue(claimedHosts.commitCalls(back, ClaimedHosts.ReleaseMode.IDLE, now));
        }
        if (!back.isEmpty()
                || renewals
                || (claimedHosts.hasChanges() && latestTime >= stagedUntil())) {
            var status = sendChanges(now);
            if (!status.isStored()) {
                return status;
            }
        }
        overflow.ifPresent(each -> each.runMaintenance(latestTime));
        return CommitStatus.durable();
    }

    void spillAll() throws IOException {
        if (overflow.isPresent()) {
            overflow.get().spillAll(latestTime);
        }
    }

    void addOffers(int job, List<Candidate> candidates, long parent) {
        seeds.collect(job, candidates);
        if (JobQuotas.isLimited(offers.limits(job))) {
            jobQuotas.enqueue(job, candidates, parent);
        } else {
            offers.add(job, candidates, parent, latestTime);
        }
        if (overflow.isPresent() && offers.size() >= overflow.get().maxOfferBatch()) {
            flushOffers(overflow.get());
        }
    }

    /** Sends the pending offers, and frees memory for those that follow. */
    private void flushOffers(Overflow files) {
        var _ = sendOffers(); // Pending calls are reported after all offers.
        files.runMaintenance(latestTime);
    }

    <T> T query(Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends Future<T>> command) {
        try {
            return connection.execute(command);
        } catch (IOException e) {
            throw RedisUnavailableException.ofFrontier(e);
        }
    }

    CommitStatus flush() {
        var status = sendPending();
        if (status instanceof CommitStatus.Pending(var problem) && !problem.unreachable()) {
            // Redis may have no memory left; moving URLs to files can free some.
            overflow.ifPresent(each -> each.reduceMemory(latestTime));
        }
        return status;
    }

    private CommitStatus sendPending() {
        try {
            var status = seeds.flush();
            status = status.isStored() ? shards.flush(latestTime) : status;
            status = status.isStored() ? crawlDelays.send() : status;
            return status.isStored() ? lengths.send() : status;
        } catch (FrontierUnavailableException e) {
            return new CommitStatus.Pending(e.problem());
        }
    }

    CommitStatus releaseIdleHosts(Instant now) {
        var idle =
                claimedHosts.all().stream()
                        .filter(
                                mine ->
                                        claimedHosts
                                                        .local
                                                        .claimState(mine.host)
                                                        .orElseThrow()
                                                        .leased()
                                                == 0)
                        .toList();
        shards.queue(claimedHosts.commitCalls(idle, ClaimedHosts.ReleaseMode.IDLE, now));
        return sendChanges(now);
    }

    boolean mayHaveExpired(ClaimedHost mine) {
        return latestTime - mine.renewedAt > settings.hostLease().toMillis() * 2 / 3;
    }
}
