package dev.orbweaver.internal.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A file that only grows. Appended bytes survive the process; synced bytes survive a loss of power.
 */
public interface AppendFile extends Closeable {

    long length();

    /** Writes all remaining bytes at the end. */
    void append(ByteBuffer bytes) throws IOException;

    /** Copies a whole file to the end. */
    void append(Path file) throws IOException;

    /** Makes everything appended so far survive a loss of power. */
    void sync() throws IOException;
}
