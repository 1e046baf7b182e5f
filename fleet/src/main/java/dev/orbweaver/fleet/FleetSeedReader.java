package dev.orbweaver.fleet;

import dev.orbweaver.fleet.redis.SeedPieces;
import dev.orbweaver.fleet.redis.SeedPieces.PieceList;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.internal.frontier.SeedBatch;
import dev.orbweaver.internal.frontier.SeedPosition;
import dev.orbweaver.internal.seeds.RejectedLines;
import dev.orbweaver.internal.seeds.SeedBatches;
import dev.orbweaver.internal.seeds.SeedIntake;
import dev.orbweaver.internal.seeds.SeedListReader;
import dev.orbweaver.internal.seeds.SeedReader;
import dev.orbweaver.model.JobId;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.function.IntSupplier;

/**
 * Reads the seed lists of a fleet job, if this worker is the reader, and learns which hosts the
 * reader has found otherwise.
 *
 * <p>A batch and its position are stored in Redis, so any worker can continue. If two workers are
 * readers for a moment, the shards execute a batch once, and one of them stores its position.
 */
final class FleetSeedReader implements SeedReader {

    private static final Logger LOG = LoggerFactory.getLogger(FleetSeedReader.class);
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
    private static final Duration ROOM_POLL_INTERVAL = Duration.ofMillis(20);

    /** For how long other workers can become the reader after a failure on this one. */
    private static final Duration RETRY_DELAY = Duration.ofSeconds(5);

    /** After this time without a batch another worker becomes the reader. */
    private static final Duration READER_LEASE = Duration.ofSeconds(15);

    private final SeedPieces pieces;
    private final JobId job;
    private final Path directory;
    private final SeedIntake.Target target;
    private final InstantSource clock;
    private final IntSupplier listsAdded;
    private final String name = UUID.randomUUID().toString();
    private final Thread thread;
    private volatile boolean closed;

    /** How many lists were added when all of them were read. */
    private volatile int listsRead;

    /**
     * @param directory of this worker's crawl, for the rejected lines
     * @param listsAdded how many lists the job has ever had; as long as all of them are read, Redis
     *     is not called
     */
    FleetSeedReader(
            SeedPieces pieces,
            JobId job,
            Path directory,
            SeedIntake.Target target,
            InstantSource clock,
            IntSupplier listsAdded) {
        this.pieces = pieces;
        this.job = job;
        this.directory = directory;
        this.target = target;
        this.clock = clock;
        this.listsAdded = listsAdded;
        this.thread = Thread.ofVirtual().name("seeds of job " + job.number()).unstarted(this::run);
    }

    /** A fleet has no such lists: its workers crawl already while lists are read. */
    @Override
    public void readCaptures() {}

    @Override
    public void start() {
        thread.start();
    }

    @Override
    public boolean isPending() {
        return !closed && listsAdded.getAsInt() != listsRead;
    }

    @Override
    public Progress progress() {
        return Progress.NONE;
    }

    private void run() {
        try {
            while (!closed) {
                try {
                    readLists();
                } catch (IOException e) {
                    LOG.warn("could not read seeds of job {}", job.number(), e);
                    leave(); // This worker's disk may be full.
                    Thread.sleep(RETRY_DELAY);
                } catch (FrontierUnavailableException e) {
                    LOG.debug("waiting for Redis to read seeds", e);
                }
                Thread.sleep(POLL_INTERVAL);
            }
        } catch (InterruptedException e) {
            LOG.debug("the crawl ends; the rest of the seeds is read by another worker");
        } catch (Throwable e) { // Out of memory too: another worker must read these seeds.
            if (!closed) {
                LOG.error("could not read a seed list", e);
                target.onFailure().accept(e);
            }
        }
    }

    private void readLists() throws IOException, InterruptedException {
        var added = listsAdded.getAsInt();
        if (added == listsRead) {
            return;
        }
        var lists = pieces.lists(job);
        learnHosts();
        if (lists.isEmpty()) {
            listsRead = added;
        } else if (claim()) {
            for (var list : lists) {
                read(list);
            }
        }
    }

    private boolean claim() throws IOException {
        return pieces.claimReader(job, name, READER_LEASE);
    }

    private void learnHosts() {
        target.frontier()
                .forEachNewSeedHost(
                        host ->
                                target.urls()
                                        .parse("http://" + host + "/")
                                        .ifPresent(target.extendScope()));
    }

    /** Reads a list until its end, or until another worker is the reader. */
    private void read(PieceList list) throws IOException, InterruptedException {
        var position = pieces.position(job, list);
        LOG.info("reading the seed list {} of job {}", list.name(), job.number());
        try (var rejected = RejectedLines.open(directory, list.name(), position.lines())) {
            while (!closed && position.bytes() < list.pieces() && claim()) {
                awaitRoom();
                var batch = batch(list, position, rejected);
                rejected.flush();
                SeedBatches.extendScope(batch, target.extendScope());
                if (!store(batch)) {
                    return; // Another worker has read it.
                }
                pieces.release(list, position.bytes());
                position = batch.position();
            }
        }
    }

    private void awaitRoom() throws IOException, InterruptedException {
        var renewAt = clock.instant().plus(READER_LEASE.dividedBy(3));
        while (!closed && !target.hasRoom().getAsBoolean()) {
            Thread.sleep(ROOM_POLL_INTERVAL);
            if (clock.instant().isAfter(renewAt)) {
                var _ = claim();
                renewAt = clock.instant().plus(READER_LEASE.dividedBy(3));
            }
        }
    }

    private SeedBatch batch(PieceList list, SeedPosition before, RejectedLines rejected)
            throws IOException {
        var piece = pieces.piece(list, before.bytes());
        if (piece.isEmpty()) {
            // It expires only after its position was stored, which Redis has lost at a restart.
            LOG.warn(
                    "piece {} of the seed list {} of job {} was read before",
                    before.bytes(),
                    list.name(),
                    job.number());
            return new SeedBatch(List.of(), List.of(), List.of(), 0, before, after(before, before));
        }
        var lines = Channels.newChannel(new ByteArrayInputStream(piece.get()));
        try (var reader = new SeedListReader(lines, 0)) {
            var batch =
                    SeedBatches.read(reader, before, piece.get().length, rejected, target.urls());
            if (reader.position() < piece.get().length || !batch.revisits().isEmpty()) {
                throw new IOException(
                        "piece %d of the seed list %s of job %d is damaged"
                                .formatted(before.bytes(), list.name(), job.number()));
            }
            return new SeedBatch(
                    batch.candidates(),
                    batch.visited(),
                    List.of(),
                    batch.malformed(),
                    before,
                    after(before, batch.position()));
        }
    }

    private static SeedPosition after(SeedPosition before, SeedPosition lines) {
        return new SeedPosition(
                before.list(), before.bytes() + 1, lines.lines(), lines.malformed());
    }

    /** Returns whether this worker has stored a batch. */
    private boolean store(SeedBatch batch) throws InterruptedException {
        var status = target.frontier().offerSeeds(batch, clock.instant());
        while (!closed && status instanceof CommitStatus.Pending) {
            Thread.sleep(ROOM_POLL_INTERVAL);
            status = target.frontier().flush();
        }
        return status.isStored();
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join();
            leave();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void leave() {
        try {
            pieces.leaveReader(job, name);
        } catch (IOException e) {
            LOG.debug("another worker reads the seeds of job {} later", job.number(), e);
        }
    }
}
