package dev.orbweaver.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.CrawlEnd.Reason;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;

import org.junit.jupiter.api.Test;

import java.util.Map;

class JobOutcomeTest {

    @Test
    void aJobWithoutAPageHasFailedAndSaysWhy() {
        assertThat(outcome(Reason.COMPLETE, 0, 0, 1, 0))
                .isEqualTo(new JobOutcome(State.FAILED, "No page could be fetched: dns 1."));
        assertThat(outcome(Reason.COMPLETE, 0, 0, 0, 1))
                .isEqualTo(
                        new JobOutcome(
                                State.FAILED, "No page could be fetched: refused by address 1."));
        assertThat(outcome(Reason.MAX_TIME, 0, 2, 0, 0))
                .isEqualTo(
                        new JobOutcome(
                                State.FAILED,
                                "No page could be fetched: responses without a page 2."));
    }

    @Test
    void aJobWithPagesNamesTheNumberOfFailures() {
        assertThat(outcome(Reason.COMPLETE, 5, 5, 0, 0))
                .isEqualTo(new JobOutcome(State.FINISHED, "All URLs in scope were visited."));
        assertThat(outcome(Reason.COMPLETE, 5, 5, 1, 0))
                .isEqualTo(
                        new JobOutcome(
                                State.FINISHED, "All URLs in scope were visited; failed: 1."));
    }

    @Test
    void aReachedLimitIsNamedWithItsValue() {
        assertThat(outcome(Reason.MAX_PAGES, 5, 5, 0, 0).reason())
                .isEqualTo("Page limit reached (detail).");
        assertThat(outcome(Reason.MAX_BYTES, 5, 5, 0, 0).reason())
                .isEqualTo("Data limit reached (detail).");
        assertThat(outcome(Reason.MAX_TIME, 5, 5, 0, 0).reason())
                .isEqualTo("Time limit reached (detail).");
    }

    @Test
    void aJobWhoseHostsRestHasNotFailed() {
        assertThat(outcome(Reason.WAITING, 0, 0, 0, 0).state()).isEqualTo(State.FINISHED);
    }

    private static JobOutcome outcome(
            Reason reason, long pages, long done, long dead, long withdrawn) {
        var accepted = done + dead + withdrawn;
        var ledger = new Ledger(accepted, 0, 0, accepted, 0, 0, done, dead, withdrawn, pages, 100);
        return JobOutcome.of(
                new CrawlEnd(reason, "detail"),
                () ->
                        new FrontierStats(
                                ledger,
                                new FrontierStats.Hosts(0, 0, 0, 0, 1),
                                dead == 0 ? Map.of() : Map.of(FailureCause.DNS, dead),
                                withdrawn == 0 ? Map.of() : Map.of(Refusal.ADDRESS, withdrawn)));
    }
}
