package dev.orbweaver.internal.disk;

import java.nio.file.Path;

/** Receives what a check of a crawl's files finds. */
public interface Findings {

    /** The offset of a finding that concerns a whole file. */
    long WHOLE_FILE = -1;

    void damage(Path file, long offset, String what);

    /** Something worth knowing that is no damage, or cannot be told from it. */
    void note(Path file, String what);

    void checked(long bytes);

    default void damage(Path file, String what) {
        damage(file, WHOLE_FILE, what);
    }
}
