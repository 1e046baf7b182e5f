package dev.orbweaver.crawl;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Balances of URL patterns that several workers on one job keep together, so that a verdict does
 * not depend on which worker fetched the pages. See {@link Novelty}.
 */
public interface TrapAccounts {

    /** This process is the only worker: its own balances count. */
    TrapAccounts OWN =
            new TrapAccounts() {
                @Override
                public int[] change(Changes changes) {
                    return new int[0];
                }

                @Override
                public int[] balances(List<Long> keys) {
                    return new int[0];
                }
            };

    /**
     * Changes to make in order.
     *
     * @param id identifies these changes, so that they are made once even if they are sent again
     * @param max no balance rises above this
     */
    record Changes(String id, int max, List<Long> keys, List<Integer> by) {

        static Changes none(String id, int max) {
            return new Changes(id, max, new ArrayList<>(), new ArrayList<>());
        }

        void add(long key, int change) {
            keys.add(key);
            by.add(change);
        }
    }

    /** Makes changes and returns the balance of each key after all of them. */
    int[] change(Changes changes) throws IOException;

    /** The balance of each key; 0 for one that has none. */
    int[] balances(List<Long> keys) throws IOException;
}
