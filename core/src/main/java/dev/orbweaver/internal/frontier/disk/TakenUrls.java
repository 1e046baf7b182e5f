package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.frontier.Workbench;

import java.util.Arrays;
import java.util.BitSet;

/**
 * How many URLs of each queue and rank were taken from segments, and which queues were removed, at
 * one moment. Most queues have none or a few ranks, so this is a sorted list, not a table.
 */
final class TakenUrls implements Workbench.TakenListener {

    private final BitSet removed = new BitSet();
    private int[] keys = new int[64];
    private int[] counts = new int[64];
    private int size;

    static TakenUrls of(Workbench bench) {
        var taken = new TakenUrls();
        bench.forEachTaken(taken);
        return taken;
    }

    @Override
    public void onRemoved(int queue) {
        removed.set(queue);
    }

    @Override
    public void onTaken(int queue, int rank, int count) {
        if (count == 0) {
            return;
        }
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, 2 * size);
            counts = Arrays.copyOf(counts, 2 * size);
        }
        keys[size] = Segment.key(queue, rank);
        counts[size++] = count;
    }

    boolean isRemoved(int queue) {
        return removed.get(queue);
    }

    int count(int key) {
        var at = Arrays.binarySearch(keys, 0, size, key);
        return at < 0 ? 0 : counts[at];
    }
}
