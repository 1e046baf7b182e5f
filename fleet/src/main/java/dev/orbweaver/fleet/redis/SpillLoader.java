package dev.orbweaver.fleet.redis;

import dev.orbweaver.fleet.redis.ScriptConstants.LoadTarget;
import dev.orbweaver.internal.frontier.QueuedUrl;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Loads URLs from files. They are read first; then one script replaces the range with them and with
 * the rest of the range, if it is still there. So a worker that dies in between has changed
 * nothing, and if two load the same range, the second one changes nothing.
 */
final class SpillLoader {

    /** Maximum URLs per script call. */
    private static final int AT_ONCE = 500;

    /** A range at the start of a queue. */
    record LoadRequest(int job, int rank, SpilledRange spilledRange) {}

    private final Shards shards;
    private final OverflowFiles files;
    private final Consumer<Overflow.Step> stepListener;

    SpillLoader(Shards shards, OverflowFiles files, Consumer<Overflow.Step> witness) {
        this.shards = shards;
        this.files = files;
        this.stepListener = witness;
    }

    SpillRequest.Load load(String host, LoadRequest loadRequest, int urls) throws IOException {
        var shard = shards.shardOf(host);
        var spilledPart = files.read(shard, loadRequest.spilledRange, urls);
        stepListener.accept(Overflow.Step.READ);
        return new SpillRequest.Load(shard, LoadTarget.QUEUE, host, loadRequest, spilledPart);
    }

    void run(List<SpillRequest.Load> loads, long now) {
        var _ = shards.query(loads, now);
        stepListener.accept(Overflow.Step.LOADED);
    }

    /**
     * Converts a range of URLs that became dead letters while they were in a file into single dead
     * letters.
     */
    void loadDeadLetters(Shards.Shard shard, int job, SpilledRange spilledRange, long now)
            throws IOException {
        var rest = Optional.of(spilledRange);
        while (rest.isPresent()) {
            var spilledPart = files.read(shard.number, rest.get(), AT_ONCE);
            var load =
                    new SpillRequest.Load(
                            shard.number,
                            LoadTarget.DEAD_LETTERS,
                            "",
                            new LoadRequest(job, 0, rest.get()),
                            spilledPart);
            if (!shards.query(load, now)) {
                return; // Another worker has loaded it.
            }
            rest = spilledPart.rest();
        }
    }

    /** Finds a URL in a range: its record and the number of URLs before it. */
    Optional<SpilledUrl> find(int shard, int job, SpilledRange in, UrlId id) throws IOException {
        var rest = Optional.of(in);
        var ahead = 0;
        while (rest.isPresent()) {
            var spilledPart = files.read(shard, rest.get(), AT_ONCE);
            for (var record : spilledPart.records()) {
                var url = RedisRecordCodec.read(job, record);
                if (UrlId.of(url).equals(id)) {
                    return Optional.of(new SpilledUrl(url, ahead));
                }
                ahead++;
            }
            rest = spilledPart.rest();
        }
        return Optional.empty();
    }

    record SpilledUrl(QueuedUrl url, int ahead) {}
}
