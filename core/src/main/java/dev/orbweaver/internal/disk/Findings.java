package dev.orbweaver.internal.disk;

import java.nio.file.Path;

/** Receives the findings of a check of a crawl's files. */
public interface Findings {

    /** The offset of a finding that concerns a whole file. */
    long WHOLE_FILE = -1;

    void damage(Path file, long offset, String what);

    /** Reports an observation that is not damage, or that cannot be distinguished from damage. */
    void note(Path file, String what);

    void checked(long bytes);

    default void damage(Path file, String what) {
        damage(file, WHOLE_FILE, what);
    }
}
