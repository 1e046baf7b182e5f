package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

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
