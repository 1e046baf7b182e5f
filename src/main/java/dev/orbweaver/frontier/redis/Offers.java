package dev.orbweaver.frontier.redis;

import static dev.orbweaver.frontier.redis.RedisLink.bytes;
import static dev.orbweaver.frontier.redis.RedisLink.string;

import dev.orbweaver.frontier.Candidate;
import dev.orbweaver.frontier.FrontierEvent.Accepted;
import dev.orbweaver.frontier.FrontierEvent.Restored;
import dev.orbweaver.frontier.IntakeLimits;
import dev.orbweaver.frontier.Priority;
import dev.orbweaver.frontier.Usher;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.LogLine;
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

/**
 * What comes in: looked up in this worker's memory, shown to the usher, then sent to the shards at
 * home, where it is taken in once. Only the shard knows whether a URL is new, so the usher learns
 * that from the shard's answer ({@link Usher#judged}). A URL may be shown to the ushers of several
 * workers.
 */
final class Offers {

    /** As many URLs as one script takes in; a few milliseconds of Redis's time. */
    private static final int AT_ONCE = 500;

    /** Pages from which on a host is no longer hardly known; which it is, the shard decides. */
    private static final int YOUNG = 0;

    private static final int KNOWN = Integer.MAX_VALUE;

    /** One shard's part of what is being taken in. */
    private static final class Part {
        private final List<byte[]> counters = new ArrayList<>();
        private final List<byte[]> urls = new ArrayList<>();
        private final List<Restored> sent = new ArrayList<>();
    }

    private final Shards shards;
    private final IntSupplier worker;
    private final SeenCache cache;
    private final BiConsumer<Restored, Boolean> verdicts;
    private final Map<Integer, IntakeLimits> limits = new HashMap<>();
    private final Map<Integer, Usher> ushers = new HashMap<>();
    private final Map<Integer, HostSet> excluded = new HashMap<>();
    private final Map<Integer, Part> parts = new TreeMap<>();

    /** What is in the parts already, so that a link twice on a page is one newcomer. */
    private final Set<UrlId> pending = new HashSet<>();

    /**
     * Offers into shards.
     *
     * @param worker this worker's number in the fleet, asked for when it is needed
     * @param verdicts is told of each URL that was sent whether it was taken in
     */
    Offers(
            Shards shards,
            IntSupplier worker,
            SeenCache cache,
            BiConsumer<Restored, Boolean> verdicts) {
        this.shards = shards;
        this.worker = worker;
        this.cache = cache;
        this.verdicts = verdicts;
    }

    void limit(int job, IntakeLimits to) {
        limits.put(job, to);
    }

    IntakeLimits limitOf(int job) {
        return limits.getOrDefault(job, IntakeLimits.NONE);
    }

    void show(int job, Usher usher) {
        ushers.put(job, usher);
    }

    /** Whether a list of hosts to be left alone was ever given. */
    boolean excludes(int job) {
        return excluded.containsKey(job);
    }

    void exclude(int job, HostSet hosts) {
        excluded.put(job, hosts);
    }

    void forget(int job) {
        limits.remove(job);
        ushers.remove(job);
        excluded.remove(job);
        cache.clear();
    }

    /** Counts something of a job. */
    void count(int job, String field, long by) {
        var part = part(Math.floorMod(job, shards.all().size()));
        part.counters.add(bytes(job));
        part.counters.add(bytes(field));
        part.counters.add(bytes(by));
    }

    void turnAway(int job, Map<Refusal, Integer> refused) {
        refused.forEach((why, count) -> count(job, "r." + why.word(), count));
    }

