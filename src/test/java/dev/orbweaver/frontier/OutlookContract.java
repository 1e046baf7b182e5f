package dev.orbweaver.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.JobId;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/** What a frontier says of itself, and that a clock set wrong does no harm. */
public interface OutlookContract extends FrontierScenes {

    @Test
    default void anEmptyFrontierIsExhausted() {
        try (var scene = scene()) {
            assertThat(scene.frontier.outlook(scene.now))
                    .isEqualTo(new Outlook(false, 0, 0, Optional.empty(), ""));
            assertThat(scene.frontier.outlook(scene.now).exhausted()).isTrue();
            scene.expectNothing();
        }
    }

    @Test
    default void theOutlookFollowsAHostThroughItsLife() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1", "http://a.example/2");
            assertThat(scene.frontier.outlook(scene.now).ready()).isTrue();
            var lease = scene.lease();
            assertThat(scene.frontier.outlook(scene.now))
                    .isEqualTo(new Outlook(false, 1, 0, Optional.empty(), ""));
            scene.done(lease);
            var due = scene.now.plusMillis(1000);
            assertThat(scene.frontier.outlook(scene.now))
                    .isEqualTo(new Outlook(false, 0, 1, Optional.of(due), "a.example"));
            scene.now = due;
            assertThat(scene.frontier.outlook(scene.now).ready()).isTrue();
            scene.failed(scene.lease(), Duration.ofSeconds(5));
            var retry = scene.now.plusSeconds(5);
            assertThat(scene.frontier.outlook(scene.now))
                    .isEqualTo(new Outlook(false, 0, 0, Optional.of(retry), "a.example"));
            scene.now = retry;
            scene.done(scene.lease());
            assertThat(scene.frontier.outlook(scene.now).exhausted()).isTrue();
        }
    }

    @Test
    default void aHostCountsAsRestingOnlyWhenItsPlainDelayIsNotTheLastThingItWaitsFor() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1");
            scene.frontier.slowDown("a.example", Duration.ofSeconds(100));
            scene.failed(scene.lease(), Duration.ofSeconds(5));
            // The retry is due long before robots.txt allows it: a plain delay.
            assertThat(scene.frontier.outlook(scene.now).delayed()).isEqualTo(1);
            scene.later(Duration.ofSeconds(100));
            scene.failed(scene.lease(), Duration.ofSeconds(500));
            assertThat(scene.frontier.outlook(scene.now).delayed()).isZero();
        }
    }

    @Test
    default void askingForTheOutlookChangesNothing() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1", "http://a.example/2", "http://b.example/");
            scene.leases().forEach(scene::done);
            var before = scene.frontier.outlook(scene.now);
            assertThat(scene.frontier.outlook(scene.now)).isEqualTo(before);
            assertThat(scene.frontier.outlook(scene.now.plusSeconds(9)).ready()).isTrue();
            assertThat(scene.frontier.stats().ledger().queued()).isEqualTo(1);
        }
    }

    @Test
    default void everyStateOfAUrlIsExplained() {
        try (var scene = scene()) {
            var first = "http://a.example/1";
            var second = "http://a.example/2";
            assertThat(scene.explain(first)).isEqualTo(new Explanation.NeverAccepted());
            scene.offer(first, second);
            assertThat(scene.explain(second))
                    .isInstanceOfSatisfying(
                            Explanation.Queued.class,
                            queued -> assertThat(queued.ahead()).isEqualTo(1));
            var lease = scene.lease();
            assertThat(scene.explain(first)).isEqualTo(new Explanation.Leased(lease.deadline(), 0));
            scene.failed(lease, Duration.ofSeconds(5));
            assertThat(scene.explain(first))
                    .isEqualTo(new Explanation.Queued(1, scene.now.plusSeconds(5), 1));
            assertThat(scene.explain(second))
                    .isEqualTo(new Explanation.Queued(0, scene.now.plusSeconds(1), 0));
            scene.later(1000);
            scene.done(scene.lease());
            assertThat(scene.explain(second)).isEqualTo(new Explanation.Settled());
            scene.later(5000);
            scene.settle(scene.lease(), new Outcome.Dead(FailureCause.TLS), scene.failing());
            assertThat(scene.explain(first)).isEqualTo(new Explanation.Dead(FailureCause.TLS, 1));
        }
    }

    @Test
    default void aHostThatAskedForQuietIsNamedWithItsTimeAndReason() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1", "http://a.example/2", "http://b.example/1");
            var until = scene.now.plus(Duration.ofDays(1));
            for (var lease : scene.leases()) {
                var signal =
                        lease.url().host().startsWith("a")
                                ? new HostSignal.Slow(scene.now, until)
                                : scene.healthy();
                scene.settle(lease, new Outcome.Done(false, 1), signal);
            }
            scene.later(Duration.ofHours(1));
            scene.expectNothing();
            var outlook = scene.frontier.outlook(scene.now);
            assertThat(outlook.restingOn()).isEqualTo("a.example");
            assertThat(outlook.nextDue()).contains(until);
            var hosts = scene.frontier.hosts(JobId.ONLY, 0, scene.now);
            assertThat(hosts.blocked()).hasSize(1);
            var blocked = hosts.blocked().getFirst();
            assertThat(blocked.host()).isEqualTo("a.example");
            assertThat(blocked.due()).contains(until);
            assertThat(blocked.because()).contains("it asked for that with Retry-After");
        }
    }

    @Test
    default void hostsAreCountedByWhatTheyDo() {
        try (var scene = scene()) {
            scene.offer("http://idle.example/", "http://busy.example/");
            scene.offer("http://wait.example/1", "http://wait.example/2", "http://rest.example/");
            for (var lease : scene.leases()) {
                switch (lease.url().host()) {
                    case "busy.example" -> {}
                    case "rest.example" -> scene.failed(lease, Duration.ofSeconds(9));
                    default -> scene.done(lease);
                }
            }
            scene.offer("http://ready.example/");
            assertThat(scene.frontier.stats().hosts())
                    .isEqualTo(new FrontierStats.Hosts(1, 1, 1, 1, 1));
        }
    }

    @Test
    default void theLastMarkOfEachOutputFileIsKept() {
        try (var scene = scene()) {
            var first = List.of(new FileMark("a.warc.gz", 10, 7), new FileMark("pages.log", 5, 7));
            assertThat(scene.frontier.settle(new Batch(List.of(), first), scene.now)).isZero();
            var second = List.of(new FileMark("a.warc.gz", 20, 7));
            assertThat(scene.frontier.settle(new Batch(List.of(), second), scene.now)).isZero();
            assertThat(scene.frontier.marks())
                    .containsExactlyInAnyOrder(
                            new FileMark("a.warc.gz", 20, 7), new FileMark("pages.log", 5, 7));
        }
    }

    @Test
    default void aClockSetBackByHoursStarvesNoHostAndFreesNone() {
        try (var scene = scene(FrontierScenes.gates(Duration.ofSeconds(3), Duration.ZERO))) {
            scene.frontier.slowDown("a.example", Duration.ofSeconds(1));
            scene.offer("http://a.example/1", "http://a.example/2", "http://b.example/");
            scene.offer("http://c.example/", "http://d.example/");
            var leases = scene.leases();
            assertThat(scene.pass(leases.get(0), "192.0.2.1")).isEmpty();
            scene.done(leases.get(0));
            scene.failed(leases.get(1), Duration.ofSeconds(30));
            var held = leases.get(2);
            scene.later(Duration.ofHours(-5));
            scene.expectNothing();
            scene.later(999);
            scene.expectNothing();
            scene.later(1);
            assertThat(scene.leased()).containsExactly("http://a.example/2");
            assertThat(scene.pass(held, "192.0.2.1")).contains(scene.now.plusSeconds(2));
            scene.later(Duration.ofSeconds(29));
            assertThat(scene.leased()).containsExactly("http://b.example/");
            scene.later(PLAIN.leaseTime().minusSeconds(30));
            scene.expectNothing();
            assertThat(scene.ledger().leased()).isEqualTo(4);
            scene.later(1);
            // Two leases are from before the step; c has no delay of its own and comes at once.
            assertThat(scene.leases()).hasSize(2);
        }
    }

    @Test
    default void aClockThatJumpsBackAndForthByHoursMakesNoStorm() {
        try (var scene = scene()) {
            for (var i = 0; i < 20; i++) {
                for (var host = 0; host < 5; host++) {
                    scene.offer("http://h" + host + ".example/" + i);
                }
            }
            var steps = List.of(5, -3, 7, -9, 1, -1, 2, -2);
            var fetched = 0;
            for (var step : steps) {
                scene.later(Duration.ofHours(step));
                var visits = new HashMap<String, Integer>();
                // Ten seconds by tenths of a second: each host may be asked ten or eleven times.
                for (var tick = 0; tick <= 100; tick++) {
                    for (var lease : scene.leases()) {
                        visits.merge(lease.url().host(), 1, Integer::sum);
                        scene.done(lease);
                        fetched++;
                    }
                    scene.later(100);
                }
                assertThat(visits.values()).allMatch(count -> count <= 11);
                if (fetched < 100) {
                    assertThat(visits.values()).hasSize(5).allMatch(count -> count >= 9);
                }
            }
            assertThat(fetched).isEqualTo(100);
        }
    }
}
