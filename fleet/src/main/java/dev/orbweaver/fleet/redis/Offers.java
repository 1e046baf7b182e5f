package dev.orbweaver.fleet.redis;

import dev.orbweaver.fleet.redis.OfferRequest.OfferedUrl;
import dev.orbweaver.fleet.redis.ScriptConstants.Counter;
import dev.orbweaver.fleet.redis.ScriptConstants.CounterGroup;
import dev.orbweaver.fleet.redis.ScriptConstants.OfferMode;
import dev.orbweaver.fleet.redis.ScriptConstants.OfferResult;
import dev.orbweaver.internal.frontier.AcceptedUrl;
import dev.orbweaver.internal.frontier.AdmissionHook;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.IntakeLimits;
import dev.orbweaver.internal.frontier.Priority;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.Refusal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.IntSupplier;
import java.util.function.Predicate;

/**
 * Offers URLs: checks this worker's cache, calls the admission hook, and sends them to the shards
 * of their hosts, which accept each once.
 *
 * <p>Only the shard knows whether a URL is new, so the hook is notified after the shard's reply
 * ({@link AdmissionHook#reportNew}). The hooks of several workers may see a URL.
 */
final class Offers {

    /** Maximum URLs per script call: a few milliseconds of Redis's time. */
    private static final int AT_ONCE = 500;

    /** Number of pages from which a host is no longer new; the shard decides which it is. */
    private static final int NEW_HOST_PAGES = 0;

    private static final int KNOWN_HOST_PAGES = Integer.MAX_VALUE;

    /** The offers for one shard. */
    private static final class OfferBatch {
        private final List<OfferRequest.CounterChange> counters = new ArrayList<>();
        private final List<OfferedUrl> urls = new ArrayList<>();
    }

    private final Shards shards;
    private final IntSupplier worker;
    private final SeenCache cache;
    private final BiConsumer<QueuedUrl, Boolean> onResult;
    private final Map<Integer, IntakeLimits> limits = new HashMap<>();
    private final Map<Integer, AdmissionHook> admissionHooks = new HashMap<>();
    private final Map<Integer, HostSet> excluded = new HashMap<>();
    private final Map<Integer, OfferBatch> batches = new TreeMap<>();

    /**
     * URLs already in the batches, so that a link that occurs twice on a page counts as one new
     * URL.
     */
    private final Set<UrlId> pending = new HashSet<>();

    /**
     * @param worker this worker's number in the fleet, read when it is needed
     * @param verdicts receives for each sent URL whether it was accepted
     */
    Offers(
            Shards shards,
            IntSupplier worker,
            SeenCache cache,
            BiConsumer<QueuedUrl, Boolean> verdicts) {
        this.shards = shards;
        this.worker = worker;
        this.cache = cache;
        this.onResult = verdicts;
    }

    void setLimits(int job, IntakeLimits to) {
        limits.put(job, to);
    }

    IntakeLimits limits(int job) {
        return limits.getOrDefault(job, IntakeLimits.NONE);
    }

    /** Returns the maximum URLs per host of a job; 0 for none. */
    int hostLimit(int job) {
        var limit = limits(job).urlsPerHost();
        return limit == Integer.MAX_VALUE ? 0 : limit;
    }

    boolean isExcluded(int job, String host) {
        return excluded.getOrDefault(job, HostSet.NONE).contains(host);
    }

    void setAdmissionHook(int job, AdmissionHook admissionHook) {
        admissionHooks.put(job, admissionHook);
    }

    /** Returns whether a list of excluded hosts was ever set. */
    boolean hasExclusions(int job) {
        return excluded.containsKey(job);
    }

    void exclude(int job, HostSet hosts) {
        excluded.put(job, hosts);
    }

    void removeJob(int job) {
        limits.remove(job);
        admissionHooks.remove(job);
        excluded.remove(job);
        cache.clear();
    }

    void count(int job, String counter, long by) {
        batch(Math.floorMod(job, shards.all().size()))
                .counters
                .add(new OfferRequest.CounterChange(job, counter, by));
    }

    void countRefused(int job, Map<Refusal, Integer> refused) {
        refused.forEach((why, count) -> count(job, CounterGroup.refused(why), count));
    }

    /**
     * @param parent the capture's line in this worker's log, 0 for none
     */
    void add(int job, List<Candidate> candidates, long parent, long now) {
        var origin = parent == 0 ? CaptureRef.NONE : new CaptureRef(worker.getAsInt(), parent);
        var duplicates = 0;
        for (var candidate : candidates) {
            var url = candidate.url();
            if (cache.contains(job, url.key()) || !pending.add(new UrlId(job, url.key()))) {
                duplicates++;
                continue;
            }
            batch(shards.shardOf(url.host())).urls.add(offered(job, candidate, origin, now));
        }
        if (duplicates > 0) {
            count(job, Counter.DUPLICATES.text(), duplicates);
        }
    }

    private OfferedUrl offered(int job, Candidate candidate, CaptureRef origin, long now) {
        var url = candidate.url();
        var out = isExcluded(job, url.host());
        var hook = admissionHooks.getOrDefault(job, AdmissionHook.NONE);
        var lowered = out ? 0 : hook.priorityPenalty(url, candidate.hop(), 0);
        return new OfferedUrl(
                out ? OfferMode.EXCLUDED : OfferMode.OFFER,
                new QueuedUrl(
                        new AcceptedUrl(
                                job,
                                url,
                                candidate.hop(),
                                candidate.depth(),
                                candidate.hops(),
                                origin,
                                rank(candidate, NEW_HOST_PAGES, lowered),
                                now),
                        false,
                        0,
                        0,
                        candidate.notBefore() > now ? candidate.notBefore() : 0),
                hostLimit(job),
                rank(candidate, KNOWN_HOST_PAGES, lowered));
    }

