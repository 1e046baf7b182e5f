package dev.orbweaver.export;

/** What was taken down and must not be shown any more, to nobody. */
@FunctionalInterface
public interface Tombstones {

    /** Nothing was. */
    Tombstones NONE = _ -> false;

    /** Whether this URL was. */
    boolean cover(String url);
}
