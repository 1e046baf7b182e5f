package dev.orbweaver.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.Hop;

import org.junit.jupiter.api.Test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** How many hostile pages may be parsed before one of them is committed. */
class LinkBudgetTest {

    private static final long LARGE = 1 << 20;
    private static final long MOST = 8L << 20;

    /** Room for two pages with as many links as the parser allows. */
    private final LinkBudget budget = new LinkBudget(2 * MOST * 5 / 2);

    @Test
    void aThirdLargePageWaitsUntilAnotherIsCommitted() throws InterruptedException {
        var first = budget.keep(budget.reserve(LARGE, Hop.LINK), MOST);
        var second = budget.keep(budget.reserve(LARGE, Hop.LINK), MOST);
        var parsed = new CountDownLatch(1);
        var _ =
                Thread.startVirtualThread(
                        () -> {
                            budget.release(budget.reserve(LARGE, Hop.LINK));
                            parsed.countDown();
                        });
        assertThat(parsed.await(200, TimeUnit.MILLISECONDS)).isFalse();
        budget.release(first);
        assertThat(parsed.await(1, TimeUnit.MINUTES)).isTrue();
        budget.release(second);
    }

    @Test
    void pagesWithOrdinaryLinksKeepNothing() {
        for (var page = 0; page < 10_000; page++) {
            assertThat(budget.keep(budget.reserve(LARGE, Hop.LINK), 100_000)).isZero();
        }
    }

    @Test
    void aSitemapLargerThanTheWholeBudgetStillFits() {
        budget.release(budget.reserve(50 << 20, Hop.SITEMAP));
        budget.release(budget.reserve(50 << 20, Hop.SITEMAP));
    }
}
