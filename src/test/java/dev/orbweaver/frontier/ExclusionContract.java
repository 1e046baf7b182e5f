package dev.orbweaver.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.HostPattern;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Arrays;

/** Hosts that are left alone at a word, and taken up again at another. */
interface ExclusionContract extends FrontierScenes {

    private static void exclude(Scene scene, String... patterns) {
        var hosts = new HostSet(Arrays.stream(patterns).map(HostPattern::of).toList());
        scene.frontier.exclude(JobId.ONLY, hosts, scene.now);
    }

    @Test
    default void whatWaitsOnAnExcludedHostIsWithdrawnAndNotHandedOut() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1", "http://a.example/2", "http://b.example/");
            exclude(scene, "a.example");
            assertThat(scene.ledger().queued()).isEqualTo(1);
            assertThat(scene.ledger().withdrawn()).isEqualTo(2);
            assertThat(scene.frontier.stats().refusedByReason())
                    .containsEntry(Refusal.EXCLUDED, 2L);
            assertThat(scene.crawlAll()).containsExactly("http://b.example/");
            assertThat(scene.frontier.outlook(scene.now).exhausted()).isTrue();
            assertThat(scene.explain("http://a.example/2")).isEqualTo(new Explanation.Excluded(0));
        }
    }

    @Test
    default void aHostThatIsNoLongerExcludedGoesOnWhereItStood() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1", "http://a.example/2");
            exclude(scene, ".example");
            scene.expectNothing();
            exclude(scene);
            assertThat(scene.ledger().queued()).isEqualTo(2);
            assertThat(scene.ledger().withdrawn()).isZero();
            assertThat(scene.frontier.stats().refusedByReason()).isEmpty();
            assertThat(scene.crawlAll())
                    .containsExactly("http://a.example/1", "http://a.example/2");
        }
    }

    @Test
    default void newUrlsOfAnExcludedHostAreTurnedAway() {
        try (var scene = scene()) {
            exclude(scene, "*.example");
            scene.offer("http://a.example/1", "http://example/");
            assertThat(scene.ledger().accepted()).isEqualTo(1);
            assertThat(scene.ledger().refused()).isEqualTo(1);
            exclude(scene);
            scene.offer("http://a.example/1");
            assertThat(scene.ledger().accepted()).isEqualTo(2);
        }
    }

    @Test
    default void aLeaseThatIsOutWhenItsHostIsExcludedMayEndInAnyWay() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1", "http://b.example/1", "http://c.example/1");
            var leases = scene.leases();
            exclude(scene, "a.example", "b.example", "c.example");
            assertThat(scene.ledger().leased()).isEqualTo(3);
            scene.done(leases.get(0));
            scene.failed(leases.get(1), Duration.ofSeconds(5));
            assertThat(
                            scene.frontier.release(
                                    leases.get(2), new Pause.Stopping(scene.now), scene.now))
                    .isTrue();
            assertThat(scene.ledger().done()).isEqualTo(1);
            assertThat(scene.ledger().withdrawn()).isEqualTo(2);
            scene.later(Duration.ofDays(1));
            scene.expectNothing();
            exclude(scene);
            assertThat(scene.crawlAll())
                    .containsExactlyInAnyOrder("http://b.example/1", "http://c.example/1");
        }
    }

    @Test
    default void oneJobsExclusionIsNotAnothers() {
        try (var scene = scene()) {
            var other = new JobId(2);
            scene.offer("http://a.example/1");
            scene.offer(other, "http://a.example/2");
            exclude(scene, "a.example");
            assertThat(scene.crawlAll()).containsExactly("http://a.example/2");
            assertThat(scene.frontier.ledger(other).withdrawn()).isZero();
        }
    }
}
