package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;
import static dev.orbweaver.fleet.redis.RedisConnection.string;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.fleet.redis.ScriptConstants.ShardKey;
import dev.orbweaver.internal.frontier.SeedPosition;
import dev.orbweaver.internal.seeds.SeedBatches;
import dev.orbweaver.internal.seeds.SeedListReader;
import dev.orbweaver.model.JobId;

import io.lettuce.core.SetArgs;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * Seed lists of fleet jobs in Redis, so that every worker can read them. A list is stored in
 * compressed pieces, each of which is one batch, so no value grows with the list. One worker at a
 * time reads the lists of a job.
 *
 * <p>A list is added when all of its pieces are stored. Pieces of a list that was never added
 * expire after a day. A piece that was read is kept for a while, because Redis may lose its last
 * second and with it the position.
 */
public final class SeedPieces implements AutoCloseable {

    private static final Duration UNFINISHED_TTL = Duration.ofDays(1);
    private static final Duration READ_TTL = Duration.ofMinutes(2);
    private static final int AT_ONCE = 500;

    /**
     * A list that was not read to its end.
     *
     * @param name by which lists are ordered
     * @param id in the keys of its pieces
     */
    public record PieceList(String name, String id, int pieces) {}

    private final RedisConnection connection;
    private final FleetSettings settings;

    SeedPieces(RedisConnection connection, FleetSettings settings) {
        this.connection = connection;
        this.settings = settings;
    }

    /** Opens a connection of its own. */
    public static SeedPieces open(FleetSettings settings) throws IOException {
        return new SeedPieces(RedisConnection.open(settings.uri(), settings.timeout()), settings);
    }

    private byte[] jobKey(ShardKey key, JobId job) {
        var shard = Math.floorMod(job.number(), settings.shards());
        return bytes(Shards.base(settings.fleet(), shard) + key.text() + ":" + job.number());
    }

    private byte[] pieceKey(String id, long piece) {
        return bytes("ow:{" + settings.fleet() + ".l." + id + "." + piece + "}");
    }

    private byte[] readerKey(JobId job) {
        return bytes("ow:{" + settings.fleet() + ".job" + job.number() + "}:seed-reader");
    }

    /** Returns the lists of a job that were not read to their end, in order. */
    public List<PieceList> lists(JobId job) throws IOException {
        var lists = new ArrayList<PieceList>();
        connection
                .execute(redis -> redis.hgetall(jobKey(ShardKey.SEED_LISTS, job)))
                .forEach(
                        (name, value) -> {
                            var text = string(value);
                            var space = text.indexOf(' ');
                            if (space > 0) { // The other field is the last number.
                                lists.add(
                                        new PieceList(
                                                string(name),
                                                text.substring(space + 1),
                                                Integer.parseInt(text.substring(0, space))));
                            }
                        });
        lists.sort(Comparator.comparing(PieceList::name));
        return lists;
    }

    /** Returns how far a list was read: the number of pieces instead of bytes. */
    public SeedPosition position(JobId job, PieceList list) throws IOException {
        var text =
                connection.execute(
                        redis ->
                                redis.hget(
                                        jobKey(ShardKey.SEED_POSITIONS, job), bytes(list.name())));
        return text == null
                ? SeedPosition.start(list.name())
                : SeedLists.decode(list.name(), string(text));
    }

    /** Returns the lines of a piece; empty if it was deleted because it was read long ago. */
    public Optional<byte[]> piece(PieceList list, long piece) throws IOException {
        var packed = connection.execute(redis -> redis.get(pieceKey(list.id(), piece)));
        if (packed == null) {
            return Optional.empty();
        }
        try (var lines = new InflaterInputStream(new ByteArrayInputStream(packed))) {
            return Optional.of(lines.readAllBytes());
        }
    }

    /** Lets a piece expire that was read. */
    public void release(PieceList list, long piece) throws IOException {
        var _ =
                connection.execute(
                        redis -> redis.pexpire(pieceKey(list.id(), piece), READ_TTL.toMillis()));
    }

    /**
     * Makes a worker the reader of a job's lists, or renews that. This only avoids double work: of
     * two workers that read the same piece, only one stores it.
     */
    public boolean claimReader(JobId job, String worker, Duration lease) throws IOException {
        var key = readerKey(job);
        var args = SetArgs.Builder.nx().px(lease.toMillis());
        if (connection.execute(redis -> redis.set(key, bytes(worker), args)) != null) {
            return true;
        }
        var holder = connection.execute(redis -> redis.get(key));
        return holder != null
                && string(holder).equals(worker)
                && connection.execute(redis -> redis.pexpire(key, lease.toMillis()));
    }

    /** Makes another worker the reader at once. */
    public void leaveReader(JobId job, String worker) throws IOException {
        var holder = connection.execute(redis -> redis.get(readerKey(job)));
        if (holder != null && string(holder).equals(worker)) {
            var _ = connection.execute(redis -> redis.del(readerKey(job)));
        }
    }

    /** The pieces of a list that is not added yet. */
    record Stored(String id, int pieces) {}

    /** Stores the pieces of a list. */
    Stored store(Path file) throws IOException {
        var id = UUID.randomUUID().toString();
        var size = Files.size(file);
        var pieces = 0;
        try (var lines = new SeedListReader(file, 0)) {
            while (lines.position() < size) {
                var key = pieceKey(id, pieces++);
                var piece = pack(lines, size);
                var args = SetArgs.Builder.px(UNFINISHED_TTL.toMillis());
                var _ = connection.execute(redis -> redis.set(key, piece, args));
            }
        }
        for (var from = 0; from < pieces; from += AT_ONCE) {
            connection.executeAll(
                    IntStream.range(from, Math.min(from + AT_ONCE, pieces)).boxed().toList(),
                    (redis, piece) -> redis.persist(pieceKey(id, piece)));
        }
        return new Stored(id, pieces);
    }

    /** Packs the lines of one batch. */
    private static byte[] pack(SeedListReader lines, long end) throws IOException {
        var packed = new ByteArrayOutputStream();
        try (var out = new DeflaterOutputStream(packed)) {
            var count = 0;
            var length = 0;
            while (count < SeedBatches.LINES_MAX
                    && length < SeedBatches.BYTES_MAX
                    && lines.position() < end) {
                var line = (lines.next() + "\n").getBytes(UTF_8);
                out.write(line);
                length += line.length;
                count++;
            }
        }
        return packed.toByteArray();
    }

    /** Deletes the lists of a job. */
    void deleteAll(JobId job) throws IOException {
        for (var list : lists(job)) {
            var read = (int) position(job, list).bytes();
            for (var from = read; from < list.pieces(); from += AT_ONCE) {
                connection.executeAll(
                        IntStream.range(from, Math.min(from + AT_ONCE, list.pieces()))
                                .boxed()
                                .toList(),
                        (redis, piece) -> redis.del(pieceKey(list.id(), piece)));
            }
        }
        var _ = connection.execute(redis -> redis.del(readerKey(job)));
    }

    @Override
    public void close() {
        connection.close();
    }
}
