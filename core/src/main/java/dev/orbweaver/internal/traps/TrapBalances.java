package dev.orbweaver.internal.traps;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Balances of URL patterns shared by several workers on one job, so that a decision does not depend
 * on which worker fetched the pages. See {@link TrapDetector}.
 */
public interface TrapBalances {

    /** Used when this process is the only worker: its own balances apply. */
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
     * Changes to apply in order.
     *
     * @param id identifies these changes, so that they are applied once even if they are sent again
     * @param max the upper limit of a balance
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

    /** Applies changes and returns the balance of each key after all of them. */
    int[] apply(Changes changes) throws IOException;

    /** Returns the balance of each key; 0 for an unknown one. */
    int[] balances(List<Long> keys) throws IOException;
}
