package dev.orbweaver.frontier.disk;

import dev.orbweaver.disk.Disk;
import dev.orbweaver.disk.WholeFile;
import dev.orbweaver.frontier.FrontierDamagedException;
import dev.orbweaver.url.FingerprintKey;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The file that holds a frontier's fingerprint key: eight bytes of magic and version, the key, a
 * CRC-32C over both. It is written before the first fingerprint and never changes. Without it no
 * stored fingerprint can be matched with a URL again, so a frontier that lost it does not open.
 */
public final class KeyFile {

    /** Its name in the directory of a frontier. */
    public static final String NAME = "fingerprint-key";

    private static final byte[] MAGIC = "ORBFKEY1".getBytes(StandardCharsets.US_ASCII);
    private static final int LENGTH = MAGIC.length + FingerprintKey.BYTES + Integer.BYTES;

    private KeyFile() {}

    /**
     * The key of the frontier in a directory; nothing where there is no frontier yet.
     *
     * @throws IOException if there is a frontier, but its key is missing or damaged
     */
    public static Optional<FingerprintKey> read(Disk disk, Path folder) throws IOException {
        var file = folder.resolve(NAME);
        var bytes = disk.exists(file) ? disk.read(file) : new byte[0];
        if (isWhole(bytes)) {
            return Optional.of(
                    FingerprintKey.of(
                            Arrays.copyOfRange(bytes, MAGIC.length, LENGTH - Integer.BYTES)));
        }
        if (isUnused(disk, folder)) {
            return Optional.empty();
        }
        throw new FrontierDamagedException(
                file,
                "is %s, and without it no URL of this frontier can be recognised"
                        .formatted(bytes.length == 0 ? "missing" : "damaged"));
    }

    /** Whether a directory has no file of a frontier but perhaps a key. */
    public static boolean isUnused(Disk disk, Path folder) throws IOException {
        return disk.list(folder).stream()
                .allMatch(path -> path.getFileName().toString().startsWith(NAME));
    }

    /**
     * Stores the key in a directory that has none, durably; where there is one, it must be the
     * same.
     *
     * @param stranger what to tell when it is another
     */
    public static void agree(Disk disk, Path folder, FingerprintKey key, String stranger)
            throws IOException {
        var stored = read(disk, folder);
        if (stored.isEmpty()) {
            write(disk, folder, key);
        } else if (!stored.get().equals(key)) {
            throw new IOException(stranger);
        }
    }

    /** Stores a key durably, in place of any other. */
    public static void write(Disk disk, Path folder, FingerprintKey key) throws IOException {
        var content = ByteBuffer.allocate(LENGTH).put(MAGIC).put(key.bytes());
        content.putInt(checksum(content.array()));
        WholeFile.replacePrivate(disk, folder.resolve(NAME), content.array());
        disk.syncFolder(folder);
    }

    private static boolean isWhole(byte[] bytes) {
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
