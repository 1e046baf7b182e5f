package dev.orbweaver.internal.revisit;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Finds the signals of a batch by URL hash, fast for hashes that are not in the batch. */
final class SignalTable {

    private final Map<Integer, List<Signal>> byHash = new HashMap<>();
    private final BitSet filter;
    private final int mask;

    SignalTable(Iterable<Signal> signals) {
        for (var signal : signals) {
            byHash.computeIfAbsent(VisitUpdates.fold(signal.urlHash()), _ -> new ArrayList<>(1))
                    .add(signal);
        }
        mask = Math.max(1 << 10, Integer.highestOneBit(byHash.size()) << 4) - 1;
        filter = new BitSet(mask + 1);
        byHash.keySet().forEach(hash -> filter.set(hash & mask));
    }

    boolean isEmpty() {
        return byHash.isEmpty();
    }

    boolean mayContain(int hash) {
        return filter.get(hash & mask);
    }

    void forEach(int hash, Consumer<Signal> action) {
        byHash.getOrDefault(hash, List.of()).forEach(action);
    }
}
