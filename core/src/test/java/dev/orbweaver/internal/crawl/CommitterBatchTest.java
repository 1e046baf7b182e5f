package dev.orbweaver.internal.crawl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.Hop;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** A batch of the committer is one frame of the journal, so its links have a size limit. */
class CommitterBatchTest {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    private final TestFrontier frontier =
            TestFrontier.inMemory(
                    new Politeness(
                            Duration.ZERO, Duration.ZERO, Duration.ZERO, 9, Duration.ofMinutes(10)),
                    NOW);
    private final SimulatedSink store = new SimulatedSink(true);
    private final List<Integer> batches = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch first = new CountDownLatch(1);
    private final CountDownLatch others = new CountDownLatch(1);
    private final Committer committer =
            new Committer(
                    frontier.crawl(TestFrontier.JOB),
                    store,
                    InstantSource.fixed(NOW),
                    Duration.ZERO,
                    Committer.LinkBackpressure.UNLIMITED,
                    new VisitHarness().visitContext,
                    () -> true,
                    new Committer.Listener() {
                        @Override
                        public void committed(List<Committer.FinishedVisit> ends) {
                            batches.add(ends.size());
                            first.countDown();
                            awaitOthers();
                        }

                        @Override
                        public void failed(Throwable error) {
                            throw new AssertionError(error);
                        }
                    });

    @Test
    void aBatchIsCutByTheBytesOfItsLinks() throws Exception {
        committer.start();
        var leases = leases(9);
        assertThat(committer.submit(ended(leases.getFirst(), 1))).isTrue();
        first.await();
        for (var lease : leases.subList(1, 9)) {
            assertThat(committer.submit(ended(lease, 800))).isTrue();
        }
        others.countDown();
        committer.close();
        assertThat(batches)
                .containsExactly(1, 3, 3, 2); // 800 links of 8,000 characters are 6.5 MB.
        assertThat(frontier.ledger().done()).isEqualTo(9);
    }

    @Test
    void aBatchBeyondTheLimitIsRefusedBeforeAnythingIsWritten() {
        var ends = leases(2).stream().map(lease -> ended(lease, 4_500)).toList();
        var before = frontier.ledger();
        assertThatThrownBy(() -> committer.commit(ends))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a batch holds at most " + CommitBatch.LINK_BYTES_MAX);
        assertThat(frontier.ledger()).isEqualTo(before);
        assertThat(store.entries()).isEmpty();
    }

    private void awaitOthers() {
        try {
            others.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private List<Lease> leases(int count) {
        var seeds = new ArrayList<Candidate>();
        for (var i = 0; i < count; i++) {
            seeds.add(
                    Candidate.seed(URLS.parse("http://h" + i + ".example/").orElseThrow(), false));
        }
        frontier.offer(TestFrontier.JOB, seeds, NOW);
        return frontier.lease(count, NOW);
    }

    /** Creates a visit with links of 8,000 characters, which are all equal to save time. */
    private static Committer.FinishedVisit ended(Lease lease, int links) {
        var url = URLS.parse("http://a.example/" + "x".repeat(7_983)).orElseThrow();
        var found = Collections.nCopies(links, new Candidate(url, Hop.LINK, 1, 0));
        var settlement =
                new Settlement(
                        lease,
                        new Outcome.Done(true, 0),
                        new HostSignal.Healthy(NOW),
                        0,
                        found,
                        Map.of());
        return new Committer.FinishedVisit(
                new Step.Settle(settlement, Optional.empty()), Optional.empty());
    }
}
