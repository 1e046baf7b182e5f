package dev.orbweaver.internal.disk;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Small text files that are replaced atomically and contain their own checksum.
 *
 * <p>After a crash, the file has either the old text or the new one. The checksum (CRC-32C of the
 * text without it) is the last member of a JSON object, or a comment as the last line of any other
 * text, so other programs can read the files unchanged.
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
                    "%s is damaged, its text does not match its checksum: restore it from a backup, and let the command 'orbweaver verify' look for other damage"
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

    /**
     * Reads the text of a file.
     *
     * @throws IOException also if the text does not match its checksum
     */
    public static String read(Disk disk, Path file) throws IOException {
        return verifiedText(disk.read(file)).orElseThrow(() -> new DamagedException(file));
    }

    /** Replaces the file's content, for formats that have their own checksums. */
    public static void replace(Disk disk, Path file, String text) throws IOException {
        replace(disk, file, text.getBytes(UTF_8), false);
    }

    /** Replaces the file's content with private bytes that have their own checksum. */
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

    /** Returns a text with its checksum appended. */
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

    /** Returns the text without its checksum; empty if the checksum is missing or wrong. */
    public static Optional<String> verifiedText(byte[] sealed) {
        var plain = withoutChecksum(new String(sealed, UTF_8));
        return Arrays.equals(withChecksum(plain).getBytes(UTF_8), sealed)
                ? Optional.of(plain)
                : Optional.empty();
    }

    /** Returns the text without its checksum, which is not verified. */
    public static String withoutChecksum(String text) {
        var json = LAST_MEMBER.matcher(text).replaceFirst("");
        return json.length() < text.length() ? json : LAST_LINE.matcher(text).replaceFirst("");
    }
}
