package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.FrontierUnavailableException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Keeps Redis within its memory limit by moving the tails of long queues to files.
 *
 * <p>A range of a file is one element of the queue, in place of its URLs.
 *
 * <p>No worker owns this. Each periodically checks how much memory Redis uses, and moves URLs to
 * files when it is too much, shard by shard; another worker skips that shard in the meantime. The
 * worker that claims URLs in a file loads them ({@link SpillLoader}). The ledger is not affected: a
 * queue's length includes the URLs of its ranges.
 *
 * <p>Data loss in Redis does no harm. If it loses the information that URLs were moved, they are in
 * the queue again and nothing refers to the file. If it loses the information that they were
 * loaded, the range is there again, and so is its file: an unreferenced file is kept for an hour,
 * far longer than the period of data that Redis can lose.
 */
final class Overflow {

    private static final Logger LOG = LoggerFactory.getLogger(Overflow.class);

    /** Steps after which a test can make a worker die. */
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
     * @param memoryCheck how often the memory of Redis is checked
     * @param urlsPerCheck after how many offered URLs it is checked at the latest
     * @param idlePause how long to wait after there was nothing to move
     * @param sweepInterval how often the files of one shard are checked
     * @param orphanRetention how long an unreferenced file is kept
     */
    record OverflowTimings(
            Duration memoryCheck,
            int urlsPerCheck,
            Duration idlePause,
            Duration sweepInterval,
            Duration orphanRetention) {
        static final OverflowTimings DEFAULT =
                new OverflowTimings(
                        Duration.ofSeconds(1),
                        10_000,
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(5),
                        Duration.ofHours(1));
    }

    /** Fractions of the permitted memory: where moving begins, and down to where it continues. */
    private static final double HIGH_WATERMARK = 0.80;

    private static final double CRITICAL_WATERMARK = 0.90;
    private static final int SHARDS_AT_ONCE = 16;

    /** How often memory is checked while it fills, and the approximate bytes per URL. */
    private static final int CHECKS_PER_FILL = 100;

    private static final int URL_BYTES = 200;

    private final RedisConnection connection;
    private final Shards shards;
    private final OverflowStore.InFiles location;
    private final OverflowTimings timings;
    private final Consumer<Step> stepListener;
    private final OverflowFiles files;
    private final Spiller spiller;
    final SpillLoader spillLoader;

    private int offered;
    private int checkAfterUrls;
    private long checkedAt = Long.MIN_VALUE / 2;
    private long sweptAt = Long.MIN_VALUE / 2;
    private long pausedUntil;
    private int nextSpilled;
    private int nextSwept;

    Overflow(
            RedisConnection link,
            Shards shards,
            FleetSettings settings,
            OverflowStore.InFiles place,
            OverflowTimings overflowTimings,
            Consumer<Step> witness) {
        this.connection = link;
        this.shards = shards;
        this.location = place;
        this.timings = overflowTimings;
        this.checkAfterUrls = overflowTimings.urlsPerCheck;
        this.stepListener = witness;
        this.files = new OverflowFiles(new RealDisk(), place.directory().resolve(settings.fleet()));
        this.spiller = new Spiller(link, shards, files, witness);
        this.spillLoader = new SpillLoader(shards, files, witness);
        // Workers begin at different shards to avoid conflicts.
        this.nextSpilled = Math.floorMod(settings.worker().hashCode(), settings.shards());
        this.nextSwept = nextSpilled;
    }

    void offered(int urls) {
        offered += urls;
    }

    int maxOfferBatch() {
        return checkAfterUrls;
    }

    void runMaintenance(long now) {
        if (now - checkedAt >= timings.memoryCheck.toMillis() || offered >= checkAfterUrls) {
            reduceMemory(now);
        }
        if (now - sweptAt >= timings.sweepInterval.toMillis()) {
            sweptAt = now;
            try {
                sweep(nextSwept, now);
            } catch (IOException | FrontierUnavailableException e) {
                LOG.warn("could not sweep files of queued URLs: {}", e.getMessage());
            }
            nextSwept = (nextSwept + 1) % shards.all().size();
        }
    }

    void reduceMemory(long now) {
        checkedAt = now;
        offered = 0;
        if (now < pausedUntil) {
            return;
        }
        try {
            var part = memoryUsedRatio();
            var moved = 0L;
            var done = 0;
            while (part >= HIGH_WATERMARK && done < shards.all().size()) {
                moved += spiller.run(shards.get(nextSpilled), now);
                nextSpilled = (nextSpilled + 1) % shards.all().size();
                done++;
                if (done % SHARDS_AT_ONCE == 0) {
                    part = memoryUsedRatio();
                    if (part < CRITICAL_WATERMARK) {
                        break;
                    }
                }
            }
            if (done >= shards.all().size() && moved == 0) {
                pausedUntil = now + timings.idlePause.toMillis();
                LOG.warn(
                        "Redis uses {} % of its permitted memory, and almost none of it for URLs"
                                + " that could be moved to files",
                        Math.round(part * 100));
            }
        } catch (IOException | FrontierUnavailableException e) {
            LOG.warn("could not move queued URLs to files: {}", e.getMessage());
        }
    }

    void spillAll(long now) throws IOException {
        for (var shard : shards.all()) {
            while (spiller.run(shard, now) > 0) {
                // Half of the URLs are moved each time.
            }
        }
    }

    private double memoryUsedRatio() throws IOException {
        var memory = connection.memory(location.redisBytes());
        var few = Math.clamp(memory.limit() / CHECKS_PER_FILL / URL_BYTES, 1, timings.urlsPerCheck);
        checkAfterUrls = memory.limit() == 0 ? timings.urlsPerCheck : few;
        return memory.usedRatio();
    }

    /** Deletes the files of a shard that have been unreferenced for the retention time. */
    void sweep(int shard, long now) throws IOException {
        var retention = timings.orphanRetention.toMillis();
        var orphans =
                shards.query(
                        new SpillRequest.SweepFiles(shard, retention, files.names(shard)), now);
        if (!orphans.isEmpty()) {
            stepListener.accept(Step.FORGOTTEN);
        }
        for (var name : orphans) {
            files.delete(shard, name);
            stepListener.accept(Step.DELETED);
        }
    }
}
