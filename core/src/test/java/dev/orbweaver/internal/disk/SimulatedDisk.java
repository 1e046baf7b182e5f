package dev.orbweaver.internal.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * A disk in memory that fails on command.
 *
 * <p>Every operation that changes something has a number, from 1. At a chosen one the disk either
 * fails once ({@link #failAt}) or the process dies ({@link #crashAt}); a write at that point is
 * torn, half of it done. Afterwards {@link #afterCrash} is the disk as the next process finds it,
 * and {@link #afterPowerLoss()} the disk without everything that was not synced: bytes after the
 * last sync of their file, and names since the last sync of their directory. {@link
 * #afterPowerLoss(Random)} chooses for each file and directory how much is lost.
 */
public final class SimulatedDisk implements Disk {

    /** The process dies here. */
    @SuppressWarnings("serial")
    public static final class Crash extends RuntimeException {
        private Crash() {
            super("the process dies");
        }
    }

    private static final class Content {
        private byte[] bytes = new byte[64];
        private int length;
        private int synced;
        private boolean mapped;

        private Content() {}

        private Content(byte[] bytes, int length) {
            this.bytes = Arrays.copyOf(bytes, Math.max(64, length));
            this.length = length;
            this.synced = length;
        }

        /** Returns the disk after some of the unsynced changes were lost. */
        private Content partly(Random random) {
            var unsynced = Math.max(0, length - synced);
            var extra =
                    switch (random.nextInt(3)) {
                        case 0 -> 0;
                        case 1 -> unsynced;
                        default -> unsynced == 0 ? 0 : random.nextInt(unsynced);
                    };
            var left = new Content(bytes, Math.min(synced, length) + extra);
            for (var page = PAGE; mapped && page < left.length; page += PAGE) {
                if (random.nextBoolean()) {
                    Arrays.fill(left.bytes, page, Math.min(page + PAGE, left.length), (byte) 0);
                }
            }
            return left;
        }

        private void append(ByteBuffer source, int count) {
            if (length + count > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + count));
            }
            source.get(bytes, length, count);
            length += count;
        }
    }

    private static final int PAGE = 4096;

    private final Map<Path, Content> files = new TreeMap<>();
    private final Map<Path, Content> durable = new HashMap<>();

    /** The names in each directory after every change since its last sync. */
    private final Map<Path, List<Map<Path, Content>>> changes = new TreeMap<>();

    private Predicate<Path> full = _ -> false;
    private int operations;
    private int failAt;
    private int failFrom = Integer.MAX_VALUE;
    private int crashAt;
    private boolean dead;

    /** Returns the number of operations that have changed something. */
    public int operations() {
        return operations;
    }

    /** Makes the given operation fail as on a full disk; later ones work again. */
    public void failAt(int operation) {
        failAt = operation;
    }

    /** Makes every operation from the given one on fail as on a full disk; 0 ends that. */
    public void failFrom(int operation) {
        failFrom = operation == 0 ? Integer.MAX_VALUE : operation;
    }

    /** Makes every write to such files fail as on a full disk, until it is called again. */
    public void failOn(Predicate<Path> files) {
        full = files;
    }

    /** Makes the process die in the middle of the given operation. */
    public void crashAt(int operation) {
        crashAt = operation;
    }

    /** Returns the disk that the next process finds. */
    public SimulatedDisk afterCrash() {
        var next = new SimulatedDisk();
        files.forEach(
                (path, content) ->
                        next.files.put(path, new Content(content.bytes, content.length)));
        next.durable.putAll(next.files);
        return next;
    }

    /** Returns the disk after a loss of power. */
    public SimulatedDisk afterPowerLoss() {
        var next = new SimulatedDisk();
        durable.forEach(
                (path, content) -> {
                    var left = new Content(content.bytes, content.synced);
                    if (content.mapped) {
                        forgetEveryOtherPage(left);
                    }
                    next.files.put(path, left);
                });
        next.durable.putAll(next.files);
        return next;
    }

    /**
     * Returns the disk after a loss of power, if the operating system had written some of the
     * unsynced data: of each file any length from the synced length on, and in each directory the
     * names after any change since its last sync, because file systems keep these in order.
     */
    public SimulatedDisk afterPowerLoss(Random random) {
        var next = new SimulatedDisk();
        var kept = new TreeMap<>(durable);
        changes.forEach(
                (directory, states) -> {
                    var state = random.nextInt(states.size() + 1);
                    if (state > 0) {
                        kept.keySet().removeIf(file -> directory.equals(file.getParent()));
                        kept.putAll(states.get(state - 1));
                    }
                });
        kept.forEach((path, content) -> next.files.put(path, content.partly(random)));
        next.durable.putAll(next.files);
        return next;
    }

    private void nameChanged(Path file) {
        var directory = Objects.requireNonNull(file.getParent());
        var names = new TreeMap<Path, Content>();
        files.forEach(
                (path, content) -> {
                    if (directory.equals(path.getParent())) {
                        names.put(path, content);
                    }
                });
        changes.computeIfAbsent(directory, _ -> new ArrayList<>()).add(names);
    }

    /** Mapped memory was written back only in part, if at all. */
    private static void forgetEveryOtherPage(Content content) {
        for (var page = PAGE; page < content.length; page += 2 * PAGE) {
            Arrays.fill(content.bytes, page, Math.min(page + PAGE, content.length), (byte) 0);
        }
    }

    /** Creates a file from outside, without the disk's interface. */
    public void put(Path file, byte[] bytes) {
        files.put(file, new Content(bytes, bytes.length));
    }

    /**
     * Counts an operation; returns true if it must be left half done and {@link #broken} called.
     */
    private boolean breaks(Path file) {
        if (dead) {
            throw new Crash();
        }
        operations++;
        return operations == failAt
                || operations >= failFrom
                || operations == crashAt
                || full.test(file);
    }

    private IOException broken() {
        if (operations == crashAt) {
            dead = true;
            throw new Crash();
        }
        return new IOException("no space left on the simulated disk");
    }

    private void step(Path file) throws IOException {
        if (breaks(file)) {
            throw broken();
        }
    }

    private Content content(Path file) throws IOException {
        var content = files.get(file);
        if (content == null) {
            throw new NoSuchFileException(file.toString());
        }
        return content;
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        step(directory);
    }

    @Override
    public AppendFile append(Path file) throws IOException {
        if (!files.containsKey(file)) {
            step(file);
            files.put(file, new Content());
            nameChanged(file);
        }
        return new OpenFile(file, content(file));
    }

    @Override
    public byte[] read(Path file) throws IOException {
        var content = content(file);
        return Arrays.copyOf(content.bytes, content.length);
    }

    @Override
    public MappedFile map(Path file) throws IOException {
        return region(content(file)).readOnly();
    }

    @Override
    public MappedFile allocate(Path file, long length) throws IOException {
        step(file);
        var content = new Content(new byte[0], 0);
        content.bytes = new byte[Math.toIntExact(length)];
        content.length = content.bytes.length;
        files.put(file, content);
        nameChanged(file);
        return reopen(file);
    }

    @Override
    public MappedFile reopen(Path file) throws IOException {
        var content = content(file);
        content.mapped = true;
        return region(content);
    }

    private static MemoryMapping region(Content content) {
        return new MemoryMapping(MemorySegment.ofArray(content.bytes).asSlice(0, content.length));
    }

    private record MemoryMapping(MemorySegment bytes) implements MappedFile {

        MemoryMapping readOnly() {
            return new MemoryMapping(bytes.asReadOnly());
        }

        @Override
        public void close() {}
    }

    @Override
    public boolean exists(Path file) {
        return files.containsKey(file);
    }

    @Override
    public long length(Path file) throws IOException {
        return content(file).length;
    }

    @Override
    public void truncate(Path file, long length) throws IOException {
        step(file);
        var content = content(file);
        content.length = Math.toIntExact(Math.min(length, content.length));
        content.synced = Math.min(content.synced, content.length);
    }

    @Override
    public void moveAtomically(Path from, Path to) throws IOException {
        step(from);
        files.put(to, content(from));
        files.remove(from);
        nameChanged(to);
    }

    @Override
    public void delete(Path file) throws IOException {
        if (files.containsKey(file)) {
            step(file);
            files.remove(file);
            nameChanged(file);
        }
    }

    @Override
    public List<Path> list(Path directory) {
        return files.keySet().stream().filter(file -> directory.equals(file.getParent())).toList();
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        step(directory);
        changes.remove(directory);
        durable.keySet().removeIf(file -> directory.equals(file.getParent()));
        list(directory).forEach(file -> durable.put(file, files.getOrDefault(file, new Content())));
    }

    private final class OpenFile implements AppendFile {

        private final Path file;
        private final Content content;

        OpenFile(Path file, Content content) {
            this.file = file;
            this.content = content;
        }

        @Override
        public long length() {
            return content.length;
        }

        @Override
        public void append(ByteBuffer bytes) throws IOException {
            var breaks = breaks(file);
            content.append(bytes, breaks ? bytes.remaining() / 2 : bytes.remaining());
            if (breaks) {
                throw broken();
            }
        }

        @Override
        public void append(Path source) throws IOException {
            append(ByteBuffer.wrap(Files.readAllBytes(source)));
        }

        @Override
        public void sync() throws IOException {
            step(file);
            content.synced = content.length;
        }

        @Override
        public void close() {}
    }
}
