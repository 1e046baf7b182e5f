package dev.orbweaver.internal.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** How many hostile pages may be parsed before one of them is committed. */
class LinkBudgetTest {

    private static final long MOST = 8L << 20;

    /** Fits two pages with the maximum number of links. */
    private final LinkBudget budget = new LinkBudget(2 * MOST * 5 / 2);

    @Test
    void aThirdLargePageWaitsUntilAnotherIsCommitted() throws InterruptedException {
        var first = budget.shrinkTo(budget.tryReserve(MOST), MOST);
        var second = budget.shrinkTo(budget.tryReserve(MOST), MOST);
        var parsed = new CountDownLatch(1);
        var _ =
                Thread.startVirtualThread(
                        () -> {
                            var reserved = budget.tryReserve(MOST);
                            while (reserved < 0) {
                                reserved = budget.tryReserve(MOST);
                            }
                            budget.release(reserved);
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
            assertThat(budget.shrinkTo(budget.tryReserve(MOST), 100_000)).isZero();
        }
    }

    @Test
    void aSitemapLargerThanTheWholeBudgetStillFits() {
        budget.release(budget.tryReserve(30L << 20));
        budget.release(budget.tryReserve(30L << 20));
    }
}
