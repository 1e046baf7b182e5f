package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.fleet.redis.ScriptConstants.ShardKey;
import dev.orbweaver.fleet.redis.SpillRequest.QueueSwap;
import dev.orbweaver.fleet.redis.SpillRequest.Tail;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Moves queued URLs of one shard into a file.
 *
 * <p>It takes the longest queues first, until half of the shard's URLs are in the file, so that
 * ranges are as long as possible. The URLs after the last range of a queue become a new range,
 * merged with the ranges before it that are no longer than what follows them. So a queue of n URLs
 * has about log n ranges, and a URL is copied at most about log n times.
 *
 * <p>A worker may die after any of the steps. The shard records the file before it exists; before
 * it is on disk nothing refers to it; then one script replaces the URLs with the range, if these
 * are still where they were read. A file without references is deleted later ({@link Overflow}).
 */
final class Spiller {

    private static final Logger LOG = LoggerFactory.getLogger(Spiller.class);

    /** Maximum URLs moved at a time, and in a range. */
    private static final int URLS_MAX = 20_000;

    /** Maximum URLs read at once: until they are fetched, Redis has them in memory twice. */
    private static final int READ_MAX = 2_000;

    private static final int QUEUES_AT_ONCE = 100;

    /** Maximum time that a worker may take from the first step to the last. */
    private static final Duration SPILL_LEASE = Duration.ofSeconds(60);

    private static final Duration BEGUN_MAX = Duration.ofMinutes(10);

    private final RedisConnection connection;
    private final Shards shards;
    private final OverflowFiles files;
    private final Consumer<Overflow.Step> stepListener;

    Spiller(
            RedisConnection link,
            Shards shards,
            OverflowFiles files,
            Consumer<Overflow.Step> witness) {
        this.connection = link;
        this.shards = shards;
        this.files = files;
        this.stepListener = witness;
    }

    /** Returns how many URLs were moved. */
    int run(Shards.Shard shard, long now) throws IOException {
        var chosen = choose(tails(shard, now));
        if (chosen.isEmpty()) {
            return 0;
        }
        var name = OverflowFiles.newName();
        if (!shards.query(
                new SpillRequest.BeginFile(shard.number, SPILL_LEASE.toMillis(), name), now)) {
            return 0; // Another worker moves URLs of this shard.
        }
        stepListener.accept(Overflow.Step.BEGUN);
        var moved = 0;
        var swaps = write(shard, name, chosen, now);
        stepListener.accept(Overflow.Step.WRITTEN);
        for (var from = 0; from < swaps.size(); from += QUEUES_AT_ONCE) {
            var some = swaps.subList(from, Math.min(from + QUEUES_AT_ONCE, swaps.size()));
            moved += swap(shard, name, some, now);
            stepListener.accept(Overflow.Step.SWAPPED);
        }
        var _ = shards.query(new SpillRequest.EndFile(shard.number), now);
        return moved;
    }

    private List<Tail> tails(Shards.Shard shard, long now) throws IOException {
        var tails = new ArrayList<Tail>();
        for (var each : connection.execute(redis -> redis.smembers(ShardKey.JOBS.of(shard)))) {
            var job = Integer.parseInt(string(each));
            var cursor = SpillRequest.ListTails.START;
            do {
                var page = shards.query(new SpillRequest.ListTails(shard.number, job, cursor), now);
                cursor = page.cursor();
                tails.addAll(page.tails());
            } while (!cursor.equals(SpillRequest.ListTails.START));
        }
        return tails;
    }

    /**
     * Returns the longest queues, by job: with half of all URLs, or the maximum that is moved at a
     * time.
     */
    private static Map<Integer, List<Tail>> choose(List<Tail> tails) {
        var all = tails.stream().mapToLong(Tail::length).sum();
        var enough = Math.min((all + 1) / 2, URLS_MAX);
        var chosen = new TreeMap<Integer, List<Tail>>();
        var sorted =
                tails.stream().sorted(Comparator.comparingInt(Tail::length).reversed()).toList();
        var sum = 0L;
        for (var tail : sorted) {
            if (sum >= enough) {
                break;
            }
            sum += Math.min(tail.length(), READ_MAX);
            chosen.computeIfAbsent(tail.job(), _ -> new ArrayList<>()).add(tail);
        }
        return chosen;
    }

