package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.Fingerprint;

import java.util.function.Consumer;

/** The exact set of keys that a job has seen. */
public interface SeenSet {

    /** Whether the key was added, committed or not. */
    boolean contains(Fingerprint key);

    /** The key must not be in it. */
    void add(Fingerprint key);

    /** Commits what was added since the last commit. */
    void commit();

    /** In no order. */
    void forEach(Consumer<Fingerprint> action);
}
