package dev.orbweaver.frontier.redis;

import static dev.orbweaver.frontier.redis.RedisLink.bytes;
import static dev.orbweaver.frontier.redis.RedisLink.list;
import static dev.orbweaver.frontier.redis.RedisLink.string;

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
final class Spill {

    private static final Logger LOG = LoggerFactory.getLogger(Spill.class);

    /** As many URLs as are moved at a time, and as a stretch has at most. */
    private static final int URLS_MAX = 20_000;

    /** As many as are read at once: until they are fetched, Redis holds them twice. */
    private static final int READ_MAX = 2_000;

    private static final int QUEUES_AT_ONCE = 100;

    /** How long a worker may take from the first step to the last. */
    private static final Duration DUTY = Duration.ofSeconds(60);

    private static final Duration BEGUN_MAX = Duration.ofMinutes(10);

    /** A queue that ends in URLs. */
    private record Tail(int job, String host, String band, int length) {}

    /** What is to be put where; at its ends stand, as long as nothing has changed, these two. */
    private record Swap(
            Tail tail,
            int from,
            int to,
            List<byte[]> ends,
            Stretch stretch,
            List<String> merged,
            int hot) {}

    private final RedisLink link;
    private final Shards shards;
    private final TailFiles files;
    private final Consumer<Overflow.Step> witness;

    Spill(RedisLink link, Shards shards, TailFiles files, Consumer<Overflow.Step> witness) {
        this.link = link;
        this.shards = shards;
        this.files = files;
        this.witness = witness;
    }

    /** How many URLs were moved. */
    int run(Shards.Shard shard, long now) throws IOException {
        var chosen = choose(tails(shard, now));
        if (chosen.isEmpty()) {
            return 0;
        }
        var name = TailFiles.newName();
        if (ask(shard, Script.SEGMENT, now, bytes("begin"), bytes(DUTY.toMillis()), bytes(name))
                .isEmpty()) {
            return 0; // Another worker is at it.
        }
        witness.accept(Overflow.Step.BEGUN);
        var moved = 0;
        var swaps = write(shard, name, chosen, now);
        witness.accept(Overflow.Step.WRITTEN);
        for (var from = 0; from < swaps.size(); from += QUEUES_AT_ONCE) {
            var some = swaps.subList(from, Math.min(from + QUEUES_AT_ONCE, swaps.size()));
            moved += swap(shard, name, some, now);
            witness.accept(Overflow.Step.SWAPPED);
        }
        var _ = ask(shard, Script.SEGMENT, now, bytes("end"));
        return moved;
    }

    private List<?> ask(Shards.Shard shard, Script script, long now, byte[]... args) {
        return list(
                shards.ask(List.of(Shards.question(shard.number, script, args)), now).getFirst());
    }

    private List<Tail> tails(Shards.Shard shard, long now) throws IOException {
        var tails = new ArrayList<Tail>();
        for (var each : link.ask(redis -> redis.smembers(bytes(shard.base + ":jobs")))) {
            var job = Integer.parseInt(string(each));
            var cursor = "0";
            do {
                var page = ask(shard, Script.TAILS, now, bytes(job), bytes(cursor));
                cursor = string(page.getFirst());
                for (var i = 1; i < page.size(); i += 3) {
                    tails.add(
                            new Tail(
                                    job,
                                    string(page.get(i)),
                                    string(page.get(i + 1)),
                                    Integer.parseInt(string(page.get(i + 2)))));
                }
            } while (!cursor.equals("0"));
        }
        return tails;
    }

