package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.Fingerprint;

import java.util.function.Consumer;

/** The exact set of keys that a job has met. */
public interface SeenSet {

    /** Whether the key was added, committed or not. */
    boolean contains(Fingerprint key);

    /** Adds a key that is not there. */
    void add(Fingerprint key);

    /** What was added since the last commit is now a fact. */
    void commit();

    /** How many keys there are. */
    long size();

    /** Every key, in no order. */
    void forEach(Consumer<Fingerprint> action);
}
