package dev.orbweaver.internal.disk;

import java.io.Closeable;
import java.lang.foreign.MemorySegment;

/**
 * A file seen as memory, for as long as it is open. What is stored in it survives the process; it
 * survives a loss of power only as far as the operating system happened to write it.
 */
public interface MappedFile extends Closeable {

    /** The file's bytes. */
    MemorySegment bytes();

    @Override
    void close();
}