    private List<QueueSwap> write(
            Shards.Shard shard, String name, Map<Integer, List<Tail>> chosen, long now)
            throws IOException {
        var swaps = new ArrayList<QueueSwap>();
        try (var out = files.create(shard.number, name)) {
            for (var each : chosen.entrySet()) {
                for (var some : readBatches(each.getValue())) {
                    write(shard, some, out, swaps, now);
                }
            }
            out.finish();
        }
        return swaps;
    }

    private static List<List<Tail>> readBatches(List<Tail> all) {
        var portions = new ArrayList<List<Tail>>();
        var remaining = 0;
        for (var tail : all) {
            var size = Math.min(tail.length(), READ_MAX);
            if (size > remaining) {
                portions.add(new ArrayList<>());
                remaining = READ_MAX;
            }
            portions.getLast().add(tail);
            remaining -= size;
        }
        return portions;
    }

    private void write(
            Shards.Shard shard,
            List<Tail> some,
            OverflowFiles.Writer out,
            List<QueueSwap> swaps,
            long now)
            throws IOException {
        var peek = new SpillRequest.Peek(shard.number, some.getFirst().job(), READ_MAX, some);
        var queues = shards.query(peek, now);
        for (var i = 0; i < some.size(); i++) {
            var elements = queues.get(i);
            if (!elements.isEmpty() && !SpilledRange.isSpilledRange(elements.getLast())) {
                swaps.add(write(shard, some.get(i), elements, out));
            }
        }
    }

    private QueueSwap write(
            Shards.Shard shard, Tail tail, List<byte[]> elements, OverflowFiles.Writer out)
            throws IOException {
        var from = elements.size();
        while (from > 0 && !SpilledRange.isSpilledRange(elements.get(from - 1))) {
            from--;
        }
        var hot = elements.subList(from, elements.size());
        var merged = mergeable(elements, from);
        for (var record : readAll(shard, merged)) {
            out.add(record);
        }
        for (var record : hot) {
            out.add(record);
        }
        var first = from - merged.size();
        return new QueueSwap(
                tail,
                first,
                elements.size(),
                List.of(elements.get(first), elements.getLast()),
                out.endRange(),
                merged.stream().map(SpilledRange::file).toList(),
                hot.size());
    }

    /** Returns the ranges before an index of a queue that are no longer than what follows them. */
    private static List<SpilledRange> mergeable(List<byte[]> elements, int place) {
        var merged = new ArrayList<SpilledRange>();
        var total = elements.size() - place;
        for (var i = place - 1; i >= 0 && SpilledRange.isSpilledRange(elements.get(i)); i--) {
            var before = SpilledRange.decode(elements.get(i));
            if (before.count() > total || before.count() + total > URLS_MAX) {
                break;
            }
            merged.addFirst(before);
            total += before.count();
        }
        return merged;
    }

    /**
     * Reads the URLs of ranges; if one of them cannot be read, returns none and empties {@code
     * merged}.
     */
    private List<byte[]> readAll(Shards.Shard shard, List<SpilledRange> merged) {
        var records = new ArrayList<byte[]>();
        try {
            for (var spilledRange : merged) {
                records.addAll(
                        files.read(shard.number, spilledRange, spilledRange.count()).records());
            }
        } catch (IOException e) {
            LOG.warn("could not read ranges to merge, leaving them unchanged: {}", e.getMessage());
            merged.clear();
            records.clear();
        }
        return records;
    }

    private int swap(Shards.Shard shard, String name, List<QueueSwap> some, long now) {
        var moved = 0;
        var byJob = some.stream().collect(Collectors.groupingBy(swap -> swap.queue().job()));
        for (var each : byJob.entrySet()) {
            var swaps = each.getValue();
            var request =
                    new SpillRequest.Swap(
                            shard.number, name, BEGUN_MAX.toMillis(), each.getKey(), swaps);
            var done = shards.query(request, now);
            for (var i = 0; i < swaps.size(); i++) {
                moved += done.get(i) ? swaps.get(i).urlsInRedis() : 0;
            }
        }
        return moved;
    }
}
