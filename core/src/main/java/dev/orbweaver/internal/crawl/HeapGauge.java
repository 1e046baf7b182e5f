package dev.orbweaver.internal.crawl;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.List;

/** Measures how full the old generation of the heap was after its last collection. */
final class HeapGauge {

    private final List<MemoryPoolMXBean> pools =
            ManagementFactory.getMemoryPoolMXBeans().stream()
                    .filter(pool -> pool.getType() == MemoryType.HEAP)
                    .filter(
                            pool ->
                                    pool.getName().contains("Old")
                                            || pool.getName().contains("Tenured"))
                    .toList();

    /**
     * Returns a fraction from 0 to 1; 0 before the first collection, or if the collector has no old
     * generation.
     */
    double usedFraction() {
        return pools.stream().mapToDouble(HeapGauge::usedFraction).max().orElse(0);
    }

    private static double usedFraction(MemoryPoolMXBean pool) {
        var usage = pool.getCollectionUsage();
        return usage == null || usage.getMax() <= 0 ? 0 : (double) usage.getUsed() / usage.getMax();
    }
}
