package dev.orbweaver.sinks.backup;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 of parts of files, in hexadecimal. */
public final class Sha256 {

    private static final int BUFFER = 1 << 16;

    private Sha256() {}

    /** Receives the bytes of a part of a file in order. */
    interface Chunks {
        void accept(ByteBuffer bytes) throws IOException;
    }

    public static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime lacks SHA-256", e);
        }
    }

    /** Returns the hash of the bytes that a digest has received. */
    public static String hex(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }

    public static String of(Path file, long offset, long length) throws IOException {
        return of(file, offset, length, _ -> {});
    }

    /** Passes the bytes of a part of a file and returns their hash. */
    static String of(Path file, long offset, long length, Chunks out) throws IOException {
        var sha = digest();
        var buffer = ByteBuffer.allocate(BUFFER);
        try (var channel = FileChannel.open(file)) {
            for (var left = length; left > 0; ) {
                buffer.clear().limit((int) Math.min(left, BUFFER));
                if (channel.read(buffer, offset + length - left) < 0) {
                    throw new EOFException(file + " was truncated while it was copied");
                }
                left -= buffer.flip().remaining();
                sha.update(buffer.duplicate());
                out.accept(buffer);
            }
        }
        return hex(sha);
    }

    /** Returns the error for bytes that changed after their hash was computed. */
    public static IOException changed(Path file) {
        return new IOException(file + " changed while it was copied; run the command again");
    }
}
