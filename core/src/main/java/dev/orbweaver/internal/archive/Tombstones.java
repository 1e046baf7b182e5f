package dev.orbweaver.internal.archive;

/** What was taken down and must not be shown any more. */
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

    /** Whether nothing was taken down, for fast paths. */
    default boolean isEmpty() {
        return false;
    }
}
