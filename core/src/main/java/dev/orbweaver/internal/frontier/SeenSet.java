package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.Fingerprint;

import java.util.function.Consumer;

/** The exact set of keys that a job has seen. */
public interface SeenSet {

    /** Returns whether the key was added, committed or not. */
    boolean contains(Fingerprint key);

    /** Adds a key that is not in the set. */
    void add(Fingerprint key);

    /** Commits the keys added since the last commit. */
    void commit();

    /** Passes every key, in no particular order. */
    void forEach(Consumer<Fingerprint> action);
}
