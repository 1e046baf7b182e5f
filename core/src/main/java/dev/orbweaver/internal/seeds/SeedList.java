package dev.orbweaver.internal.seeds;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.model.CrawlUrl;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A list of seeds that a crawl reads from a file: its own copy, or a large file of the user's, of
 * which the crawl has the path and the digest.
 *
 * @param name its name among the lists of the crawl; lists are read in the order of their names
 * @param file the lines, in the format of {@link SeedLine}
 * @param bytes the length of the file
 * @param sha256 the digest of a user's file, as it must be while it is read
 */
public record SeedList(String name, Path file, long bytes, Optional<String> sha256) {

    private static final String COPY = ".list";
    private static final String REFERENCE = ".ref";
    private static final String CAPTURES = "captures-";
    private static final String ANNOUNCED = "announced";
    private static final String UNFINISHED = ".part";
    private static final String SOURCE_REJECTIONS = ".source.rejected.tsv";

    /** A list of announced URLs of this length gets no more of them. */
    private static final long ANNOUNCED_BYTES = 1 << 20;

    /** How many lists of announced URLs a crawl may have; those that were read are deleted. */
    private static final int ANNOUNCED_MAX = 32;

    private static final int BLOCK = 64 << 10;

    /** A copy of a user's file, beside its reference, in a crawl that was restored. */
    private static final String RESTORED = ".copy";

    /** Contains the number of the last list. Its lock is held while a list gets its name. */
    private static final String LAST_NUMBER = ".last-number";

    private static final int NUMBER_BYTES_MAX = 20;
    private static final int LABEL_MAX = 60;
    private static final int LABEL_HASH = 16;

    /** Returns the lists of a crawl, in the order in which they are read. */
    public static List<SeedList> of(Path crawl) throws IOException {
        var directory = crawl.resolve(DirectoryLayout.SEEDS);
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        var lists = new ArrayList<SeedList>();
        for (var file : files(directory)) {
            var name = file.getFileName().toString();
            if (name.endsWith(COPY)) {
                var bytes = isAnnounced(name) ? endOfLines(file) : Files.size(file);
                lists.add(new SeedList(name, file, bytes, Optional.empty()));
            } else if (name.endsWith(REFERENCE)) {
                lists.add(readReference(name, file));
            }
        }
        return lists;
    }

    private static List<Path> files(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }

    /** Reads a reference, which has four lines: path, length, time of the last change, digest. */
    private static SeedList readReference(String name, Path reference) throws IOException {
        var fields = AtomicFile.read(new RealDisk(), reference).lines().toList();
        var restored = reference.resolveSibling(name + RESTORED);
        return new SeedList(
                name,
                Files.exists(restored) ? restored : Path.of(fields.get(0)),
                Long.parseLong(fields.get(1)),
                Optional.of(fields.get(3)));
    }

    /**
     * Checks that a user's file is the one that was added, before any more of it is read. If length
     * and time of the last change are the same, so is the content.
     */
    public void requireUnchanged(Path crawl) throws IOException {
        if (sha256.isEmpty()) {
            return;
        }
        var reference = crawl.resolve(DirectoryLayout.SEEDS).resolve(name);
        if (!Files.isReadable(file)) {
            throw new IOException(
                    "cannot read the seed list %s: put it back, or delete %s to continue without its other URLs"
                            .formatted(file, reference));
        }
        var changed = AtomicFile.read(new RealDisk(), reference).lines().toList().get(2);
        var same =
                Files.size(file) == bytes
                        && (Files.getLastModifiedTime(file).toString().equals(changed)
                                || digest(file).equals(sha256.get()));
        if (!same) {
            throw new IOException(
                    "the seed list %s has changed since it was added: restore it, or delete %s and add the new list with 'orbweaver seed %s --seeds %s'"
                            .formatted(file, reference, crawl, file));
        }
    }

    /**
     * Adds a user's file to a crawl by reference, unless it has the same file already.
     *
     * @return whether it was added
     */
    public static boolean addReference(Path crawl, Path file) throws IOException {
        var path = file.toAbsolutePath().normalize();
        var changed = Files.getLastModifiedTime(path);
        var bytes = Files.size(path);
        var digest = digest(path);
        for (var list : of(crawl)) {
            if (list.sha256.filter(digest::equals).isPresent()) {
                return false;
            }
        }
        var _ =
                name(
                        crawl,
                        cut(safe(path.getFileName().toString()), LABEL_MAX),
                        REFERENCE,
                        target ->
                                AtomicFile.write(
                                        new RealDisk(),
                                        target,
                                        "%s%n%d%n%s%n%s%n"
                                                .formatted(path, bytes, changed, digest)));
        return true;
    }

