package dev.orbweaver.model;

import java.nio.file.Path;

/** The bytes of a message: in memory or in a temporary file that its owner deletes. */
public sealed interface Body {

    Body EMPTY = new InMemory(new byte[0], 0);

    long length();

    /** The first {@code size} bytes of {@code bytes}; nobody changes them afterwards. */
    @SuppressWarnings(
            "ArrayRecordComponent") // Bodies are never compared; copying them is what we avoid.
    record InMemory(byte[] bytes, int size) implements Body {
        @Override
        public long length() {
            return size;
        }
    }

    /** A body too large for the heap. */
    record InFile(Path file, long length) implements Body {}
}