    /**
     * Returns the calls that offer a batch of a seed list. They depend on the batch alone, and not
     * on the cache of this worker, so that another worker that reads the batch again sends the same
     * calls, which the shards do not execute again.
     *
     * @param candidates those of the batch that are not offered in another way
     * @param number of the batch, greater than all numbers of earlier batches and their lines
     */
    List<Shards.ShardCall<?>> seedCalls(
            int job, List<CrawlUrl> visited, List<Candidate> candidates, long number, long now) {
        var byShard = new TreeMap<Integer, List<OfferedUrl>>();
        for (var url : visited) {
            var facts = new AcceptedUrl(job, url, Hop.SEED, 0, 0, CaptureRef.NONE, 0, now);
            byShard.computeIfAbsent(shards.shardOf(url.host()), _ -> new ArrayList<>())
                    .add(
                            new OfferedUrl(
                                    OfferMode.VISITED, new QueuedUrl(facts, false, 0, 0, 0), 0, 0));
        }
        for (var candidate : candidates) {
            byShard.computeIfAbsent(shards.shardOf(candidate.url().host()), _ -> new ArrayList<>())
                    .add(offered(job, candidate, CaptureRef.NONE, now));
        }
        var calls = new ArrayList<Shards.ShardCall<?>>();
        byShard.forEach(
                (shard, urls) -> {
                    for (var from = 0; from < urls.size(); from += AT_ONCE) {
                        var some = urls.subList(from, Math.min(from + AT_ONCE, urls.size()));
                        calls.add(
                                new Shards.ShardCall<>(
                                        new OfferRequest(shard, List.of(), List.copyOf(some)),
                                        reply -> onReply(shard, some, reply),
                                        new Shards.CallOrigin.SeedReader(
                                                job, number + from / AT_ONCE)));
                    }
                });
        return calls;
    }

    private static int rank(Candidate candidate, int pages, int lowered) {
        return Priority.rank(Priority.score(candidate, pages) - lowered);
    }

    /** Adds a URL that moves from another host and becomes the first of its queue. */
    void addMoved(QueuedUrl url) {
        send(OfferMode.MOVED, url, 0, url.url().rank());
    }

    private void send(OfferMode mode, QueuedUrl url, int limit, int knownHostRank) {
        batch(shards.shardOf(url.url().url().host()))
                .urls
                .add(new OfferedUrl(mode, url, limit, knownHostRank));
    }

    private OfferBatch batch(int shard) {
        return batches.computeIfAbsent(shard, _ -> new OfferBatch());
    }

    int size() {
        return pending.size();
    }

    boolean hasUrls() {
        return batches.values().stream().anyMatch(batch -> !batch.urls.isEmpty());
    }

    /** Returns whether there are unsent URLs of a host. */
    boolean hasUrlsOf(String host) {
        var batch = batches.get(shards.shardOf(host));
        return batch != null
                && batch.urls.stream().anyMatch(each -> each.url().url().url().host().equals(host));
    }

    /** Returns whether there are unsent URLs of a host that is not one of this worker's. */
    boolean hasForeignHost(Predicate<String> own) {
        return batches.values().stream()
                .flatMap(batch -> batch.urls.stream())
                .anyMatch(each -> !own.test(each.url().url().url().host()));
    }

    List<Shards.ShardCall<?>> takeCalls() {
        var shardCalls = new ArrayList<Shards.ShardCall<?>>();
        batches.forEach(
                (shard, offerBatch) -> {
                    var from = 0;
                    do {
                        shardCalls.add(offerCall(shard, offerBatch, from));
                        from += AT_ONCE;
                    } while (from < offerBatch.urls.size());
                });
        batches.clear();
        pending.clear();
        return shardCalls;
    }

    private Shards.ShardCall<?> offerCall(int shard, OfferBatch offerBatch, int from) {
        var to = Math.min(from + AT_ONCE, offerBatch.urls.size());
        var counters = from == 0 ? offerBatch.counters : List.<OfferRequest.CounterChange>of();
        var urls = List.copyOf(offerBatch.urls.subList(from, to));
        return new Shards.ShardCall<>(
                new OfferRequest(shard, counters, urls), reply -> onReply(shard, urls, reply));
    }

    private void onReply(int shard, List<OfferedUrl> sent, OfferRequest.Reply reply) {
        if (reply.due() != Long.MAX_VALUE) {
            shards.get(shard).markReady(reply.due());
            shards.agenda.sooner(shard, reply.due());
        }
        var results = reply.results();
        // A call that was executed for another reader of the same seed list has no results.
        for (var i = 0; i < results.size(); i++) {
            var facts = sent.get(i).url().url();
            var taken = results.get(i) == OfferResult.ACCEPTED;
            if (taken || results.get(i) == OfferResult.DUPLICATE) {
                cache.add(facts.job(), facts.url().key());
                admissionHooks
                        .getOrDefault(facts.job(), AdmissionHook.NONE)
                        .reportNew(facts.url(), facts.hop(), facts.parent().line(), taken);
            }
            onResult.accept(sent.get(i).url(), taken);
        }
    }
}
