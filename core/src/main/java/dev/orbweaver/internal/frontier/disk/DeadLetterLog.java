package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.frontier.FrontierDamagedException;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.model.FailureCause;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.BiConsumer;

/**
 * Stores dead letters in an append-only file, because they are not needed in memory.
 *
 * <p>{@link DeadLetterScan} omits those that were requeued. The journal also has those since the
 * last snapshot, so the file is written lazily and truncated to the snapshot's length when it is
 * opened.
 */
final class DeadLetterLog implements AutoCloseable {

    static final String NAME = "dead";
    private static final Logger LOG = LoggerFactory.getLogger(DeadLetterLog.class);
    private static final int FRAME = 1 << 16;

    private final Disk disk;
    private final Path path;
    private final EventWriter frame = new EventWriter().reserve(Frames.FRAME_HEAD);
    private final AtomicAppendFile file;

    private int frames;

    private DeadLetterLog(Disk disk, Path path, AtomicAppendFile file, int frames) {
        this.disk = disk;
        this.path = path;
        this.file = file;
        this.frames = frames;
    }

    /**
     * Opens the log as a snapshot names it. It must be complete: later records decide which letters
     * count, and a URL must not be requeued twice.
     */
    static DeadLetterLog open(Disk disk, Path directory, FrontierEvent.FileState fileState)
            throws IOException {
        var path = directory.resolve(NAME);
        var length = fileState.length();
        var extent = length == 0 ? Frames.Extent.NONE : read(disk, path, length, _ -> {});
        if (disk.exists(path) && disk.length(path) > length) {
            disk.truncate(path, length);
        }
        var file = new AtomicAppendFile(disk, path);
        if (file.length() == 0) {
            file.append(Frames.header());
        }
        return new DeadLetterLog(disk, path, file, extent.frames());
    }

    /** Adds a letter, or a record that invalidates earlier ones. */
    void add(FrontierEvent record) {
        frame.write(record);
        if (frame.length() > FRAME) {
            try {
                flush();
            } catch (IOException e) {
                // They are in the journal too; if that cannot be written, no further URL becomes a
                // dead letter.
                LOG.warn("could not write dead letters, retrying later: {}", e.getMessage());
            }
        }
    }

    private void flush() throws IOException {
        if (frame.length() == Frames.FRAME_HEAD) {
            return;
        }
        file.append(Frames.seal(frame, frames));
        frames++;
        frame.truncate(Frames.FRAME_HEAD);
    }

    /** Passes every dead letter that still counts, in order. */
    void forEach(BiConsumer<QueuedUrl, FailureCause> action) {
        try {
            DeadLetterScan.read(
                    out -> {
                        var _ = read(disk, path, file.length(), out);
                        readOpenFrame(frame, out);
                    },
                    action);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Passes the records of a frame that is not closed yet. */
    static void readOpenFrame(EventWriter frame, Frames.Reader out) {
        var waiting = new EventReader(frame.array(), Frames.FRAME_HEAD, frame.length());
        while (waiting.hasNext()) {
            out.event(waiting.next());
        }
    }

    /** Passes the records of a log's first {@code length} bytes, which must exist and be intact. */
    static Frames.Extent read(Disk disk, Path path, long length, Frames.Reader out)
            throws IOException {
        if (!disk.exists(path) || disk.length(path) < length) {
            throw new FrontierDamagedException(path, "is shorter than its snapshot states");
        }
        try (var mappedFile = disk.map(path)) {
            var extent = Frames.read(path, mappedFile.bytes().asSlice(0, length), out);
            if (extent.validLength() < length) {
                throw new FrontierDamagedException(
                        path,
                        "is damaged at byte %d of %d".formatted(extent.validLength(), length));
            }
            return extent;
        }
    }

    FrontierEvent.FileState sync() throws IOException {
        flush();
        file.sync();
        return new FrontierEvent.FileState(NAME, file.length(), 0, 0);
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
