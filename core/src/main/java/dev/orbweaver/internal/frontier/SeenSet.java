package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.Fingerprint;

import java.util.function.Consumer;

/** The exact set of keys that a job has seen. */
public interface SeenSet {

    /** Returns whether the key was added, committed or not. */
    boolean contains(Fingerprint key);

    /**
     * Reads the memory where a look-up of the key begins, and returns what is there. A look-up in a
     * large set waits for memory; reads of many keys one after the other wait together.
     */
    default long peek(Fingerprint key) {
        return 0;
    }

    /** Adds a key that is not in the set. */
    void add(Fingerprint key);

    /** Commits the keys added since the last commit. */
    void commit();

    /** Passes every key, in no particular order. */
    void forEach(Consumer<Fingerprint> action);
}
