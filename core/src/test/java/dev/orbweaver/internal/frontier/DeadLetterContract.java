package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.JobId;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Dead letters that are requeued. */
interface DeadLetterContract extends FrontierFixtures {

    private static void die(Fixture fixture, Lease lease, FailureCause cause) {
        fixture.settle(lease, new Outcome.Dead(cause), fixture.healthy());
    }

    /** Makes a URL a dead letter with a cause. */
    private static void give(Fixture fixture, String url, FailureCause cause) {
        fixture.offer(url);
        fixture.advance(1000);
        var lease = fixture.lease();
        assertThat(lease.url().text()).isEqualTo(url);
        die(fixture, lease, cause);
    }

    private static long reviveAll(Fixture fixture) {
        return fixture.frontier.requeueDeadLetters(TestFrontier.JOB, _ -> true, fixture.now);
    }

    @Test
    default void aLetterTakenBackIsAskedForAsIfItHadNeverBeen() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1");
            for (var i = 0; i < 3; i++) {
                fixture.failed(fixture.lease(), Duration.ofSeconds(10));
                fixture.advance(Duration.ofSeconds(10));
            }
            var last = fixture.lease();
            assertThat(last.attempts()).isEqualTo(3);
            die(fixture, last, FailureCause.TIMEOUT);
            assertThat(fixture.explain("http://a.example/1"))
                    .isEqualTo(new UrlState.Dead(FailureCause.TIMEOUT, 3));

