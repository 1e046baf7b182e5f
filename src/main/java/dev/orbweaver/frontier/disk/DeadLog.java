package dev.orbweaver.frontier.disk;

import dev.orbweaver.disk.Disk;
import dev.orbweaver.frontier.FrontierEvent;
import dev.orbweaver.model.FailureCause;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/**
 * URLs given up, in a file of their own that only grows: nobody needs them in memory. Those that
 * were taken back are told apart by {@link Graves}. The journal has them too, since the last
 * snapshot, so the file is written when it is convenient and cut back to the snapshot's mark when
 * it is opened.
 */
final class DeadLog implements AutoCloseable {

    static final String NAME = "dead";
    private static final Logger LOG = LoggerFactory.getLogger(DeadLog.class);
    private static final int FRAME = 1 << 16;

    private final Disk disk;
    private final Path path;
    private final EventWriter frame = new EventWriter().reserve(Frames.FRAME_HEAD);
    private final GrowingFile file;

    /** Records that make letters void. */
    private long voids;

    private DeadLog(Disk disk, Path path, GrowingFile file, long voids) {
        this.disk = disk;
        this.path = path;
        this.file = file;
        this.voids = voids;
    }

    /**
     * The log as a snapshot names it. What damage has cut off is told and missed. When records that
     * make letters void are among it, nobody knows any more which letters count, and all are
     * missed: a URL must not be taken back twice.
     */
    static DeadLog open(Disk disk, Path folder, FrontierEvent.Filed filed) throws IOException {
        var path = folder.resolve(NAME);
        var length = filed.length();
        var voids = new AtomicLong();
        var good = disk.exists(path) ? read(disk, path, length, countVoids(voids)) : 0;
        if (voids.get() < filed.count()) {
            good = 0;
            voids.set(0);
        }
        if (disk.exists(path) && disk.length(path) > good) {
            disk.truncate(path, good);
        }
        if (good < length) {
            LOG.warn("{} has lost {} bytes of dead letters to damage", path, length - good);
        }
        var file = new GrowingFile(disk, path);
        if (file.length() == 0) {
            file.append(Frames.header());
        }
        return new DeadLog(disk, path, file, voids.get());
    }

    private static Frames.Reader countVoids(AtomicLong count) {
        return record -> {
            if (!(record instanceof FrontierEvent.Buried)) {
                count.incrementAndGet();
            }
        };
    }

    /** Adds a letter, or a record that makes earlier ones void. */
    void add(FrontierEvent record) {
        frame.write(record);
        if (!(record instanceof FrontierEvent.Buried)) {
            voids++;
        }
        if (frame.length() > FRAME) {
            try {
                flush();
            } catch (IOException e) {
                // They are in the journal too, without which nothing more can die.
                LOG.warn("dead letters wait for their disk: {}", e.getMessage());
            }
        }
    }

    private void flush() throws IOException {
        if (frame.length() == Frames.FRAME_HEAD) {
            return;
        }
        file.append(Frames.close(frame));
        frame.cut(Frames.FRAME_HEAD);
    }

    /** Every dead letter that still counts, in order. */
    void forEach(BiConsumer<FrontierEvent.Restored, FailureCause> action) {
        try {
            Graves.read(
                    out -> {
                        var _ = read(disk, path, Long.MAX_VALUE, out);
                        waiting(frame, out);
                    },
                    action);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Hands on the records of a frame that is not closed yet. */
    static void waiting(EventWriter frame, Frames.Reader out) {
        var waiting = new EventReader(frame.array(), Frames.FRAME_HEAD, frame.length());
        while (waiting.hasNext()) {
            out.event(waiting.next());
        }
    }

    /** Hands on the records of a log's first bytes, and says how many of these are good. */
    static long read(Disk disk, Path path, long length, Frames.Reader out) throws IOException {
        try (var region = disk.map(path)) {
            var bytes = region.bytes();
            return Frames.read(path, bytes.asSlice(0, Math.min(length, bytes.byteSize())), out);
        }
    }

    /** Makes the log durable and says how long it is. */
    FrontierEvent.Filed file() throws IOException {
        flush();
        file.sync();
        return new FrontierEvent.Filed(NAME, file.length(), voids, 0);
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
