package dev.orbweaver.model;

import java.nio.file.Path;

/** The body of a response: in memory, or in a temporary file that the crawl deletes. */
public sealed interface Body {

    /** A body without bytes. */
    Body EMPTY = new InMemory(new byte[0], 0);

    /** Returns the number of bytes. */
    long length();

    /** A body in memory: the first {@code size} bytes of the array, which must not be changed. */
    @SuppressWarnings(
            "ArrayRecordComponent") // Bodies are never compared; copying them is what we avoid.
    record InMemory(byte[] bytes, int size) implements Body {
        @Override
        public long length() {
            return size;
        }
    }

    /** A body in a file, because it is too large for the heap. */
    record InFile(Path file, long length) implements Body {}
}
