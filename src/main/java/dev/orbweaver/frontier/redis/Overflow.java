package dev.orbweaver.frontier.redis;

import static dev.orbweaver.frontier.redis.RedisLink.bytes;
import static dev.orbweaver.frontier.redis.RedisLink.list;
import static dev.orbweaver.frontier.redis.RedisLink.string;

import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.frontier.FrontierBlockedException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Keeps Redis within its memory: the tails of long queues lie in files, and a stretch of them is
 * one element of the queue, where its URLs would stand.
 *
 * <p>Nothing here is anybody's for ever. Every worker looks now and then at how much memory Redis
 * uses, and moves something into files when it is too much, shard by shard; another that meets the
 * same shard at that moment leaves it alone. What is claimed and lies in a file is brought back by
 * whoever claims it ({@link Loads}). The ledger does not see any of it: a queue's length counts the
 * URLs of its stretches.
 *
 * <p>What Redis forgets does no harm. If it forgets that URLs were moved, they are in the queue
 * again and the file is one that nothing refers to. If it forgets that they were brought back, the
 * stretch is there again, and so is its file: one to which nothing refers is kept for an hour,
 * which is far longer than what Redis can forget.
 */
final class Overflow {

    private static final Logger LOG = LoggerFactory.getLogger(Overflow.class);

    /** The moments at which a worker may die and a test has it do so. */
    enum Step {
        BEGUN,
        WRITTEN,
        SWAPPED,
        READ,
        LOADED,
        FORGOTTEN,
        DELETED
    }

    /**
     * How often what is done.
     *
     * @param look how often Redis is asked how much memory it uses
     * @param urls after how many URLs that were offered it is asked at the latest
     * @param pause how long nothing is tried after there was nothing to move
     * @param sweep how often the files of one shard are looked through
     * @param kept how long a file is kept that nothing refers to
     */
    record Rhythm(Duration look, int urls, Duration pause, Duration sweep, Duration kept) {
        static final Rhythm USUAL =
                new Rhythm(
                        Duration.ofSeconds(1),
                        10_000,
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(5),
                        Duration.ofHours(1));
    }

    /**
     * Parts of the memory that Redis is to use: where moving begins, and where it must not stop.
     */
    private static final double HIGH = 0.80;

    private static final double CRITICAL = 0.90;
    private static final int SHARDS_AT_ONCE = 16;

    /**
     * So many times while its memory fills Redis is looked at, as URLs take about so many bytes.
     */
    private static final int LOOKS = 100;

    private static final int URL_BYTES = 200;

    private final RedisLink link;
    private final Shards shards;
    private final LongTail.InFiles place;
    private final Rhythm rhythm;
    private final Consumer<Step> witness;
    private final TailFiles files;
    private final Spill spill;
    final Loads loads;

    private int offered;
    private int lookAfter;
    private long lookedAt = Long.MIN_VALUE / 2;
    private long sweptAt = Long.MIN_VALUE / 2;
    private long pausedUntil;
    private int nextSpilled;
    private int nextSwept;

    Overflow(
            RedisLink link,
            Shards shards,
            FleetSettings settings,
            LongTail.InFiles place,
            Rhythm rhythm,
            Consumer<Step> witness) {
        this.link = link;
        this.shards = shards;
        this.place = place;
        this.rhythm = rhythm;
        this.lookAfter = rhythm.urls;
        this.witness = witness;
        this.files = new TailFiles(new RealDisk(), place.folder().resolve(settings.fleet()));
        this.spill = new Spill(link, shards, files, witness);
        this.loads = new Loads(shards, files, witness);
        // Workers begin at different places, so that they seldom meet.
        this.nextSpilled = Math.floorMod(settings.worker().hashCode(), settings.shards());
        this.nextSwept = nextSpilled;
    }

    /** So many URLs more are with Redis. */
    void offered(int urls) {
        offered += urls;
    }

    /** How many URLs may be offered at once. */
    int urlsAtOnce() {
        return lookAfter;
    }

    /** Looks whether something is to be done, and does some of it. */
    void tend(long now) {
        if (now - lookedAt >= rhythm.look.toMillis() || offered >= lookAfter) {
            relieve(now);
        }
        if (now - sweptAt >= rhythm.sweep.toMillis()) {
            sweptAt = now;
            try {
                sweep(nextSwept, now);
            } catch (IOException | FrontierBlockedException e) {
                LOG.warn("files of queued URLs were not swept: {}", e.getMessage());
            }
            nextSwept = (nextSwept + 1) % shards.all().size();
        }
    }

    /** Moves URLs into files while Redis uses too much memory. */
    void relieve(long now) {
        lookedAt = now;
        offered = 0;
        if (now < pausedUntil) {
            return;
        }
        try {
            var part = partUsed();
            var moved = 0L;
            var done = 0;
            while (part >= HIGH && done < shards.all().size()) {
                moved += spill.run(shards.get(nextSpilled), now);
                nextSpilled = (nextSpilled + 1) % shards.all().size();
                done++;
                if (done % SHARDS_AT_ONCE == 0) {
                    part = partUsed();
                    if (part < CRITICAL) {
                        break;
                    }
                }
            }
            if (done >= shards.all().size() && moved == 0) {
                pausedUntil = now + rhythm.pause.toMillis();
                LOG.warn(
                        "Redis uses {} % of the memory it is to use, and hardly any of it for URLs"
                                + " that could be moved to files",
                        Math.round(part * 100));
            }
        } catch (IOException | FrontierBlockedException e) {
            LOG.warn("queued URLs cannot be moved to files: {}", e.getMessage());
        }
    }

    /** Moves everything that can be moved. */
    void moveAll(long now) throws IOException {
        for (var shard : shards.all()) {
            while (spill.run(shard, now) > 0) {
                // Half of what was there is moved, and then half of that.
            }
        }
    }

    private double partUsed() throws IOException {
        var memory = link.memory(place.redisBytes());
        var few = Math.clamp(memory.bound() / LOOKS / URL_BYTES, 1, rhythm.urls);
        lookAfter = memory.bound() == 0 ? rhythm.urls : few;
        return memory.part();
    }

    /** Deletes the files of a shard to which nothing has referred for long. */
    void sweep(int shard, long now) throws IOException {
        var args = new ArrayList<byte[]>();
        args.add(bytes("sweep"));
        args.add(bytes(rhythm.kept.toMillis()));
        files.names(shard).forEach(name -> args.add(bytes(name)));
        var question = Shards.question(shard, Script.SEGMENT, args.toArray(byte[][]::new));
        var gone = list(shards.ask(List.of(question), now).getFirst());
        if (!gone.isEmpty()) {
            witness.accept(Step.FORGOTTEN);
        }
        for (var name : gone) {
            files.delete(shard, string(name));
            witness.accept(Step.DELETED);
        }
    }
}
