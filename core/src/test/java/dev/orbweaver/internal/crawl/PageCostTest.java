package dev.orbweaver.internal.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.crawl.PageCost.Quantity;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;

/**
 * A page beside many seeds, hosts or rules costs what it costs beside few. The limits are far above
 * what {@code bench/run scaling} measures, and far below what a scan or a copy for each link would
 * cost.
 */
class PageCostTest {

    private static final int WARM_ROUNDS = 5;
    private static final int ROUNDS = 21;
    private static final double LIMIT = 1.6;

    @Slow
    @ParameterizedTest
    @CsvSource({
        "SEEDS, 1, 50000",
        "HOSTS, 1000, 50000",
        "HOST_RULES, 10, 10000",
        "RATE_GROUPS, 10, 10000",
        "ROBOTS_RULES, 10, 10000",
        "EXCLUSIONS, 10, 20000",
        "TOMBSTONES, 10, 10000",
        "JOBS, 10, 1000",
        "QUEUED_URLS, 20000, 200000",
        "LINKS, 100, 3000"
    })
    void aPageDoesNotCostMoreBesideMany(
            Quantity quantity, int few, int many, @TempDir Path directory) throws Exception {
        try (var smaller = new PageCost(quantity, few, directory.resolve("few"));
                var larger = new PageCost(quantity, many, directory.resolve("many"))) {
            var costs = PageCost.compare(smaller, larger, WARM_ROUNDS, ROUNDS);
            assertThat(costs.linkRatio()).as("%s", costs).isLessThan(LIMIT);
            if (quantity != Quantity.LINKS) {
                assertThat(costs.pageRatio()).as("%s", costs).isLessThan(LIMIT);
            }
        }
    }
}
