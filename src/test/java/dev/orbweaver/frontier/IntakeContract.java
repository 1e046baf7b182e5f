package dev.orbweaver.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.Hop;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What comes in, and in which order it goes out. */
public interface IntakeContract extends FrontierScenes {

    @Test
    default void aUrlEntersAJobOnce() {
        try (var scene = scene()) {
            scene.offer("http://a.example/1", "http://a.example/1", "http://a.example/2");
            scene.offer("http://a.example/2");
            assertThat(scene.ledger().offered()).isEqualTo(4);
            assertThat(scene.ledger().duplicate()).isEqualTo(2);
            assertThat(scene.ledger().accepted()).isEqualTo(2);
            assertThat(scene.crawlAll())
                    .containsExactly("http://a.example/1", "http://a.example/2");
        }
    }

    @Test
    default void aNewcomerIsShownOnceAndWaitsBehindTheOthersWhenItIsLowered() {
        try (var scene = scene()) {
            var shown = new ArrayList<String>();
            scene.frontier.show(
                    JobId.ONLY,
                    (url, _, _) -> {
                        shown.add(url.text());
                        return url.text().endsWith("1") ? 100 : 0;
                    });
            scene.offer("http://a.example/1", "http://a.example/2");
            scene.offer("http://a.example/2", "http://a.example/1");
            assertThat(shown).containsExactly("http://a.example/1", "http://a.example/2");
            assertThat(scene.crawlAll())
                    .containsExactly("http://a.example/2", "http://a.example/1");
        }
    }

    @Test
    default void aUrlStaysKnownInWhateverStateItIs() {
        try (var scene = scene()) {
            scene.offer("http://a.example/");
            var lease = scene.lease();
            scene.offer("http://a.example/");
            scene.done(lease);
            scene.offer("http://a.example/");
            assertThat(scene.ledger().duplicate()).isEqualTo(2);
            scene.later(Duration.ofDays(1));
            scene.expectNothing();
        }
    }

    @Test
    default void spellingsWithTheSameKeyAreOneUrlAndTheFirstIsFetched() {
        try (var scene = scene()) {
            scene.offer("http://a.example/%7Ex", "http://a.example/~x");
            assertThat(scene.ledger().accepted()).isEqualTo(1);
            assertThat(scene.leased()).containsExactly("http://a.example/%7Ex");
        }
    }

    @Test
    default void jobsKnowNothingOfEachOthersUrls() {
        try (var scene = scene()) {
            var other = new JobId(7);
            scene.offer("http://a.example/");
            scene.offer(other, "http://a.example/");
            assertThat(scene.ledger().accepted()).isEqualTo(2);
            var first = scene.lease();
            assertThat(first.job()).isEqualTo(JobId.ONLY);
            scene.done(first);
            scene.expectNothing(); // The host is one host to both jobs.
            scene.later(1000);
            var second = scene.lease();
            assertThat(second.job()).isEqualTo(other);
            scene.done(second);
            assertThat(scene.frontier.explain(new JobId(8), first.url()))
                    .isEqualTo(new Explanation.NeverAccepted());
        }
    }

    @Test
    default void aHostsUrlsComeInTheOrderTheyWereFound() {
        try (var scene = scene()) {
            var urls = new ArrayList<String>();
            for (var i = 0; i < 50; i++) {
                urls.add("http://a.example/" + i);
            }
            scene.offer(urls.toArray(String[]::new));
            assertThat(scene.crawlAll()).containsExactlyElementsOf(urls);
        }
    }

    @Test
    default void aBandIsServedOnlyWhenThoseBeforeItAreEmpty() {
        try (var scene = scene()) {
            var deep = List.of(9, 6, 3, 0, 8, 5, 2, 1);
            scene.frontier.offer(
                    JobId.ONLY,
                    deep.stream()
                            .map(
                                    depth ->
                                            new Candidate(
                                                    Scene.url("http://a.example/" + depth),
                                                    Hop.LINK,
                                                    depth,
                                                    0))
                            .toList(),
                    scene.now);
            // 100 + 5 - 10 a level: bands of 25, in the order of finding within a band.
            assertThat(scene.crawlAll().stream().map(url -> url.substring(17)))
                    .containsExactly("0", "2", "1", "3", "5", "6", "9", "8");
        }
    }