    /** Returns the name that a checkpoint gives to the content of a user's file. */
    public String restoredName() {
        return name + RESTORED;
    }

    /** Writes the lines of a list. */
    public interface Content {
        void writeTo(SeedListWriter out) throws IOException, InterruptedException;
    }

    /**
     * Adds a copy to a crawl. A running crawl sees it when it is complete.
     *
     * @param label what the list contains, for its name
     * @return the number of its lines
     */
    public static long addCopy(Path crawl, String label, Content content)
            throws IOException, InterruptedException {
        return addCopy(crawl, () -> label, content, true);
    }

    /**
     * Adds a copy to a crawl, as {@link #addCopy(Path, String, Content)}.
     *
     * @param label called when the content was written
     */
    public static long addCopy(Path crawl, Supplier<String> label, Content content)
            throws IOException, InterruptedException {
        return addCopy(crawl, label, content, true);
    }

    /** Adds a copy to a crawl, unless it has no line. */
    public static long addCopyUnlessEmpty(Path crawl, String label, Content content)
            throws IOException, InterruptedException {
        return addCopy(crawl, () -> label, content, false);
    }

    private static long addCopy(
            Path crawl, Supplier<String> label, Content content, boolean evenIfEmpty)
            throws IOException, InterruptedException {
        var part = Files.createTempFile(directory(crawl), "list", UNFINISHED);
        try {
            long lines;
            try (var out = new SeedListWriter(Files.newBufferedWriter(part))) {
                content.writeTo(out);
                lines = out.lines();
            }
            if (lines > 0 || evenIfEmpty) {
                var _ = name(crawl, label(label.get()), COPY, target -> Files.move(part, target));
            }
            return lines;
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /**
     * Appends URLs that their sites announced. They are in few lists, however many calls there are,
     * and {@link #deleteRead} deletes those lists. Only the process that runs the crawl calls this.
     *
     * @return false if the crawl has too many that it has not read; then none was added
     */
    public static synchronized boolean announce(Path crawl, List<CrawlUrl> urls)
            throws IOException {
        var text = new StringBuilder();
        urls.forEach(url -> text.append(url.text()).append('\n'));
        var bytes = ByteBuffer.wrap(text.toString().getBytes(UTF_8));
        var lists = of(crawl).stream().filter(SeedList::isAnnounced).toList();
        if (lists.isEmpty() || lists.getLast().bytes >= ANNOUNCED_BYTES) {
            if (lists.size() == ANNOUNCED_MAX) {
                return false;
            }
            var _ = name(crawl, ANNOUNCED, COPY, target -> Files.write(target, bytes.array()));
            return true;
        }
        try (var file = FileChannel.open(lists.getLast().file, StandardOpenOption.WRITE)) {
            var end = lists.getLast().bytes;
            file.truncate(end); // A kill may have left a part of a line.
            while (bytes.hasRemaining()) {
                end += file.write(bytes, end);
            }
        }
        return true;
    }

    /** Returns whether a file of this name is a list of announced URLs, which grows. */
    public static boolean isAnnounced(String name) {
        return name.endsWith("-" + ANNOUNCED + COPY);
    }

    boolean isAnnounced() {
        return isAnnounced(name);
    }

    /** Returns the length of a growing list up to the end of its last complete line. */
    private static long endOfLines(Path list) throws IOException {
        try (var file = FileChannel.open(list)) {
            var block = ByteBuffer.allocate(BLOCK);
            for (var end = file.size(); end > 0; end -= BLOCK) {
                var start = Math.max(0, end - BLOCK);
                block.clear().limit((int) (end - start));
                while (block.hasRemaining() && file.read(block, start + block.position()) >= 0) {}
                for (var at = block.position() - 1; at >= 0; at--) {
                    if (block.get(at) == '\n') {
                        return start + at + 1;
                    }
                }
            }
        }
        return 0;
    }

    /** Deletes the lists of announced URLs that were read, except the last, which may grow. */
    static void deleteRead(List<SeedList> lists, Predicate<SeedList> isRead) throws IOException {
        var announced = lists.stream().filter(SeedList::isAnnounced).toList();
        for (var list : announced.subList(0, Math.max(0, announced.size() - 1))) {
            if (isRead.test(list)) {
                Files.deleteIfExists(list.file);
            }
        }
    }

    /** Returns the label of a list of captures, which a crawl reads before its first request. */
    public static String capturesLabel(String label) {
        return CAPTURES + label;
    }

    boolean isCaptures() {
        return name.endsWith(COPY) && name.startsWith(CAPTURES, name.indexOf('-') + 1);
    }

    /** Returns whether it is a copy that was added with this label. */
    public boolean isOf(String label) {
        return nameWithoutNumber().equals(label(label) + COPY);
    }

    /** Returns what follows the number in the name: a label and the kind of the list. */
    public String nameWithoutNumber() {
        return name.substring(name.indexOf('-') + 1);
    }

    /** Returns whether a list of another crawl has the same label and content. */
    public boolean isAmong(List<SeedList> lists) throws IOException {
        for (var list : lists) {
            if (list.nameWithoutNumber().equals(nameWithoutNumber())
                    && Files.mismatch(list.file, file) < 0) {
                return true;
            }
        }
        return false;
    }

    /** Moves a copy to another crawl, and what its source rejected. */
    public SeedList moveTo(Path crawl) throws IOException {
        var rest = nameWithoutNumber();
        var label = rest.substring(0, rest.length() - COPY.length());
        var moved =
                name(
                        crawl,
                        label,
                        COPY,
                        target -> {
                            if (Files.exists(sourceRejections())) {
                                Files.move(sourceRejections(), sourceRejections(target));
                            }
                            Files.move(file, target);
                        });
        return new SeedList(moved.getFileName().toString(), moved, bytes, sha256);
    }

    /** Returns the file of the entries that the source of a copy rejected, if there are any. */
    public Path sourceRejections() {
        return sourceRejections(file);
    }

    private static Path sourceRejections(Path list) {
        return list.resolveSibling(list.getFileName() + SOURCE_REJECTIONS);
    }

    private interface Placement {
        void place(Path target) throws IOException;
    }

    /**
     * Gives a finished list the next number. A lock keeps other threads and processes from taking
     * the same one. The last number is stored, so the cost does not depend on the number of lists;
     * it is stored before the list has its name, so a kill skips a number at most.
     */
    private static Path name(Path crawl, String label, String extension, Placement placement)
            throws IOException {
        var directory = directory(crawl);
        synchronized (SeedList.class) {
            try (var channel =
                            FileChannel.open(
                                    directory.resolve(LAST_NUMBER),
                                    StandardOpenOption.CREATE,
                                    StandardOpenOption.READ,
                                    StandardOpenOption.WRITE);
                    var _ = channel.lock()) {
                var stored = ByteBuffer.allocate(NUMBER_BYTES_MAX);
                var length = channel.read(stored, 0);
                var last =
                        length > 0
                                ? Long.parseLong(new String(stored.array(), 0, length, US_ASCII))
                                : highestNumber(directory);
                var number = Long.toString(last + 1);
                channel.write(ByteBuffer.wrap(number.getBytes(US_ASCII)), 0);
                var target = directory.resolve("%06d-%s%s".formatted(last + 1, label, extension));
                placement.place(target);
                return target;
            }
        }
    }

    /** Returns the number of the last list of a directory that was copied or restored. */
    private static long highestNumber(Path directory) throws IOException {
        return files(directory).stream()
                .map(file -> file.getFileName().toString())
                .filter(name -> name.endsWith(COPY) || name.endsWith(REFERENCE))
                .mapToLong(name -> Long.parseLong(name.substring(0, name.indexOf('-'))))
                .max()
                .orElse(0);
    }

    private static Path directory(Path crawl) throws IOException {
        var directory = crawl.resolve(DirectoryLayout.SEEDS);
        Files.createDirectories(directory);
        return directory;
    }

    /**
     * Returns a text as part of a file name. If it is too long or has other characters, a hash of
     * all of it follows, so that two sources have the same label only if they are the same.
     */
    private static String label(String text) {
        var safe = safe(text);
        if (safe.equals(text) && safe.length() <= LABEL_MAX) {
            return text;
        }
        var hash = HexFormat.of().formatHex(newSha256().digest(text.getBytes(UTF_8)));
        return cut(safe, LABEL_MAX - 1 - LABEL_HASH) + "-" + cut(hash, LABEL_HASH);
    }

    private static String safe(String text) {
        return text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    }

    private static String cut(String text, int max) {
        return text.substring(0, Math.min(max, text.length()));
    }

    private static String digest(Path file) throws IOException {
        try (var in = new DigestInputStream(Files.newInputStream(file), newSha256())) {
            in.transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(in.getMessageDigest().digest());
        }
    }

    private static MessageDigest newSha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
