package dev.orbweaver.internal.crawl;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.List;

/** How full the part of the heap that lasts was after it was last collected. */
final class HeapGauge {

    private final List<MemoryPoolMXBean> pools =
            ManagementFactory.getMemoryPoolMXBeans().stream()
                    .filter(pool -> pool.getType() == MemoryType.HEAP)
                    .filter(
                            pool ->
                                    pool.getName().contains("Old")
                                            || pool.getName().contains("Tenured"))
                    .toList();

    /** From 0 to 1; 0 while nothing is known, or with a collector that has no such part. */
    double usedFraction() {
        return pools.stream().mapToDouble(HeapGauge::usedFraction).max().orElse(0);
    }

    private static double usedFraction(MemoryPoolMXBean pool) {
        var usage = pool.getCollectionUsage();
        return usage == null || usage.getMax() <= 0 ? 0 : (double) usage.getUsed() / usage.getMax();
    }
}
