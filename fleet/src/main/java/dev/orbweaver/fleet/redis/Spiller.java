package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.list;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

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
 * <p>The longest queues first, until half of the shard's URLs are in the file, so that stretches
 * are as long as they can be. What is behind the last stretch of a queue becomes a stretch of its
 * own, together with those before it that are no longer than what follows them: so a queue of n
 * URLs has some log n stretches, and a URL is copied some log n times at most.
 *
 * <p>A worker may die after any of the steps. The file is known to the shard before it is made;
 * before it is on disk nothing refers to it; then one script puts the stretch in the place of the
 * URLs, if these still stand where they were read. Whatever it leaves behind is a file that nothing
 * refers to, and that is swept away ({@link Overflow}).
 */
final class Spiller {

    private static final Logger LOG = LoggerFactory.getLogger(Spiller.class);

    /** As many URLs as are moved at a time, and as a stretch has at most. */
    private static final int URLS_MAX = 20_000;

    /** As many as are read at once: until they are fetched, Redis holds them twice. */
    private static final int READ_MAX = 2_000;

    private static final int QUEUES_AT_ONCE = 100;

    /** How long a worker may take from the first step to the last. */
    private static final Duration SPILL_LEASE = Duration.ofSeconds(60);

    private static final Duration BEGUN_MAX = Duration.ofMinutes(10);

    /** A queue that ends in URLs. */
    private record QueueTail(int job, String host, String band, int length) {}

    /** What is to be put where; at its ends stand, as long as nothing has changed, these two. */
    private record SpillSwap(
            QueueTail queueTail,
            int from,
            int to,
            List<byte[]> ends,
            SpilledRange spilledRange,
            List<String> merged,
            int urlsInRedis) {}

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

    /** How many URLs were moved. */
    int run(Shards.Shard shard, long now) throws IOException {
        var chosen = choose(tails(shard, now));
        if (chosen.isEmpty()) {
            return 0;
        }
        var name = OverflowFiles.newName();
        if (query(
                        shard,
                        Script.SEGMENT,
                        now,
                        bytes("begin"),
                        bytes(SPILL_LEASE.toMillis()),
                        bytes(name))
                .isEmpty()) {
            return 0; // Another worker is at it.
        }
        stepListener.accept(Overflow.Step.BEGUN);
        var moved = 0;
        var spillSwaps = write(shard, name, chosen, now);
        stepListener.accept(Overflow.Step.WRITTEN);
        for (var from = 0; from < spillSwaps.size(); from += QUEUES_AT_ONCE) {
            var some = spillSwaps.subList(from, Math.min(from + QUEUES_AT_ONCE, spillSwaps.size()));
            moved += swap(shard, name, some, now);
            stepListener.accept(Overflow.Step.SWAPPED);
        }
        var _ = query(shard, Script.SEGMENT, now, bytes("end"));
        return moved;
    }

    private List<?> query(Shards.Shard shard, Script script, long now, byte[]... args) {
        return list(
                shards.query(List.of(Shards.queryCall(shard.number, script, args)), now)
                        .getFirst());
    }

    private List<QueueTail> tails(Shards.Shard shard, long now) throws IOException {
        var queueTails = new ArrayList<QueueTail>();
        for (var each : connection.execute(redis -> redis.smembers(bytes(shard.base + ":jobs")))) {
            var job = Integer.parseInt(string(each));
            var cursor = "0";
            do {
                var page = query(shard, Script.TAILS, now, bytes(job), bytes(cursor));
                cursor = string(page.getFirst());
                for (var i = 1; i < page.size(); i += 3) {
                    queueTails.add(
                            new QueueTail(
                                    job,
                                    string(page.get(i)),
                                    string(page.get(i + 1)),
                                    Integer.parseInt(string(page.get(i + 2)))));
                }
            } while (!cursor.equals("0"));
        }
        return queueTails;
    }

    /** The longest, by job; with half of all URLs, or as many as are moved at a time. */
    private static Map<Integer, List<QueueTail>> choose(List<QueueTail> queueTails) {
        var all = queueTails.stream().mapToLong(QueueTail::length).sum();
        var enough = Math.min((all + 1) / 2, URLS_MAX);
        var chosen = new TreeMap<Integer, List<QueueTail>>();
        var sorted =
                queueTails.stream()
                        .sorted(Comparator.comparingInt(QueueTail::length).reversed())
                        .toList();
        var sum = 0L;
        for (var queueTail : sorted) {
            if (sum >= enough) {
                break;
            }
            sum += Math.min(queueTail.length, READ_MAX);
            chosen.computeIfAbsent(queueTail.job, _ -> new ArrayList<>()).add(queueTail);
        }
        return chosen;
    }

