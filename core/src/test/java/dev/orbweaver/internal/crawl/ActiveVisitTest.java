package dev.orbweaver.internal.crawl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.JobId;

import org.junit.jupiter.api.Test;

import java.time.Instant;

class ActiveVisitTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    /** A budget that one large document uses up. */
    private final LinkBudget budget = new LinkBudget(1 << 20);

    private final ActiveVisit visit =
            new ActiveVisit(
                    new Lease(
                            1,
                            new JobId(0),
                            new CrawlUrls(Normalisation.DEFAULT)
                                    .parse("https://a.example/")
                                    .orElseThrow(),
                            Hop.SEED,
                            0,
                            0,
                            false,
                            CaptureRef.NONE,
                            0,
                            NOW,
                            NOW.plusSeconds(60)));

    @Test
    void anAbortedVisitBeginsNoRequest() {
        visit.abort();
        assertThatThrownBy(visit::beginFetch).isInstanceOf(AbortedException.class);
    }

    @Test
    void anAbortInterruptsTheRequestOnly() throws Exception {
        visit.beginFetch();
        visit.abort();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        visit.endFetch();
        assertThat(Thread.interrupted()).isFalse();
        assertThatThrownBy(visit::requireNotAborted).isInstanceOf(AbortedException.class);
    }

    @Test
    void anAbortAfterTheRequestInterruptsNothing() throws Exception {
        visit.beginFetch();
        visit.endFetch();
        visit.abort();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void theReservationEndsWithTheVisit() {
        visit.holdReservation(budget, budget.tryReserve(Long.MAX_VALUE / 8));
        assertThat(budget.tryReserve(1)).isNegative();
        visit.finish(budget);
        visit.finish(budget);
        assertThat(budget.tryReserve(Long.MAX_VALUE / 8)).isPositive();
        assertThat(budget.tryReserve(1)).isNegative();
    }

    @Test
    void aVisitThatIsFinishedHoldsNoReservation() {
        visit.finish(budget);
        visit.holdReservation(budget, budget.tryReserve(Long.MAX_VALUE / 8));
        assertThat(budget.tryReserve(1)).isPositive();
    }

    @Test
    void aVisitIsStalledOnlyWhileItWaits() {
        assertThat(visit.isWaitingSinceBefore(NOW.plusSeconds(1))).isFalse();
        visit.startWaiting(NOW);
        assertThat(visit.isWaitingSinceBefore(NOW)).isFalse();
        assertThat(visit.isWaitingSinceBefore(NOW.plusSeconds(1))).isTrue();
        visit.stopWaiting();
        assertThat(visit.isWaitingSinceBefore(NOW.plusSeconds(1))).isFalse();
    }
}
