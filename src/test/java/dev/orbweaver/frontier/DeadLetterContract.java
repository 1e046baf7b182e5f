package dev.orbweaver.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.JobId;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Dead letters that are taken back. */
interface DeadLetterContract extends FrontierScenes {

    private static void die(Scene scene, Lease lease, FailureCause cause) {
        scene.settle(lease, new Outcome.Dead(cause), scene.healthy());
    }

    /** Has a URL given up for a cause. */
    private static void give(Scene scene, String url, FailureCause cause) {
        scene.offer(url);
        scene.later(1000);
        var lease = scene.lease();
        assertThat(lease.url().text()).isEqualTo(url);
        die(scene, lease, cause);
    }

    private static long reviveAll(Scene scene) {
        return scene.frontier.revive(JobId.ONLY, _ -> true, scene.now);
    }

    @Test
    default void aLetterTakenBackIsAskedForAsIfItHadNeverBeen() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1");
            for (var i = 0; i < 3; i++) {
                scene.failed(scene.lease(), Duration.ofSeconds(10));
                scene.later(Duration.ofSeconds(10));
            }
            var last = scene.lease();
            assertThat(last.attempts()).isEqualTo(3);
            die(scene, last, FailureCause.TIMEOUT);
            assertThat(scene.explain("http://a.example/1"))
                    .isEqualTo(new Explanation.Dead(FailureCause.TIMEOUT, 3));

