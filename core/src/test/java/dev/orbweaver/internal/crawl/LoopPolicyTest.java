package dev.orbweaver.internal.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.model.Ledger;

import org.junit.jupiter.api.Test;

class LoopPolicyTest {

    private static Ledger pages(long pages) {
        return new Ledger(0, 0, 0, 0, 0, 0, 0, 0, 0, pages, 0);
    }

    private static int leases(String maxPages, long pages) throws Exception {
        var config = CrawlConfig.of("http://a.example/").withSetting("max-pages", maxPages);
        return new LoopPolicy(config.crawl()).availableLeases(pages(pages), 0, 0, 100);
    }

    @Test
    void noMoreLeasesAreTakenThanPagesMayBeStored() throws Exception {
        assertThat(leases("10", 7)).isEqualTo(3);
        assertThat(leases("10", 10)).isZero();
        assertThat(leases("none", 10)).isEqualTo(100);
    }

    @Test
    void pagesThatAreQueuedTwiceToBeVisitedAgainDoNotStopACrawlWithoutLimit() throws Exception {
        assertThat(leases("none", -5)).isEqualTo(100);
    }
}
