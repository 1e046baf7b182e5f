package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** What a frontier of one process does besides; a fleet compares no hosts of different shards. */
public interface LocalFrontierContract extends FrontierContract {

    @Test
    default void amongHostsDueTogetherTheOneWithTheBetterUrlIsFirst() {
        try (var fixture = fixture()) {
            var offers = new ArrayList<Candidate>();
            for (var depth : List.of(4, 2, 6, 1, 3)) {
                offers.add(
                        new Candidate(
                                Fixture.url("http://h" + depth + ".example/"), Hop.LINK, depth, 0));
            }
            fixture.frontier.offer(TestFrontier.JOB, offers, fixture.now);
            assertThat(fixture.leases().stream().map(lease -> lease.url().host()))
                    .containsExactly(
                            "h1.example", "h2.example", "h3.example", "h4.example", "h6.example");
        }
    }

    @Test
    default void aSeedMayHaveAnEarliestTimeAndAPriority() {
        try (var fixture = fixture()) {
            var job = fixture.frontier.inner.job(TestFrontier.JOB);
            var offers = new ArrayList<Candidate>();
            var later = fixture.now.plusSeconds(3600).toEpochMilli();
            // More than a queue may have URLs to retry: those do not block the others.
            for (var i = 0; i < 2 * Workbench.DELAYED_MAX; i++) {
                offers.add(
                        new Candidate(
                                Fixture.url("http://a.example/later/" + i),
                                Hop.SEED,
                                0,
                                0,
                                0,
                                later));
            }
            offers.add(new Candidate(Fixture.url("http://a.example/low"), Hop.SEED, 0, 0, -50, 0));
            offers.add(new Candidate(Fixture.url("http://a.example/high"), Hop.SEED, 0, 0, 0, 0));
            var batch =
                    new SeedBatch(offers, List.of(), 0, new SeedPosition("000001-x.list", 1, 1, 0));
            assertThat(job.offerSeeds(batch, fixture.now).isStored()).isTrue();
            var first = fixture.lease();
            assertThat(first.url().text()).isEqualTo("http://a.example/high");
            fixture.done(first);
            fixture.now = fixture.now.plusSeconds(10);
            var second = fixture.lease();
            assertThat(second.url().text()).isEqualTo("http://a.example/low");
            fixture.done(second);
            fixture.now = fixture.now.plusSeconds(10);
            assertThat(fixture.leases()).isEmpty();
            fixture.now = fixture.now.plusSeconds(3600);
            assertThat(fixture.lease().url().text()).isEqualTo("http://a.example/later/0");
        }
    }

    @Test
    default void noMoreSeedsWaitInMemoryThanTheLimit() {
        try (var fixture = fixture()) {
            fixture.frontier.setIntakeLimits(
                    TestFrontier.JOB,
                    new IntakeLimits(
                            Integer.MAX_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE, List.of(), 2));
            offerLater(fixture, "http://a.example/1", "http://b.example/1", "http://c.example/1");
            fixture.offer("http://d.example/");
            assertThat(fixture.ledger().accepted()).isEqualTo(3);
            assertThat(fixture.frontier.stats().refusedByReason())
                    .containsEntry(Refusal.WAITING_LIMIT, 1L);

            fixture.now = fixture.now.plusSeconds(3600);
            assertThat(fixture.leases()).hasSize(3);
            offerLater(fixture, "http://a.example/2", "http://b.example/2", "http://c.example/2");
            assertThat(fixture.ledger().accepted()).isEqualTo(5);
        }
    }

    private static void offerLater(Fixture fixture, String... urls) {
        var later = fixture.now.plusSeconds(3600).toEpochMilli();
        fixture.frontier.offer(
                TestFrontier.JOB,
                Arrays.stream(urls)
                        .map(url -> new Candidate(Fixture.url(url), Hop.SEED, 0, 0, 0, later))
                        .toList(),
                fixture.now);
    }

    @Test
    default void aUrlThatIsVisitedAgainWithoutResponseStaysDone() {
        try (var fixture = fixture()) {
            var job = fixture.frontier.inner.job(TestFrontier.JOB);
            var url = Fixture.url("http://a.example/");
            assertThat(job.offer(List.of(Candidate.seed(url, false)), fixture.now).isStored())
                    .isTrue();
            fixture.done(fixture.lease());
            var before = job.ledger();
            for (var outcome :
                    List.of(
                            new Outcome.Dead(FailureCause.TIMEOUT),
                            new Outcome.Withdrawn(Refusal.ROBOTS))) {
                var revisit =
                        new SeedBatch.Revisit(
                                new Candidate(url, Hop.LINK, 0, 0),
                                CaptureRef.ofLine(1),
                                before.pages() == 1);
                var batch =
                        new SeedBatch(
                                List.of(),
                                List.of(),
                                List.of(revisit),
                                0,
                                SeedPosition.start("revisits"),
                                new SeedPosition("revisits", 1, 1, 0));
                assertThat(job.offerSeeds(batch, fixture.now).isStored()).isTrue();
                assertThat(job.ledger().done()).isZero();
                fixture.now = fixture.now.plusSeconds(60);
                fixture.settle(fixture.lease(), outcome, fixture.healthy());
                assertThat(job.ledger()).as("%s", outcome).isEqualTo(before);
            }
        }
    }

