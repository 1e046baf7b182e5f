package dev.orbweaver.internal.disk;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Small text files that are always whole and carry their own checksum.
 *
 * <p>After a crash there is the old text or the new one. The checksum (CRC-32C of the text without
 * it) is the last member of a JSON object and the last line, a comment, of any other text; so other
 * programs can read the files as they are.
 */
public final class AtomicFile {

    private static final String LINE = "# crc32c:";
    private static final Pattern LAST_LINE = Pattern.compile(LINE + "[0-9a-f]{8}\n$");
    private static final Pattern LAST_MEMBER =
            Pattern.compile(",\\s*\"checksum\"\\s*:\\s*\"crc32c:[0-9a-f]{8}\"(?=\\s*}\\s*$)");

    private AtomicFile() {}

    public static final class DamagedException extends IOException {
        private static final long serialVersionUID = 1;

        DamagedException(Path file) {
            super(
                    "%s is damaged, its text does not match its checksum: restore it from a copy, and see 'orbweaver verify' for what else is wrong"
                            .formatted(file));
        }
    }

    /** Replaces the file with a text and its checksum. */
    public static void write(Disk disk, Path file, String text) throws IOException {
        replace(disk, file, withChecksum(text).getBytes(UTF_8), false);
    }

    /** Like {@link #write}, for a file that other users must not read, from its first byte on. */
    public static void writePrivate(Disk disk, Path file, String text) throws IOException {
        replace(disk, file, withChecksum(text).getBytes(UTF_8), true);
    }

    /** The text of a file, which must match its checksum. */
    public static String read(Disk disk, Path file) throws IOException {
        return verifiedText(disk.read(file)).orElseThrow(() -> new DamagedException(file));
    }

    /** Puts a text in place of whatever the file held, for formats with checksums of their own. */
    public static void replace(Disk disk, Path file, String text) throws IOException {
        replace(disk, file, text.getBytes(UTF_8), false);
    }

    /** Puts private bytes in place of the file's content, with a checksum of their own. */
    public static void replacePrivate(Disk disk, Path file, byte[] content) throws IOException {
        replace(disk, file, content, true);
    }

    private static void replace(Disk disk, Path file, byte[] content, boolean isPrivate)
            throws IOException {
        var unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
        disk.delete(unfinished);
        try (var out = disk.append(unfinished)) {
            if (isPrivate) {
                disk.makePrivate(unfinished);
            }
            out.append(ByteBuffer.wrap(content));
            out.sync();
        }
        disk.moveAtomically(unfinished, file);
    }

    /** A text with its checksum. */
    public static String withChecksum(String text) {
        var checksum = "%08x".formatted(RunningChecksum.of(text.getBytes(UTF_8)));
        var end = text.stripTrailing().length() - 1;
        if (!text.startsWith("{") || end <= 0 || text.charAt(end) != '}') {
            return text + LINE + checksum + "\n";
        }
        var at = text.substring(0, end).stripTrailing().length();
        var pretty = at < end;
        var name = pretty ? ",\n  \"checksum\" : \"crc32c:" : ",\"checksum\":\"crc32c:";
        return text.substring(0, at) + name + checksum + "\"" + text.substring(at);
    }

    /** The text without its checksum; empty when it has none or another one. */
    public static Optional<String> verifiedText(byte[] sealed) {
        var plain = withoutChecksum(new String(sealed, UTF_8));
        return Arrays.equals(withChecksum(plain).getBytes(UTF_8), sealed)
                ? Optional.of(plain)
                : Optional.empty();
    }

    /** The text without a checksum, right or wrong. */
    public static String withoutChecksum(String text) {
        var json = LAST_MEMBER.matcher(text).replaceFirst("");
        return json.length() < text.length() ? json : LAST_LINE.matcher(text).replaceFirst("");
    }
}