            assertThat(reviveAll(fixture)).isEqualTo(1);
            assertThat(fixture.explain("http://a.example/1"))
                    .isInstanceOfSatisfying(
                            UrlState.Queued.class,
                            queued -> assertThat(queued.attempts()).isZero());
            assertThat(fixture.ledger().dead()).isZero();
            assertThat(fixture.ledger().queued()).isEqualTo(1);
            assertThat(fixture.frontier.stats().deadByCause()).isEmpty();
            fixture.expectNothing(); // The host's delay is still running.
            fixture.advance(1000);
            var again = fixture.lease();
            assertThat(again.url()).isEqualTo(last.url());
            assertThat(again.depth()).isEqualTo(last.depth());
            assertThat(again.foundAt()).isEqualTo(last.foundAt());
            assertThat(again.attempts()).isZero();
            fixture.done(again);
            assertThat(fixture.ledger().done()).isEqualTo(1);
            assertThat(fixture.frontier.nextWork(fixture.now).isExhausted()).isTrue();
        }
    }

    @Test
    default void onlyTheLettersThatAreMeantComeBack() {
        try (var fixture = fixture()) {
            give(fixture, "http://a.example/dns", FailureCause.DNS);
            give(fixture, "http://b.example/tls", FailureCause.TLS);
            give(fixture, "http://c.example/dns", FailureCause.DNS);
            var seen = new ArrayList<String>();
            var revived =
                    fixture.frontier.requeueDeadLetters(
                            TestFrontier.JOB,
                            letter -> {
                                if (seen.size() < 3) {
                                    seen.add(letter.url().text() + " " + letter.cause().id());
                                }
                                return letter.cause() == FailureCause.DNS
                                        && !letter.url().host().startsWith("a");
                            },
                            fixture.now);
            assertThat(seen)
                    .containsExactly(
                            "http://a.example/dns dns",
                            "http://b.example/tls tls",
                            "http://c.example/dns dns");
            assertThat(revived).isEqualTo(1);
            assertThat(fixture.frontier.stats().deadByCause())
                    .isEqualTo(Map.of(FailureCause.DNS, 1L, FailureCause.TLS, 1L));
            fixture.advance(1000);
            assertThat(fixture.leased()).containsExactly("http://c.example/dns");
        }
    }

    @Test
    default void aLetterComesBackOnceAndAgainOnlyWhenItWasGivenUpAgain() {
        try (var fixture = fixture()) {
            give(fixture, "http://a.example/1", FailureCause.CONNECT);
            give(fixture, "http://a.example/2", FailureCause.CONNECT);
            for (var round = 0; round < 3; round++) {
                assertThat(reviveAll(fixture)).isEqualTo(2);
                assertThat(reviveAll(fixture)).isZero();
                for (var i = 0; i < 2; i++) {
                    fixture.advance(1000);
                    die(fixture, fixture.lease(), FailureCause.TIMEOUT);
                }
                assertThat(fixture.frontier.stats().deadByCause())
                        .isEqualTo(Map.of(FailureCause.TIMEOUT, 2L));
                assertThat(fixture.explain("http://a.example/1"))
                        .isEqualTo(new UrlState.Dead(FailureCause.TIMEOUT, 0));
            }
        }
    }

    @Test
    default void aUrlThatWasTakenBackIsStillKnown() {
        try (var fixture = fixture()) {
            give(fixture, "http://a.example/1", FailureCause.DNS);
            assertThat(reviveAll(fixture)).isEqualTo(1);
            fixture.offer("http://a.example/1");
            assertThat(fixture.ledger().duplicate()).isEqualTo(1);
            assertThat(fixture.ledger().accepted()).isEqualTo(1);
            assertThat(fixture.crawlAll()).containsExactly("http://a.example/1");
        }
    }

    @Test
    default void aHostThatWasGivenUpIsAskedAgainLikeAnyOther() {
        try (var fixture = fixture()) {
            fixture.offer(
                    IntStream.range(0, 30)
                            .mapToObj(i -> "http://a.example/" + i)
                            .toArray(String[]::new));
            while (fixture.ledger().dead() == 0) {
                fixture.failed(fixture.lease(), Duration.ofMillis(1));
                fixture.frontier
                        .nextWork(fixture.now)
                        .nextDue()
                        .ifPresent(due -> fixture.now = due);
            }
            assertThat(reviveAll(fixture)).isEqualTo(30);
            fixture.advance(1000);
            for (var i = 0; i < 9; i++) { // One more would be ten in a row.
                fixture.failed(fixture.lease(), Duration.ofMillis(1));
                assertThat(fixture.frontier.stats().hosts().resting()).isZero();
                fixture.advance(1000);
            }
            assertThat(fixture.crawlAll()).hasSize(30);
            assertThat(fixture.ledger().done()).isEqualTo(30);
        }
    }

    @Test
    default void howeverManyThereAreTheyAllComeBack() {
        var many = 50_100; // More than are requeued in one group.
        try (var fixture = fixture()) {
            fixture.offer(
                    IntStream.range(0, many)
                            .mapToObj(i -> "http://a.example/" + i)
                            .toArray(String[]::new));
            while (fixture.ledger().dead() == 0) {
                fixture.failed(fixture.lease(), Duration.ofMillis(1));
                fixture.frontier
                        .nextWork(fixture.now)
                        .nextDue()
                        .ifPresent(due -> fixture.now = due);
            }
            assertThat(fixture.ledger().dead()).isEqualTo(many);
            assertThat(reviveAll(fixture)).isEqualTo(many);
            assertThat(fixture.ledger().queued()).isEqualTo(many);
        }
    }

    @Test
    default void aHostThatAskedForQuietIsLeftInPeace() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1");
            var quiet = fixture.now.plusSeconds(500);
            fixture.settle(
                    fixture.lease(),
                    new Outcome.Dead(FailureCause.SERVER_ERROR),
                    new HostSignal.RateLimited(fixture.now, quiet));
            assertThat(reviveAll(fixture)).isEqualTo(1);
            fixture.now = quiet.minusMillis(1);
            fixture.expectNothing();
            fixture.now = quiet;
            assertThat(fixture.leased()).hasSize(1);
        }
    }

    @Test
    default void poisonHasItsTenLeasesAgain() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1");
            for (var life = 0; life < 2; life++) {
                for (var i = 0; i < 10; i++) {
                    fixture.advance(1000);
                    fixture.now = fixture.lease().deadline().plusMillis(1);
                    fixture.expectNothing();
                }
                assertThat(fixture.frontier.stats().deadByCause())
                        .isEqualTo(Map.of(FailureCause.POISON, 1L));
                assertThat(reviveAll(fixture)).isEqualTo(1);
            }
        }
    }

    @Test
    default void theLettersOfAnotherJobStayWhereTheyAre() {
        try (var fixture = fixture()) {
            var other = new JobId(7);
            give(fixture, "http://a.example/1", FailureCause.DNS);
            fixture.offer(other, "http://a.example/1");
            fixture.advance(1000);
            die(fixture, fixture.lease(), FailureCause.DNS);
            assertThat(fixture.frontier.requeueDeadLetters(other, _ -> true, fixture.now))
                    .isEqualTo(1);
            assertThat(fixture.frontier.ledger(TestFrontier.JOB).dead()).isEqualTo(1);
            assertThat(fixture.frontier.ledger(other).queued()).isEqualTo(1);
            fixture.advance(1000);
            assertThat(fixture.lease().job()).isEqualTo(other);
        }
    }

    @Test
    default void aDeletedJobsLettersAreGoneAlsoForAJobOfTheSameNumber() {
        try (var fixture = fixture()) {
            give(fixture, "http://a.example/1", FailureCause.DNS);
            fixture.frontier.deleteJob(TestFrontier.JOB, fixture.now);
            fixture.offer("http://b.example/1");
            assertThat(reviveAll(fixture)).isZero();
            fixture.advance(1000);
            die(fixture, fixture.lease(), FailureCause.TLS);
            assertThat(reviveAll(fixture)).isEqualTo(1);
            assertThat(fixture.crawlAll()).isEqualTo(List.of("http://b.example/1"));
        }
    }
}
