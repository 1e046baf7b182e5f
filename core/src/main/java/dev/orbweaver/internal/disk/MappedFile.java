package dev.orbweaver.internal.disk;

import java.io.Closeable;
import java.lang.foreign.MemorySegment;

/** A memory-mapped file. Stored bytes survive the process, but not reliably a loss of power. */
public interface MappedFile extends Closeable {

    MemorySegment bytes();

    @Override
    void close();
}
