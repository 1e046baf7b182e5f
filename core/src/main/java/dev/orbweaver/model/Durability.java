package dev.orbweaver.model;

/** What committed pages and the frontier survive. */
public enum Durability {
    /** The death of the process. A loss of power can cost the last seconds. */
    PROCESS,
    /** A loss of power too: every commit is synced to the disk. */
    POWER
}
