package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.frontier.FrontierDamagedException;
import dev.orbweaver.internal.url.FingerprintKey;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The file with a frontier's fingerprint key: eight bytes of magic and version, the key, a CRC-32C
 * of both.
 *
 * <p>It is written before the first fingerprint and never changes. Without it no stored fingerprint
 * can be matched with a URL again, so a frontier whose key file is missing does not open.
 */
public final class FingerprintKeyFile {

    public static final String NAME = "fingerprint-key";

    private static final byte[] MAGIC = "ORBFKEY1".getBytes(StandardCharsets.US_ASCII);
    private static final int LENGTH = MAGIC.length + FingerprintKey.BYTES + Integer.BYTES;

    private FingerprintKeyFile() {}

    /**
     * Reads the key of the frontier in a directory; empty if there is no frontier yet.
     *
     * @throws IOException if there is a frontier, but its key is missing or damaged
     */
    public static Optional<FingerprintKey> read(Disk disk, Path directory) throws IOException {
        var file = directory.resolve(NAME);
        var bytes = disk.exists(file) ? disk.read(file) : new byte[0];
        if (isIntact(bytes)) {
            return Optional.of(
                    FingerprintKey.of(
                            Arrays.copyOfRange(bytes, MAGIC.length, LENGTH - Integer.BYTES)));
        }
        if (isUnused(disk, directory)) {
            return Optional.empty();
        }
        throw new FrontierDamagedException(
                file,
                "is %s, and without it no URL of this frontier can be recognised"
                        .formatted(bytes.length == 0 ? "missing" : "damaged"));
    }

    /** Returns whether a directory has no file of a frontier except possibly a key. */
    public static boolean isUnused(Disk disk, Path directory) throws IOException {
        return disk.list(directory).stream()
                .allMatch(path -> path.getFileName().toString().startsWith(NAME));
    }

    /**
     * Stores the key durably in a directory that has none; an existing key must be equal.
     *
     * @param mismatchMessage the error message if it is another key
     */
    public static void createOrVerify(
            Disk disk, Path directory, FingerprintKey key, String mismatchMessage)
            throws IOException {
        var stored = read(disk, directory);
        if (stored.isEmpty()) {
            write(disk, directory, key);
        } else if (!stored.get().equals(key)) {
            throw new IOException(mismatchMessage);
        }
    }

    /** Stores a key durably and replaces any other. */
    public static void write(Disk disk, Path directory, FingerprintKey key) throws IOException {
        var content = ByteBuffer.allocate(LENGTH).put(MAGIC).put(key.bytes());
        content.putInt(checksum(content.array()));
        AtomicFile.replacePrivate(disk, directory.resolve(NAME), content.array());
        disk.syncDirectory(directory);
    }

    private static boolean isIntact(byte[] bytes) {
        return bytes.length == LENGTH
                && Arrays.equals(MAGIC, 0, MAGIC.length, bytes, 0, MAGIC.length)
                && ByteBuffer.wrap(bytes).getInt(LENGTH - Integer.BYTES) == checksum(bytes);
    }

    private static int checksum(byte[] content) {
        var crc = new CRC32C();
        crc.update(content, 0, LENGTH - Integer.BYTES);
        return (int) crc.getValue();
    }
}
