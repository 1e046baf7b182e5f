package dev.orbweaver.internal.archive;

/** What was taken down and must not be shown any more, to nobody. */
@FunctionalInterface
public interface Tombstones {

    /** Nothing was. */
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

    /** Whether this URL was. */
    boolean covers(String url);

    /** Whether nothing was, for those who would ask for very many. */
    default boolean isEmpty() {
        return false;
    }
}