    /** Their visits have no line in the page log, so nothing else says that they have ended. */
    @Test
    default void knownUrlsOfAHostThatIsGivenUpAreReported() {
        try (var fixture = fixture()) {
            var abandoned = new ArrayList<CaptureRef>();
            fixture.frontier.setAdmissionHook(
                    TestFrontier.JOB,
                    new AdmissionHook() {
                        @Override
                        public int priorityPenalty(CrawlUrl newcomer, Hop hop, long parent) {
                            return 0;
                        }

                        @Override
                        public void abandoned(CaptureRef last) {
                            abandoned.add(last);
                        }
                    });
            var urls = new String[3];
            Arrays.setAll(urls, i -> "http://a.example/" + i);
            fixture.offer(urls);
            var _ = fixture.crawlAll();
            fixture.offer("http://a.example/new");
            revisit(fixture, urls);
            for (var failed = 0; failed < HostBackoff.FAILURES_MAX + HostBackoff.PROBES_MAX; ) {
                fixture.advance(Duration.ofHours(1));
                for (var lease : fixture.leases()) {
                    fixture.failed(lease, Duration.ofMillis(1));
                    failed++;
                }
            }
            assertThat(abandoned)
                    .containsExactlyInAnyOrder(
                            CaptureRef.ofLine(1), CaptureRef.ofLine(2), CaptureRef.ofLine(3));
            assertThat(fixture.ledger().dead()).isEqualTo(1);
            assertThat(fixture.ledger().done()).isEqualTo(3);
        }
    }

    private static void revisit(Fixture fixture, String... urls) {
        var revisits = new ArrayList<SeedBatch.Revisit>();
        for (var url : urls) {
            revisits.add(
                    new SeedBatch.Revisit(
                            Fixture.link(url), CaptureRef.ofLine(revisits.size() + 1), true));
        }
        var batch =
                new SeedBatch(
                        List.of(),
                        List.of(),
                        revisits,
                        0,
                        SeedPosition.start("revisits"),
                        new SeedPosition("revisits", 1, 1, 0));
        assertThat(
                        fixture.frontier
                                .inner
                                .job(TestFrontier.JOB)
                                .offerSeeds(batch, fixture.now)
                                .isStored())
                .isTrue();
    }

    @Test
    default void linksAreCountedAtTheFirstVisitOfAPageOnly() {
        try (var fixture = fixture()) {
            var linked = new ArrayList<String>();
            fixture.frontier.setAdmissionHook(
                    TestFrontier.JOB,
                    new AdmissionHook() {
                        @Override
                        public int priorityPenalty(CrawlUrl newcomer, Hop hop, long parent) {
                            return 0;
                        }

                        @Override
                        public void linked(CrawlUrl url) {
                            linked.add(url.text());
                        }
                    });
            fixture.offer("http://a.example/", "http://a.example/1");
            linked.clear();
            settleWithLinks(fixture, "http://a.example/1");
            assertThat(linked).containsExactly("http://a.example/1");
            var _ = fixture.crawlAll();
            revisit(fixture, "http://a.example/");
            fixture.advance(Duration.ofMinutes(1));
            linked.clear();
            settleWithLinks(fixture, "http://a.example/1", "http://a.example/2");
            assertThat(linked).containsExactly("http://a.example/2");
        }
    }

    private static void settleWithLinks(Fixture fixture, String... links) {
        var settlement =
                new Settlement(
                        fixture.lease(),
                        new Outcome.Done(true, 1),
                        fixture.healthy(),
                        1,
                        Arrays.stream(links).map(Fixture::link).toList(),
                        Map.of());
        assertThat(
                        fixture.frontier.settle(
                                new CommitBatch(List.of(settlement), List.of()), fixture.now))
                .isZero();
    }

    @Test
    default void aUrlThatIsDoneIsVisitedAgainWithItsLastVisit() {
        try (var fixture = fixture()) {
            var job = fixture.frontier.inner.job(TestFrontier.JOB);
            var url = Fixture.url("http://a.example/");
            assertThat(job.offer(List.of(Candidate.seed(url, false)), fixture.now).isStored())
                    .isTrue();
            var first = fixture.lease();
            assertThat(first.revisit()).isFalse();
            fixture.done(first);
            var before = job.ledger();
            var unknown = Fixture.url("http://a.example/unknown");
            var last = CaptureRef.ofLine(17);
            var later = fixture.now.plusSeconds(60).toEpochMilli();
            var batch =
                    new SeedBatch(
                            List.of(),
                            List.of(),
                            List.of(
                                    new SeedBatch.Revisit(
                                            new Candidate(url, Hop.LINK, 3, 0, 0, later),
                                            last,
                                            before.pages() == 1),
                                    new SeedBatch.Revisit(
                                            Candidate.seed(unknown, false), last, true)),
                            0,
                            SeedPosition.start("000001-recrawl.list"),
                            new SeedPosition("000001-recrawl.list", 1, 1, 0));
            assertThat(job.offerSeeds(batch, fixture.now).isStored()).isTrue();
            var queued = job.ledger();
            assertThat(queued.accepted()).isEqualTo(before.accepted() + 1);
            assertThat(queued.queued()).isEqualTo(2);
            assertThat(queued.done()).isZero();
            assertThat(queued.pages()).isZero();
            assertThat(queued.balances()).isTrue();
            fixture.now = fixture.now.plusSeconds(30);
            var other = fixture.lease();
            assertThat(other.url()).isEqualTo(unknown);
            assertThat(other.revisit()).isFalse();
            fixture.done(other);
            fixture.now = fixture.now.plusSeconds(60);
            var again = fixture.lease();
            assertThat(again.url()).isEqualTo(url);
            assertThat(again.revisit()).isTrue();
            assertThat(again.parent()).isEqualTo(last);
            assertThat(again.depth()).isEqualTo(3);
            fixture.done(again);
            assertThat(job.ledger().done()).isEqualTo(2);
            assertThat(job.ledger().balances()).isTrue();
        }
    }
}
