package dev.orbweaver.internal.archive;

/** URLs and hosts that were taken down; readers must not show them. */
@FunctionalInterface
public interface Tombstones {

    Tombstones NONE =
            new Tombstones() {
                @Override
                public boolean covers(String url) {
                    return false;
                }

                @Override
                public boolean isEmpty() {
                    return true;
                }
            };

    boolean covers(String url);

    /** Returns whether nothing was taken down, for fast paths. */
    default boolean isEmpty() {
        return false;
    }
}
