package dev.orbweaver.frontier.redis;

import static dev.orbweaver.frontier.redis.RedisLink.bytes;
import static dev.orbweaver.frontier.redis.RedisLink.string;

import dev.orbweaver.frontier.FrontierEvent.Restored;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Brings URLs back from files. They are read first; then one script puts them where the stretch
 * stood and what is left of the stretch behind them, if it still stands there. So whoever dies in
 * between has changed nothing, and of two who bring the same one comes too late.
 */
final class Loads {

    /** Of how many URLs a script is told at a time. */
    private static final int AT_ONCE = 500;

    /** What is to be brought: a stretch at the beginning of a queue. */
    record Wanted(int job, String band, Stretch stretch) {}

    private final Shards shards;
    private final TailFiles files;
    private final Consumer<Overflow.Step> witness;

    Loads(Shards shards, TailFiles files, Consumer<Overflow.Step> witness) {
        this.shards = shards;
        this.files = files;
        this.witness = witness;
    }

    /** The errand that brings a queue its next URLs. */
    Shards.Errand errand(String host, Wanted wanted, int urls) throws IOException {
        var shard = shards.of(host);
        var part = files.read(shard, wanted.stretch, urls);
        witness.accept(Overflow.Step.READ);
        return errand(shard, "q", host, wanted, part);
    }

    private static Shards.Errand errand(
            int shard, String to, String host, Wanted wanted, TailFiles.Part part) {
        var args = new ArrayList<byte[]>();
        args.add(bytes(to));
        args.add(bytes(wanted.job));
        args.add(bytes(host));
        args.add(bytes(wanted.band));
        args.add(wanted.stretch.element());
        args.add(part.rest().map(Stretch::element).orElse(bytes("")));
        args.add(bytes(part.records().size()));
        args.addAll(part.records());
        return new Shards.Errand(shard, Script.LOAD, args, _ -> {});
    }

    void run(List<Shards.Errand> errands, long now) {
        var _ = shards.ask(errands, now);
        witness.accept(Overflow.Step.LOADED);
    }

    /** Makes single letters of those that were given up while they lay in a file. */
    void unpackDead(Shards.Shard shard, int job, Stretch stretch, long now) throws IOException {
        var rest = Optional.of(stretch);
        while (rest.isPresent()) {
            var part = files.read(shard.number, rest.get(), AT_ONCE);
            var errand = errand(shard.number, "d", "", new Wanted(job, "", rest.get()), part);
            if (!string(shards.ask(List.of(errand), now).getFirst()).equals("1")) {
                return; // Somebody else is at it.
            }
            rest = part.rest();
        }
    }

    /** Looks for a URL in a stretch: its record and how many are before it. */
    Optional<Found> find(int shard, int job, Stretch in, UrlId id) throws IOException {
        var rest = Optional.of(in);
        var ahead = 0;
        while (rest.isPresent()) {
            var part = files.read(shard, rest.get(), AT_ONCE);
            for (var record : part.records()) {
                var url = Records.read(job, record);
                if (UrlId.of(url).equals(id)) {
                    return Optional.of(new Found(url, ahead));
                }
                ahead++;
            }
            rest = part.rest();
        }
        return Optional.empty();
    }

    /** Where a URL was found in a stretch. */
    record Found(Restored url, int ahead) {}
}
