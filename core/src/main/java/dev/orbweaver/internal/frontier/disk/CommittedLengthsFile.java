package dev.orbweaver.internal.frontier.disk;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.AppendFile;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.Findings;
import dev.orbweaver.internal.frontier.CommittedLengths;
import dev.orbweaver.internal.frontier.FrontierDamagedException;
import dev.orbweaver.model.CommittedLength;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * Stores committed lengths in a small file, for a crawl whose frontier is elsewhere.
 *
 * <p>Each line is one commit: a checksum, then name, length and checksum of every file that has
 * grown, separated by tabs. A crash may leave an incomplete last line, which is ignored; an
 * incomplete line before the last one is damage.
 */
public final class CommittedLengthsFile implements CommittedLengths {

    public static final String FILE = "marks";

    private static final Logger LOG = LoggerFactory.getLogger(CommittedLengthsFile.class);
    private static final long REWRITE_AT = 1 << 20;

    private final Disk disk;
    private final boolean synced;
    private final Path file;
    private final Map<String, CommittedLength> lengths;
    private AppendFile out;
    private boolean torn;

    private CommittedLengthsFile(
            Disk disk, Path file, boolean synced, Map<String, CommittedLength> marks)
            throws IOException {
        this.synced = synced;
        this.disk = disk;
        this.file = file;
        this.lengths = marks;
        this.out = rewrite();
    }

    /**
     * Opens the lengths in a crawl's directory; empty if there is no file yet.
     *
     * @param synced whether commits must survive a loss of power too
     */
    public static CommittedLengthsFile open(Disk disk, Path directory, boolean synced)
            throws IOException {
        var file = directory.resolve(FILE);
        var bytes = disk.exists(file) ? disk.read(file) : new byte[0];
        return new CommittedLengthsFile(disk, file, synced, parse(file, bytes));
    }

    /** Reads the lengths of a crawl, running or not; changes nothing. */
    public static List<CommittedLength> read(Disk disk, Path directory) throws IOException {
        var file = directory.resolve(FILE);
        return List.copyOf(parse(file, disk.read(file)).values());
    }

    /**
     * Checks the lengths in a crawl's directory; changes nothing. A crash leaves an incomplete last
     * line; one that is followed by others is damage.
     */
    public static void check(Disk disk, Path directory, Findings findings) throws IOException {
        var file = directory.resolve(FILE);
        if (!disk.exists(file)) {
            return;
        }
        var bytes = disk.read(file);
        findings.checked(bytes.length);
        var text = new String(bytes, ISO_8859_1); // One character per byte.
        for (var start = 0; start < text.length(); ) {
            var end = text.indexOf('\n', start);
            var line = end < 0 ? text.substring(start) : text.substring(start, end);
            if (!parse(new String(line.getBytes(ISO_8859_1), UTF_8), new LinkedHashMap<>())) {
                findings.damage(file, start, "the line does not match its checksum");
                return;
            }
            start = end < 0 ? text.length() : end + 1;
        }
    }

    /** Replaces the lengths of a crawl that is not running. */
    public static void write(Disk disk, Path directory, List<CommittedLength> marks)
            throws IOException {
        AtomicFile.replace(disk, directory.resolve(FILE), marks.isEmpty() ? "" : line(marks));
    }

    /**
     * Returns every length that can be read, also after damage. For repair only, because the
     * lengths in between may be older than what was committed.
     */
    public static Map<String, CommittedLength> salvage(Disk disk, Path directory)
            throws IOException {
        var marks = new LinkedHashMap<String, CommittedLength>();
        for (var line : new String(disk.read(directory.resolve(FILE)), UTF_8).split("\n", -1)) {
            var _ = parse(line, marks);
        }
        return marks;
    }

    private static Map<String, CommittedLength> parse(Path file, byte[] bytes) throws IOException {
        var marks = new LinkedHashMap<String, CommittedLength>();
        var text = new String(bytes, UTF_8);
        for (var start = 0; start < text.length(); ) {
            var end = text.indexOf('\n', start);
            if (end < 0 || !parse(text.substring(start, end), marks)) {
                rejectDamage(file, text, start);
                LOG.warn("ignored an incomplete commit at the end of {}", file);
                return marks;
            }
            start = end + 1;
        }
        return marks;
    }

    /**
     * Rejects a bad line that is not the last. A torn commit can only be the last line. With
     * another line after it, an older length would count and the outputs would be truncated to it.
     */
    private static void rejectDamage(Path file, String text, int bad) throws IOException {
        for (var start = text.indexOf('\n', bad) + 1; start > 0; ) {
            var end = text.indexOf('\n', start);
            if (end >= 0 && parse(text.substring(start, end), new LinkedHashMap<>())) {
                throw FrontierDamagedException.inCrawl(
                        file, "is damaged at character %d of %d".formatted(bad, text.length()));
            }
            start = end + 1;
        }
    }

    private static boolean parse(String line, Map<String, CommittedLength> into) {
        var tab = line.indexOf('\t');
        if (tab < 0 || !line.substring(0, tab).equals(checksum(line.substring(tab)))) {
            return false;
        }
        var fields = line.substring(tab + 1).split("\t", -1);
        for (var i = 0; i + 2 < fields.length; i += 3) {
            var checksum = Integer.parseUnsignedInt(fields[i + 2], 16);
            into.put(
                    fields[i],
                    new CommittedLength(fields[i], Long.parseLong(fields[i + 1]), checksum));
        }
        return true;
    }

    private static String checksum(String text) {
        var crc = new CRC32();
        crc.update(text.getBytes(UTF_8));
        return Long.toHexString(crc.getValue());
    }

    private static String line(List<CommittedLength> marks) {
        var rest = new StringBuilder();
        for (var mark : marks) {
            rest.append('\t').append(mark.name()).append('\t').append(mark.length());
            rest.append('\t').append(Integer.toHexString(mark.checksum()));
        }
        return checksum(rest.toString()) + rest + "\n";
    }

    @Override
    public synchronized List<CommittedLength> latest() {
        return List.copyOf(lengths.values());
    }

    @Override
    public synchronized void write(List<CommittedLength> changed) throws IOException {
        if (changed.isEmpty()) {
            return;
        }
        changed.forEach(mark -> lengths.put(mark.name(), mark));
        if (torn || out.length() > REWRITE_AT) {
            out.close();
            out = rewrite();
            torn = false;
            return;
        }
        torn = true; // Until the whole line is written: nothing may follow a partial one.
        out.append(ByteBuffer.wrap(line(changed).getBytes(UTF_8)));
        if (synced) {
            out.sync();
        }
        torn = false;
    }

    private AppendFile rewrite() throws IOException {
        AtomicFile.replace(
                disk, file, lengths.isEmpty() ? "" : line(List.copyOf(lengths.values())));
        return disk.append(file);
    }

    @Override
    public synchronized void close() throws IOException {
        out.close();
    }
}
