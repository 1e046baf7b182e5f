package dev.orbweaver.internal.traps;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Balances of URL patterns that several workers on one job keep together, so that a verdict does
 * not depend on which worker fetched the pages. See {@link TrapDetector}.
 */
public interface TrapBalances {

    /** This process is the only worker: its own balances count. */
    TrapBalances LOCAL =
            new TrapBalances() {
                @Override
                public int[] apply(Changes changes) {
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
    record Changes(String id, int max, List<Long> keys, List<Integer> deltas) {

        static Changes empty(String id, int max) {
            return new Changes(id, max, new ArrayList<>(), new ArrayList<>());
        }

        void add(long key, int change) {
            keys.add(key);
            deltas.add(change);
        }
    }

    /** Makes changes and returns the balance of each key after all of them. */
    int[] apply(Changes changes) throws IOException;

    /** The balance of each key; 0 for one that has none. */
    int[] balances(List<Long> keys) throws IOException;
}
