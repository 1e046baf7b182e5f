package dev.orbweaver.internal.disk;

import static dev.orbweaver.internal.frontier.TestFrontier.durable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Real files on a disk whose power fails, or that fills up, at a chosen change.
 *
 * <p>{@link #losePower} then rolls back a random part of what was never synced: of each file any
 * part of the bytes appended since its last sync, and of each directory the last changes of names
 * since its last sync. A truncation is never rolled back.
 */
public final class PowerLossDisk implements Disk {

    /** Rolls back a change of a name. */
    private interface Undo {
        void run() throws IOException;
    }

    /** Returns how much of a file is on the disk. */
    private static final class Durable {
        private long length;
    }

    private final RealDisk disk = new RealDisk();
    private final Path trash;
    private final Map<Path, Durable> files = new TreeMap<>();
    private final Map<Path, Deque<Undo>> changes = new HashMap<>();
    private int changesLeft;
    private final boolean recovers;
    private int trashed;

    /**
     * @param trash an empty directory beside those that are used
     * @param changesLeft the number of changes after which every change fails
     * @param recovers whether only one change fails, as on a disk that was full for a moment
     */
    public PowerLossDisk(Path trash, int changesLeft, boolean recovers) {
        this.trash = trash;
        this.changesLeft = changesLeft;
        this.recovers = recovers;
    }

    /** Returns whether the failure has happened. */
    public boolean failed() {
        return changesLeft <= 0;
    }

    private void change() throws IOException {
        if (changesLeft == 0 || (changesLeft < 0 && !recovers)) {
            changesLeft--;
            throw new IOException("no space left on the disk");
        }
        changesLeft--;
    }

    /** Rolls back what was not synced. */
    public void losePower(Random random) throws IOException {
        for (var each : new TreeMap<>(changes).values()) {
            for (var undone = random.nextInt(each.size() + 1); undone > 0; undone--) {
                each.removeLast().run();
            }
        }
        for (var file : files.entrySet()) {
            if (Files.exists(file.getKey())) {
                var length = Files.size(file.getKey());
                var durable = Math.min(length, file.getValue().length);
                var kept =
                        switch (random.nextInt(3)) {
                            case 0 -> durable;
                            case 1 -> length;
                            default -> random.nextLong(durable, length + 1);
                        };
                disk.truncate(file.getKey(), kept);
            }
        }
    }

    private void named(Path file, Undo undo) {
        changes.computeIfAbsent(file.getParent(), _ -> new ArrayDeque<>()).add(undo);
    }

    private Durable durable(Path file) throws IOException {
        var known = files.get(file);
        if (known == null) {
            known = new Durable();
            known.length = Files.exists(file) ? Files.size(file) : 0;
            files.put(file, known);
        }
        return known;
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        change();
        disk.createDirectory(directory);
    }

    @Override
    public AppendFile append(Path file) throws IOException {
        if (!Files.exists(file)) {
            change();
            files.remove(file);
            var _ = durable(file);
            named(file, () -> Files.deleteIfExists(file));
        }
        return new OpenFile(disk.append(file), durable(file));
    }

    @Override
    public byte[] read(Path file) throws IOException {
        return disk.read(file);
    }

    @Override
    public MappedFile map(Path file) throws IOException {
        return disk.map(file);
    }

    @Override
    public MappedFile allocate(Path file, long length) throws IOException {
        change();
        var mappedFile = disk.allocate(file, length);
        files.remove(file);
        named(file, () -> Files.deleteIfExists(file));
        return mappedFile;
    }

    @Override
    public MappedFile reopen(Path file) throws IOException {
        return disk.reopen(file);
    }

    @Override
    public boolean exists(Path file) {
        return disk.exists(file);
    }

    @Override
    public long length(Path file) throws IOException {
        return disk.length(file);
    }

    @Override
    public void truncate(Path file, long length) throws IOException {
        change();
        var durable = durable(file);
        disk.truncate(file, length);
        durable.length = Math.min(durable.length, length);
    }

    @Override
    public void moveAtomically(Path from, Path to) throws IOException {
        change();
        var moved = durable(from);
        var before = Files.exists(to) ? durable(to) : null;
        var replaced = before == null ? null : toTrash(to);
        disk.moveAtomically(from, to);
        files.remove(from);
        files.put(to, moved);
        named(
                to,
                () -> {
                    move(to, from);
                    files.put(from, moved);
                    files.remove(to);
                    if (replaced != null && before != null) {
                        move(replaced, to);
                        files.put(to, before);
                    }
                });
    }

    private Path toTrash(Path file) throws IOException {
        var copy = trash.resolve(Integer.toString(trashed++));
        return Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
    }

    private static void move(Path from, Path to) {
        try {
            Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void delete(Path file) throws IOException {
        if (!Files.exists(file)) {
            return;
        }
        change();
        var before = durable(file);
        var copy = toTrash(file);
        disk.delete(file);
        files.remove(file);
        named(
                file,
                () -> {
                    move(copy, file);
                    files.put(file, before);
                });
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        return new ArrayList<>(disk.list(directory));
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        change();
        changes.remove(directory);
    }

    private final class OpenFile implements AppendFile {

        private final AppendFile file;
        private final Durable durable;

        OpenFile(AppendFile file, Durable durable) {
            this.file = file;
            this.durable = durable;
        }

        @Override
        public long length() {
            return file.length();
        }

        @Override
        public void append(ByteBuffer bytes) throws IOException {
            if (changesLeft == 0) {
                file.append(bytes.slice(bytes.position(), bytes.remaining() / 2));
            }
            change();
            file.append(bytes);
        }

        @Override
        public void append(Path source) throws IOException {
            change();
            file.append(source);
        }

        @Override
        public void sync() throws IOException {
            change();
            durable.length = file.length();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