    @Test
    default void theBandIsFixedWhenTheUrlIsOffered() {
        try (var scene = scene()) {
            // Depth 3 makes 75 on a young host (band 1: 76 to 100 is band 0 by 100 - score < 25).
            scene.frontier.offer(
                    JobId.ONLY,
                    List.of(new Candidate(Scene.url("http://a.example/young"), Hop.LINK, 3, 0)),
                    scene.now);
            for (var i = 0; i < 11; i++) {
                scene.offer("http://a.example/page" + i);
            }
            scene.frontier.offer(
                    JobId.ONLY,
                    List.of(new Candidate(Scene.url("http://a.example/later"), Hop.LINK, 3, 0)),
                    scene.now);
            var order = scene.crawlAll();
            assertThat(order.subList(11, 13))
                    .containsExactly("http://a.example/young", "http://a.example/later");
        }
    }

    @Test
    default void linksOfASettledPageAreOfferedWithItsCaptureAsParent() {
        try (var scene = scene()) {
            scene.offer("http://a.example/");
            var settlement =
                    new Settlement(
                            scene.lease(),
                            new Outcome.Done(true, 1234),
                            scene.healthy(),
                            42,
                            List.of(
                                    Scene.link("http://a.example/"),
                                    Scene.link("http://b.example/")),
                            Map.of(Refusal.SCOPE, 3, Refusal.NOFOLLOW, 1));
            var refused =
                    scene.frontier.settle(new Batch(List.of(settlement), List.of()), scene.now);
            assertThat(refused).isZero();
            assertThat(scene.ledger()).isEqualTo(new Ledger(7, 1, 4, 2, 1, 0, 1, 0, 0, 1, 1234));
            assertThat(scene.frontier.stats().refusedByReason())
                    .isEqualTo(Map.of(Refusal.SCOPE, 3L, Refusal.NOFOLLOW, 1L));
            assertThat(scene.lease().parent()).isEqualTo(42);
        }
    }

    @Test
    default void aLeaseTellsAllThatWasSaidOfItsUrl() {
        try (var scene = scene()) {
            var url = Scene.url("https://a.example:8443/p?q=1");
            scene.frontier.offer(
                    new JobId(3), List.of(new Candidate(url, Hop.REDIRECT, 2, 4)), scene.now);
            scene.later(5);
            var lease = scene.lease();
            assertThat(lease)
                    .isEqualTo(
                            new Lease(
                                    lease.token(),
                                    new JobId(3),
                                    url,
                                    Hop.REDIRECT,
                                    2,
                                    4,
                                    false,
                                    0,
                                    0,
                                    Scene.START,
                                    scene.now.plus(PLAIN.leaseTime())));
        }
    }

    @Test
    default void hostileUrlsComeOutAsTheyWentIn() {
        try (var scene = scene()) {
            var long8k = "http://a.example/" + "x".repeat(8000);
            var urls =
                    List.of(
                            "http://[2001:db8::1]:8080/|%00%0D%0A:%20",
                            "http://xn--bcher-kva.example/?a={b}&c=|",
                            "http://under_score.example:99/:/%7B",
                            "http://1.2.3.4/'(!*)",
                            long8k);
            scene.offer(urls.toArray(String[]::new));
            assertThat(scene.leased()).containsExactlyInAnyOrderElementsOf(urls);
        }
    }

    @Test
    default void portsOfAHostShareItsQueueAndItsDelay() {
        try (var scene = scene()) {
            scene.offer("http://a.example/", "http://a.example:8080/", "https://a.example/");
            scene.done(scene.lease());
            scene.expectNothing();
            assertThat(scene.crawlAll()).hasSize(2);
        }
    }

    @Test
    default void seedsAreListedPerJobWithThoseThatCameByRedirect() {
        try (var scene = scene()) {
            var seed = Scene.url("http://a.example/");
            var target = Scene.url("http://www.a.example/");
            scene.frontier.offer(JobId.ONLY, List.of(Candidate.seed(seed, true)), scene.now);
            scene.offer("http://a.example/no-seed");
            scene.frontier.offer(
                    JobId.ONLY, List.of(new Candidate(target, Hop.SEED, 0, 1)), scene.now);
            assertThat(scene.frontier.seeds(JobId.ONLY)).containsExactly(seed, target);
            assertThat(scene.frontier.seeds(new JobId(1))).isEmpty();
        }
    }
}