            assertThat(reviveAll(scene)).isEqualTo(1);
            assertThat(scene.explain("http://a.example/1"))
                    .isInstanceOfSatisfying(
                            Explanation.Queued.class,
                            queued -> assertThat(queued.attempts()).isZero());
            assertThat(scene.ledger().dead()).isZero();
            assertThat(scene.ledger().queued()).isEqualTo(1);
            assertThat(scene.frontier.stats().deadByCause()).isEmpty();
            scene.expectNothing(); // The host's delay is still running.
            scene.later(1000);
            var again = scene.lease();
            assertThat(again.url()).isEqualTo(last.url());
            assertThat(again.depth()).isEqualTo(last.depth());
            assertThat(again.foundAt()).isEqualTo(last.foundAt());
            assertThat(again.attempts()).isZero();
            scene.done(again);
            assertThat(scene.ledger().done()).isEqualTo(1);
            assertThat(scene.frontier.outlook(scene.now).exhausted()).isTrue();
        }
    }

    @Test
    default void onlyTheLettersThatAreMeantComeBack() {
        try (var scene = scene()) {
            give(scene, "http://a.example/dns", FailureCause.DNS);
            give(scene, "http://b.example/tls", FailureCause.TLS);
            give(scene, "http://c.example/dns", FailureCause.DNS);
            var seen = new ArrayList<String>();
            var revived =
                    scene.frontier.revive(
                            JobId.ONLY,
                            letter -> {
                                if (seen.size() < 3) {
                                    seen.add(letter.url().text() + " " + letter.cause().word());
                                }
                                return letter.cause() == FailureCause.DNS
                                        && !letter.url().host().startsWith("a");
                            },
                            scene.now);
            assertThat(seen)
                    .containsExactly(
                            "http://a.example/dns dns",
                            "http://b.example/tls tls",
                            "http://c.example/dns dns");
            assertThat(revived).isEqualTo(1);
            assertThat(scene.frontier.stats().deadByCause())
                    .isEqualTo(Map.of(FailureCause.DNS, 1L, FailureCause.TLS, 1L));
            scene.later(1000);
            assertThat(scene.leased()).containsExactly("http://c.example/dns");
        }
    }

    @Test
    default void aLetterComesBackOnceAndAgainOnlyWhenItWasGivenUpAgain() {
        try (var scene = scene()) {
            give(scene, "http://a.example/1", FailureCause.CONNECT);
            give(scene, "http://a.example/2", FailureCause.CONNECT);
            for (var round = 0; round < 3; round++) {
                assertThat(reviveAll(scene)).isEqualTo(2);
                assertThat(reviveAll(scene)).isZero();
                for (var i = 0; i < 2; i++) {
                    scene.later(1000);
                    die(scene, scene.lease(), FailureCause.TIMEOUT);
                }
                assertThat(scene.frontier.stats().deadByCause())
                        .isEqualTo(Map.of(FailureCause.TIMEOUT, 2L));
                assertThat(scene.explain("http://a.example/1"))
                        .isEqualTo(new Explanation.Dead(FailureCause.TIMEOUT, 0));
            }
        }
    }

    @Test
    default void aUrlThatWasTakenBackIsStillKnown() {
        try (var scene = scene()) {
            give(scene, "http://a.example/1", FailureCause.DNS);
            assertThat(reviveAll(scene)).isEqualTo(1);
            scene.offer("http://a.example/1");
            assertThat(scene.ledger().duplicate()).isEqualTo(1);
            assertThat(scene.ledger().accepted()).isEqualTo(1);
            assertThat(scene.crawlAll()).containsExactly("http://a.example/1");
        }
    }

    @Test
    default void aHostThatWasGivenUpIsAskedAgainLikeAnyOther() {
        try (var scene = scene()) {
            scene.offer(
                    IntStream.range(0, 30)
                            .mapToObj(i -> "http://a.example/" + i)
                            .toArray(String[]::new));
            while (scene.ledger().dead() == 0) {
                scene.failed(scene.lease(), Duration.ofMillis(1));
                scene.frontier.outlook(scene.now).nextDue().ifPresent(due -> scene.now = due);
            }
            assertThat(reviveAll(scene)).isEqualTo(30);
            scene.later(1000);
            for (var i = 0; i < 9; i++) { // One more would be ten in a row.
                scene.failed(scene.lease(), Duration.ofMillis(1));
                assertThat(scene.frontier.stats().hosts().resting()).isZero();
                scene.later(1000);
            }
            assertThat(scene.crawlAll()).hasSize(30);
            assertThat(scene.ledger().done()).isEqualTo(30);
        }
    }

    @Test
    default void howeverManyThereAreTheyAllComeBack() {
        var many = 50_100; // More than are taken back in one group.
        try (var scene = scene()) {
            scene.offer(
                    IntStream.range(0, many)
                            .mapToObj(i -> "http://a.example/" + i)
                            .toArray(String[]::new));
            while (scene.ledger().dead() == 0) {
                scene.failed(scene.lease(), Duration.ofMillis(1));
                scene.frontier.outlook(scene.now).nextDue().ifPresent(due -> scene.now = due);
            }
            assertThat(scene.ledger().dead()).isEqualTo(many);
            assertThat(reviveAll(scene)).isEqualTo(many);
            assertThat(scene.ledger().queued()).isEqualTo(many);
        }
    }

    @Test
    default void aHostThatAskedForQuietIsLeftInPeace() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1");
            var quiet = scene.now.plusSeconds(500);
            scene.settle(
                    scene.lease(),
                    new Outcome.Dead(FailureCause.SERVER_ERROR),
                    new HostSignal.Slow(scene.now, quiet));
            assertThat(reviveAll(scene)).isEqualTo(1);
            scene.now = quiet.minusMillis(1);
            scene.expectNothing();
            scene.now = quiet;
            assertThat(scene.leased()).hasSize(1);
        }
    }

    @Test
    default void poisonHasItsTenLeasesAgain() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1");
            for (var life = 0; life < 2; life++) {
                for (var i = 0; i < 10; i++) {
                    scene.later(1000);
                    scene.now = scene.lease().deadline().plusMillis(1);
                    scene.expectNothing();
                }
                assertThat(scene.frontier.stats().deadByCause())
                        .isEqualTo(Map.of(FailureCause.POISON, 1L));
                assertThat(reviveAll(scene)).isEqualTo(1);
            }
        }
    }

    @Test
    default void theLettersOfAnotherJobStayWhereTheyAre() {
        try (var scene = scene()) {
            var other = new JobId(7);
            give(scene, "http://a.example/1", FailureCause.DNS);
            scene.offer(other, "http://a.example/1");
            scene.later(1000);
            die(scene, scene.lease(), FailureCause.DNS);
            assertThat(scene.frontier.revive(other, _ -> true, scene.now)).isEqualTo(1);
            assertThat(scene.frontier.ledger(JobId.ONLY).dead()).isEqualTo(1);
            assertThat(scene.frontier.ledger(other).queued()).isEqualTo(1);
            scene.later(1000);
            assertThat(scene.lease().job()).isEqualTo(other);
        }
    }

    @Test
    default void aDeletedJobsLettersAreGoneAlsoForAJobOfTheSameNumber() {
        try (var scene = scene()) {
            give(scene, "http://a.example/1", FailureCause.DNS);
            scene.frontier.deleteJob(JobId.ONLY, scene.now);
            scene.offer("http://b.example/1");
            assertThat(reviveAll(scene)).isZero();
            scene.later(1000);
            die(scene, scene.lease(), FailureCause.TLS);
            assertThat(reviveAll(scene)).isEqualTo(1);
            assertThat(scene.crawlAll()).isEqualTo(List.of("http://b.example/1"));
        }
    }
}