    /** The longest, by job; with half of all URLs, or as many as are moved at a time. */
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
            sum += Math.min(tail.length, READ_MAX);
            chosen.computeIfAbsent(tail.job, _ -> new ArrayList<>()).add(tail);
        }
        return chosen;
    }

    private List<Swap> write(
            Shards.Shard shard, String name, Map<Integer, List<Tail>> chosen, long now)
            throws IOException {
        var swaps = new ArrayList<Swap>();
        try (var out = files.begin(shard.number, name)) {
            for (var each : chosen.entrySet()) {
                for (var some : portions(each.getValue())) {
                    write(shard, some, out, swaps, now);
                }
            }
            out.finish();
        }
        return swaps;
    }

    /** Queues of which no more is read at once than fits. */
    private static List<List<Tail>> portions(List<Tail> all) {
        var portions = new ArrayList<List<Tail>>();
        var room = 0;
        for (var tail : all) {
            var size = Math.min(tail.length, READ_MAX);
            if (size > room) {
                portions.add(new ArrayList<>());
                room = READ_MAX;
            }
            portions.getLast().add(tail);
            room -= size;
        }
        return portions;
    }

    private void write(
            Shards.Shard shard, List<Tail> some, TailFiles.Writer out, List<Swap> swaps, long now)
            throws IOException {
        var args = new ArrayList<byte[]>();
        args.add(bytes(some.getFirst().job));
        args.add(bytes(READ_MAX));
        for (var tail : some) {
            args.add(bytes(tail.host));
            args.add(bytes(tail.band));
        }
        var queues = ask(shard, Script.PEEK, now, args.toArray(byte[][]::new));
        for (var i = 0; i < some.size(); i++) {
            var elements = list(queues.get(i)).stream().map(byte[].class::cast).toList();
            if (!elements.isEmpty() && !Stretch.isOne(elements.getLast())) {
                swaps.add(write(shard, some.get(i), elements, out));
            }
        }
    }

    private Swap write(Shards.Shard shard, Tail tail, List<byte[]> elements, TailFiles.Writer out)
            throws IOException {
        var from = elements.size();
        while (from > 0 && !Stretch.isOne(elements.get(from - 1))) {
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
        return new Swap(
                tail,
                first,
                elements.size(),
                List.of(elements.get(first), elements.getLast()),
                out.end(),
                merged.stream().map(Stretch::file).toList(),
                hot.size());
    }

    /** The stretches before a place in a queue that are no longer than what follows them. */
    private static List<Stretch> mergeable(List<byte[]> elements, int place) {
        var merged = new ArrayList<Stretch>();
        var total = elements.size() - place;
        for (var i = place - 1; i >= 0 && Stretch.isOne(elements.get(i)); i--) {
            var before = Stretch.read(elements.get(i));
            if (before.count() > total || before.count() + total > URLS_MAX) {
                break;
            }
            merged.addFirst(before);
            total += before.count();
        }
        return merged;
    }

    /** The URLs of stretches; none, and no stretches either, when one of them cannot be read. */
    private List<byte[]> readAll(Shards.Shard shard, List<Stretch> merged) {
        var records = new ArrayList<byte[]>();
        try {
            for (var stretch : merged) {
                records.addAll(files.read(shard.number, stretch, stretch.count()).records());
            }
        } catch (IOException e) {
            LOG.warn("queued URLs stay where they are: {}", e.getMessage());
            merged.clear();
            records.clear();
        }
        return records;
    }

    private int swap(Shards.Shard shard, String name, List<Swap> some, long now) {
        var moved = 0;
        var byJob = some.stream().collect(Collectors.groupingBy(swap -> swap.tail.job));
        for (var each : byJob.entrySet()) {
            var args = new ArrayList<byte[]>();
            args.add(bytes(name));
            args.add(bytes(BEGUN_MAX.toMillis()));
            args.add(bytes(each.getKey()));
            for (var swap : each.getValue()) {
                args.add(bytes(swap.tail.host));
                args.add(bytes(swap.tail.band));
                args.add(bytes(swap.from));
                args.add(bytes(swap.to));
                args.addAll(swap.ends);
                args.add(swap.stretch.element());
                args.add(bytes(String.join(",", swap.merged)));
                args.add(bytes(swap.hot));
            }
            var question = new Shards.Errand(shard.number, Script.SPILL, args, _ -> {});
            var letters = string(shards.ask(List.of(question), now).getFirst());
            for (var i = 0; i < letters.length(); i++) {
                moved += letters.charAt(i) == '1' ? each.getValue().get(i).hot : 0;
            }
        }
        return moved;
    }
}
