package dev.orbweaver.internal.disk;

import java.io.Closeable;
import java.lang.foreign.MemorySegment;

/** A file as memory. Stored bytes survive the process, and a loss of power only by chance. */
public interface MappedFile extends Closeable {

    MemorySegment bytes();

    @Override
    void close();
}
