package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.model.CommittedLength;

import java.io.IOException;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Stores the lengths of a worker's output files in Redis. */
final class StoredLengths {

    private final WorkerState worker;
    private final Map<String, CommittedLength> committedLengths = new LinkedHashMap<>();
    private final Set<String> unsent = new LinkedHashSet<>();

    StoredLengths(WorkerState worker) throws IOException {
        this.worker = worker;
        worker.connection
                .execute(redis -> redis.hgetall(key()))
                .forEach(
                        (name, mark) ->
                                committedLengths.put(
                                        string(name), parse(string(name), string(mark))));
    }

    private byte[] key() {
        return RedisFrontier.fleetKey(worker.settings, "marks:" + worker.settings.worker());
    }

    private static CommittedLength parse(String name, String text) {
        var space = text.indexOf(' ');
        return new CommittedLength(
                name,
                Long.parseLong(text.substring(0, space)),
                Integer.parseInt(text.substring(space + 1)));
    }

    void add(List<CommittedLength> files) {
        for (var file : files) {
            committedLengths.put(file.name(), file);
            unsent.add(file.name());
        }
    }

    /**
     * Sends the lengths, after the settlements that they belong to; after a failure they are sent
     * later.
     */
    CommitStatus send() {
        try {
            if (!unsent.isEmpty()) {
                var changed = new IdentityHashMap<byte[], byte[]>();
                committedLengths.forEach(
                        (name, file) -> {
                            if (unsent.contains(name)) {
                                changed.put(
                                        bytes(name), bytes(file.length() + " " + file.checksum()));
                            }
                        });
                var _ = worker.query(redis -> redis.hset(key(), changed));
                unsent.clear();
            }
            return CommitStatus.durable();
        } catch (FrontierUnavailableException e) {
            return new CommitStatus.Pending(e.problem());
        }
    }

    List<CommittedLength> all() {
        return List.copyOf(committedLengths.values());
    }
}