    private List<SpillSwap> write(
            Shards.Shard shard, String name, Map<Integer, List<QueueTail>> chosen, long now)
            throws IOException {
        var spillSwaps = new ArrayList<SpillSwap>();
        try (var out = files.create(shard.number, name)) {
            for (var each : chosen.entrySet()) {
                for (var some : readBatches(each.getValue())) {
                    write(shard, some, out, spillSwaps, now);
                }
            }
            out.finish();
        }
        return spillSwaps;
    }

    /** Queues of which no more is read at once than fits. */
    private static List<List<QueueTail>> readBatches(List<QueueTail> all) {
        var portions = new ArrayList<List<QueueTail>>();
        var room = 0;
        for (var queueTail : all) {
            var size = Math.min(queueTail.length, READ_MAX);
            if (size > room) {
                portions.add(new ArrayList<>());
                room = READ_MAX;
            }
            portions.getLast().add(queueTail);
            room -= size;
        }
        return portions;
    }

    private void write(
            Shards.Shard shard,
            List<QueueTail> some,
            OverflowFiles.Writer out,
            List<SpillSwap> spillSwaps,
            long now)
            throws IOException {
        var args = new ArrayList<byte[]>();
        args.add(bytes(some.getFirst().job));
        args.add(bytes(READ_MAX));
        for (var queueTail : some) {
            args.add(bytes(queueTail.host));
            args.add(bytes(queueTail.band));
        }
        var queues = query(shard, Script.PEEK, now, args.toArray(byte[][]::new));
        for (var i = 0; i < some.size(); i++) {
            var elements = list(queues.get(i)).stream().map(byte[].class::cast).toList();
            if (!elements.isEmpty() && !SpilledRange.isSpilledRange(elements.getLast())) {
                spillSwaps.add(write(shard, some.get(i), elements, out));
            }
        }
    }

    private SpillSwap write(
            Shards.Shard shard,
            QueueTail queueTail,
            List<byte[]> elements,
            OverflowFiles.Writer out)
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
        return new SpillSwap(
                queueTail,
                first,
                elements.size(),
                List.of(elements.get(first), elements.getLast()),
                out.endRange(),
                merged.stream().map(SpilledRange::file).toList(),
                hot.size());
    }

    /** The stretches before a place in a queue that are no longer than what follows them. */
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

    /** The URLs of stretches; none, and no stretches either, when one of them cannot be read. */
    private List<byte[]> readAll(Shards.Shard shard, List<SpilledRange> merged) {
        var records = new ArrayList<byte[]>();
        try {
            for (var spilledRange : merged) {
                records.addAll(
                        files.read(shard.number, spilledRange, spilledRange.count()).records());
            }
        } catch (IOException e) {
            LOG.warn("queued URLs stay where they are: {}", e.getMessage());
            merged.clear();
            records.clear();
        }
        return records;
    }

    private int swap(Shards.Shard shard, String name, List<SpillSwap> some, long now) {
        var moved = 0;
        var byJob =
                some.stream().collect(Collectors.groupingBy(spillSwap -> spillSwap.queueTail.job));
        for (var each : byJob.entrySet()) {
            var args = new ArrayList<byte[]>();
            args.add(bytes(name));
            args.add(bytes(BEGUN_MAX.toMillis()));
            args.add(bytes(each.getKey()));
            for (var spillSwap : each.getValue()) {
                args.add(bytes(spillSwap.queueTail.host));
                args.add(bytes(spillSwap.queueTail.band));
                args.add(bytes(spillSwap.from));
                args.add(bytes(spillSwap.to));
                args.addAll(spillSwap.ends);
                args.add(spillSwap.spilledRange.encode());
                args.add(bytes(String.join(",", spillSwap.merged)));
                args.add(bytes(spillSwap.urlsInRedis));
            }
            var question = new Shards.ShardCall(shard.number, Script.SPILL, args, _ -> {});
            var letters = string(shards.query(List.of(question), now).getFirst());
            for (var i = 0; i < letters.length(); i++) {
                moved += letters.charAt(i) == '1' ? each.getValue().get(i).urlsInRedis : 0;
            }
        }
        return moved;
    }
}