    /**
     * Adds what was found in a capture.
     *
     * @param parent the capture's line in this worker's log, 0 for none
     */
    void add(int job, List<Candidate> candidates, long parent, long now) {
        var origin = parent == 0 ? 0 : LogLine.of(worker.getAsInt(), parent);
        var barred = excluded.getOrDefault(job, HostSet.NONE);
        var usher = ushers.getOrDefault(job, Usher.NONE);
        var limit = limitOf(job).urlsPerHost();
        var duplicates = 0;
        for (var candidate : candidates) {
            var url = candidate.url();
            if (cache.contains(job, url.key()) || !pending.add(new UrlId(job, url.key()))) {
                duplicates++;
                continue;
            }
            var out = barred.contains(url.host());
            var lowered = out ? 0 : usher.lowers(url, candidate.hop(), 0);
            var record =
                    new Restored(
                            new Accepted(
                                    job,
                                    url,
                                    candidate.hop(),
                                    candidate.depth(),
                                    candidate.hops(),
                                    origin,
                                    band(candidate, YOUNG, lowered),
                                    now),
                            false,
                            0,
                            0,
                            0);
            send(
                    out ? "x" : "o",
                    record,
                    limit == Integer.MAX_VALUE ? 0 : limit,
                    band(candidate, KNOWN, lowered),
                    Records.writeTail(record));
        }
        if (duplicates > 0) {
            count(job, "dup", duplicates);
        }
    }

    private static int band(Candidate candidate, int pages, int lowered) {
        return Priority.band(Math.max(0, Priority.score(candidate, pages) - lowered));
    }

    /** A URL comes over from another host, to be first here. */
    void arrive(Restored url) {
        send("r", url, 0, url.url().band(), Records.write(url));
    }

    private void send(String mode, Restored url, int limit, int bandLater, byte[] record) {
        var facts = url.url();
        var part = part(shards.of(facts.url().host()));
        part.urls.add(bytes(mode));
        part.urls.add(bytes(facts.job()));
        part.urls.add(bytes(facts.url().host()));
        part.urls.add(bytes(limit));
        part.urls.addAll(fingerprint(facts.url()));
        part.urls.add(bytes(facts.band()));
        part.urls.add(bytes(bandLater));
        part.urls.add(record);
        part.sent.add(url);
    }

    /** The low 32 bits, which a Lua number holds, and all 64 as text, which it would not. */
    static List<byte[]> fingerprint(CrawlUrl url) {
        var high = url.key().high();
        return List.of(bytes(high & 0xFFFF_FFFFL), bytes(high));
    }

    private Part part(int shard) {
        return parts.computeIfAbsent(shard, _ -> new Part());
    }

    /** How many URLs were added and not taken yet. */
    int size() {
        return pending.size();
    }

    /** Everything that was added, as errands. */
    List<Shards.Errand> take() {
        var errands = new ArrayList<Shards.Errand>();
        parts.forEach(
                (shard, part) -> {
                    var from = 0;
                    do {
                        errands.add(errand(shard, part, from));
                        from += AT_ONCE;
                    } while (from < part.sent.size());
                });
        parts.clear();
        pending.clear();
        return errands;
    }

    private Shards.Errand errand(int shard, Part part, int from) {
        var to = Math.min(from + AT_ONCE, part.sent.size());
        var args = new ArrayList<byte[]>();
        var counters = from == 0 ? part.counters : List.<byte[]>of();
        args.add(bytes(counters.size() / 3));
        args.addAll(counters);
        args.addAll(part.urls.subList(9 * from, 9 * to));
        var sent = List.copyOf(part.sent.subList(from, to));
        return new Shards.Errand(shard, Script.OFFER, args, answer -> told(sent, string(answer)));
    }

    private void told(List<Restored> sent, String letters) {
        for (var i = 0; i < sent.size(); i++) {
            var facts = sent.get(i).url();
            var taken = letters.charAt(i) == '1';
            if (taken || letters.charAt(i) == '0') {
                cache.add(facts.job(), facts.url().key());
                ushers.getOrDefault(facts.job(), Usher.NONE)
                        .judged(facts.url(), facts.hop(), LogLine.line(facts.parent()), taken);
            }
            verdicts.accept(sent.get(i), taken);
        }
    }
}
