package dev.orbweaver.frontier.disk;

import dev.orbweaver.disk.Disk;
import dev.orbweaver.frontier.FrontierDamagedException;
import dev.orbweaver.frontier.FrontierEvent;
import dev.orbweaver.model.FailureCause;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
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

    private int frames;

    private DeadLog(Disk disk, Path path, GrowingFile file, int frames) {
        this.disk = disk;
        this.path = path;
        this.file = file;
        this.frames = frames;
    }

    /**
     * The log as a snapshot names it. All of it must be there: which letters count is told by
     * records behind them, and a URL must not be taken back twice.
     */
    static DeadLog open(Disk disk, Path folder, FrontierEvent.Filed filed) throws IOException {
        var path = folder.resolve(NAME);
        var length = filed.length();
        var extent = length == 0 ? Frames.Extent.NONE : read(disk, path, length, _ -> {});
        if (disk.exists(path) && disk.length(path) > length) {
            disk.truncate(path, length);
        }
        var file = new GrowingFile(disk, path);
        if (file.length() == 0) {
            file.append(Frames.header());
        }
        return new DeadLog(disk, path, file, extent.frames());
    }

    /** Adds a letter, or a record that makes earlier ones void. */
    void add(FrontierEvent record) {
        frame.write(record);
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
        file.append(Frames.close(frame, frames));
        frames++;
        frame.cut(Frames.FRAME_HEAD);
    }

    /** Every dead letter that still counts, in order. */
    void forEach(BiConsumer<FrontierEvent.Restored, FailureCause> action) {
        try {
            Graves.read(
                    out -> {
                        var _ = read(disk, path, file.length(), out);
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

    /** Hands on the records of a log's first bytes, which must be there and whole. */
    static Frames.Extent read(Disk disk, Path path, long length, Frames.Reader out)
            throws IOException {
        if (!disk.exists(path) || disk.length(path) < length) {
            throw new FrontierDamagedException(path, "is shorter than its snapshot says");
        }
        try (var region = disk.map(path)) {
            var extent = Frames.read(path, region.bytes().asSlice(0, length), out);
            if (extent.good() < length) {
                throw new FrontierDamagedException(
                        path, "is damaged at byte %d of %d".formatted(extent.good(), length));
            }
            return extent;
        }
    }

    /** Makes the log durable and says how long it is. */
    FrontierEvent.Filed file() throws IOException {
        flush();
        file.sync();
        return new FrontierEvent.Filed(NAME, file.length(), 0, 0);
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
