package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;

import dev.orbweaver.internal.scope.PriorityRules;
import dev.orbweaver.internal.scope.UrlCondition;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.HostPattern;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Which URLs are accepted, and in which order they are leased. */
public interface IntakeContract extends FrontierFixtures {

    @Test
    default void aUrlEntersAJobOnce() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/1", "http://a.example/1", "http://a.example/2");
            fixture.offer("http://a.example/2");
            assertThat(fixture.ledger().offered()).isEqualTo(4);
            assertThat(fixture.ledger().duplicate()).isEqualTo(2);
            assertThat(fixture.ledger().accepted()).isEqualTo(2);
            assertThat(fixture.crawlAll())
                    .containsExactly("http://a.example/1", "http://a.example/2");
        }
    }

    @Test
    default void aSeedBatchIsStoredWithItsPositionAndCountsEveryLine() {
        try (var fixture = fixture()) {
            var job = fixture.frontier.inner.job(TestFrontier.JOB);
            var visited = Fixture.url("http://a.example/visited");
            var position = new SeedPosition("000001-x.list", 500, 7, 2);
            var batch =
                    new SeedBatch(
                            List.of(
                                    Candidate.seed(Fixture.url("http://a.example/"), false),
                                    Candidate.seed(Fixture.url("http://a.example/"), false),
                                    Candidate.seed(visited, false)),
                            List.of(visited, visited),
                            2,
                            position);
            assertThat(job.offerSeeds(batch, fixture.now).isStored()).isTrue();
            assertThat(job.seedPositions()).containsExactly(position);
            var ledger = job.ledger();
            assertThat(ledger.accepted()).isEqualTo(2);
            assertThat(ledger.done()).isEqualTo(1);
            assertThat(ledger.duplicate()).isEqualTo(3);
            assertThat(ledger.refused()).isEqualTo(2);
            assertThat(ledger.balances()).isTrue();
            assertThat(fixture.leased()).containsExactly("http://a.example/");
            var hosts = new ArrayList<String>();
            job.forEachSeedHost(hosts::add);
            job.forEachNewSeedHost(hosts::add);
            assertThat(hosts).containsExactly("a.example");
        }
    }

    @Test
    default void aNewcomerIsShownOnceAndWaitsBehindTheOthersWhenItIsLowered() {
        try (var fixture = fixture()) {
            var shown = new ArrayList<String>();
            fixture.frontier.setAdmissionHook(
                    TestFrontier.JOB,
                    (url, _, _) -> {
                        shown.add(url.text());
                        return url.text().endsWith("1") ? 100 : 0;
                    });
            fixture.offer("http://a.example/1", "http://a.example/2");
            fixture.offer("http://a.example/2", "http://a.example/1");
            assertThat(shown).containsExactly("http://a.example/1", "http://a.example/2");
            assertThat(fixture.crawlAll())
                    .containsExactly("http://a.example/2", "http://a.example/1");
        }
    }

    /** Returns how many of the first 100 URLs of a host are below /3/, of 400 there and 400 not. */
    private int countOfWeightThree(String host) {
        var rules =
                new PriorityRules(
                        List.of(
                                new PriorityRules.Rule(
                                        new UrlCondition(
                                                Optional.empty(),
                                                Optional.of(HostPattern.of("weighted.example")),
                                                Optional.of(Pattern.compile("/3/"))),
                                        0,
                                        3)));
        try (var fixture = fixture()) {
            fixture.frontier.setAdmissionHook(TestFrontier.JOB, (url, _, _) -> -rules.points(url));
            for (var i = 0; i < 400; i++) {
                fixture.offer("http://" + host + "/1/" + i, "http://" + host + "/3/" + i);
            }
            var count = 0;
            for (var i = 0; i < 100; i++) {
                var lease = fixture.lease();
                count += lease.url().text().contains("/3/") ? 1 : 0;
                fixture.done(lease);
                fixture.advance(Duration.ofSeconds(10));
            }
            return count;
        }
    }

    @Test
    default void aUrlOfWeightThreeIsThreeTimesAsLikelyToBeNext() {
        assertThat(countOfWeightThree("weighted.example")).isBetween(68, 82);
    }

    @Test
    default void aHostWithoutWeightsKeepsTheOrderOfItsUrls() {
        assertThat(countOfWeightThree("other.example")).isEqualTo(50);
    }

    @Test
    default void aUrlStaysKnownInWhateverStateItIs() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/");
            var lease = fixture.lease();
            fixture.offer("http://a.example/");
            fixture.done(lease);
            fixture.offer("http://a.example/");
            assertThat(fixture.ledger().duplicate()).isEqualTo(2);
            fixture.advance(Duration.ofDays(1));
            fixture.expectNothing();
        }
    }

    @Test
    default void spellingsWithTheSameKeyAreOneUrlAndTheFirstIsFetched() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/%7Ex", "http://a.example/~x");
            assertThat(fixture.ledger().accepted()).isEqualTo(1);
            assertThat(fixture.leased()).containsExactly("http://a.example/%7Ex");
        }
    }

    @Test
    default void jobsKnowNothingOfEachOthersUrls() {
        try (var fixture = fixture()) {
            var other = new JobId(7);
            fixture.offer("http://a.example/");
            fixture.offer(other, "http://a.example/");
            assertThat(fixture.ledger().accepted()).isEqualTo(2);
            var first = fixture.lease();
            assertThat(first.job()).isEqualTo(TestFrontier.JOB);
            fixture.done(first);
            fixture.expectNothing(); // The host is one host to both jobs.
            fixture.advance(1000);
            var second = fixture.lease();
            assertThat(second.job()).isEqualTo(other);
            fixture.done(second);
            assertThat(fixture.frontier.explain(new JobId(8), first.url()))
                    .isEqualTo(new UrlState.NeverAccepted());
        }
    }

    @Test
    default void aHostsUrlsComeInTheOrderTheyWereFound() {
        try (var fixture = fixture()) {
            var urls = new ArrayList<String>();
            for (var i = 0; i < 50; i++) {
                urls.add("http://a.example/" + i);
            }
            fixture.offer(urls.toArray(String[]::new));
            assertThat(fixture.crawlAll()).containsExactlyElementsOf(urls);
        }
    }

    @Test
    default void aUrlIsServedOnlyWhenThoseOfHigherPriorityAre() {
        try (var fixture = fixture()) {
            var deep = List.of(9, 6, 3, 0, 8, 5, 2, 1);
            fixture.frontier.offer(
                    TestFrontier.JOB,
                    deep.stream()
                            .map(
                                    depth ->
                                            new Candidate(
                                                    Fixture.url("http://a.example/" + depth),
                                                    Hop.LINK,
                                                    depth,
                                                    0))
                            .toList(),
                    fixture.now);
            assertThat(fixture.crawlAll().stream().map(url -> url.substring(17)))
                    .containsExactly("0", "1", "2", "3", "5", "6", "8", "9");
        }
    }

    @Test
    default void everyRuleOfPriorityChangesTheOrderOfAHost() {
        try (var fixture = fixture()) {
            var plain = "http://a.example/plain";
            var longUrl = "http://a.example/" + "x".repeat(100);
            var longQuery = "http://a.example/q?" + "x".repeat(60);
            var media = "http://a.example/picture.png";
            var deeper = "http://a.example/deeper";
            for (var each : List.of(deeper, media, longQuery, longUrl, plain)) {
                fixture.frontier.offer(
                        TestFrontier.JOB,
                        List.of(
                                new Candidate(
                                        Fixture.url(each),
                                        Hop.LINK,
                                        each.equals(deeper) ? 5 : 2,
                                        0)),
                        fixture.now);
            }
            // 85, 80, 75, 65 and 55 on a host with few pages.
            assertThat(fixture.crawlAll())
                    .containsExactly(plain, longUrl, longQuery, media, deeper);
        }
    }

    @Test
    default void theOrderHoldsForMoreUrlsThanAreLoadedAtOnce() {
        try (var fixture = fixture()) {
            var random = new Random(7);
            var depths = new HashMap<String, Integer>();
            for (var i = 0; i < 400; i++) {
                var url = "http://a.example/" + i;
                depths.put(url, 1 + random.nextInt(9));
                fixture.frontier.offer(
                        TestFrontier.JOB,
                        List.of(new Candidate(Fixture.url(url), Hop.LINK, depths.get(url), 0)),
                        fixture.now);
            }
            assertThat(fixture.crawlAll().stream().map(depths::get)).isSorted();
        }
    }

    @Test
    default void thePriorityIsFixedWhenTheUrlIsOffered() {
        try (var fixture = fixture()) {
            // Depth 3 gives 75 on a new host, and 70 later.
            fixture.frontier.offer(
                    TestFrontier.JOB,
                    List.of(new Candidate(Fixture.url("http://a.example/young"), Hop.LINK, 3, 0)),
                    fixture.now);
            for (var i = 0; i < 11; i++) {
                fixture.offer("http://a.example/page" + i);
            }
            fixture.frontier.offer(
                    TestFrontier.JOB,
                    List.of(new Candidate(Fixture.url("http://a.example/later"), Hop.LINK, 3, 0)),
                    fixture.now);
            var order = fixture.crawlAll();
            assertThat(order.subList(11, 13))
                    .containsExactly("http://a.example/young", "http://a.example/later");
        }
    }

    @Test
    default void linksOfASettledPageAreOfferedWithItsCaptureAsParent() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/");
            var settlement =
                    new Settlement(
                            fixture.lease(),
                            new Outcome.Done(true, 1234),
                            fixture.healthy(),
                            42,
                            List.of(
                                    Fixture.link("http://a.example/"),
                                    Fixture.link("http://b.example/")),
                            Map.of(Refusal.SCOPE, 3, Refusal.NOFOLLOW, 1));
            var refused =
                    fixture.frontier.settle(
                            new CommitBatch(List.of(settlement), List.of()), fixture.now);
            assertThat(refused).isZero();
            assertThat(fixture.ledger()).isEqualTo(new Ledger(7, 1, 4, 2, 1, 0, 1, 0, 0, 1, 1234));
            assertThat(fixture.frontier.stats().refusedByReason())
                    .isEqualTo(Map.of(Refusal.SCOPE, 3L, Refusal.NOFOLLOW, 1L));
            assertThat(fixture.lease().parent()).isEqualTo(CaptureRef.ofLine(42));
        }
    }

    @Test
    default void aLeaseTellsAllThatWasSaidOfItsUrl() {
        try (var fixture = fixture()) {
            var url = Fixture.url("https://a.example:8443/p?q=1");
            fixture.frontier.offer(
                    new JobId(3), List.of(new Candidate(url, Hop.REDIRECT, 2, 4)), fixture.now);
            fixture.advance(5);
            var lease = fixture.lease();
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
                                    CaptureRef.NONE,
                                    0,
                                    Fixture.START,
                                    fixture.now.plus(PLAIN.leaseTime())));
        }
    }

    @Test
    default void hostileUrlsComeOutAsTheyWentIn() {
        try (var fixture = fixture()) {
            var long8k = "http://a.example/" + "x".repeat(8000);
            var urls =
                    List.of(
                            "http://[2001:db8::1]:8080/|%00%0D%0A:%20",
                            "http://xn--bcher-kva.example/?a={b}&c=|",
                            "http://under_score.example:99/:/%7B",
                            "http://1.2.3.4/'(!*)",
                            long8k);
            fixture.offer(urls.toArray(String[]::new));
            assertThat(fixture.leased()).containsExactlyInAnyOrderElementsOf(urls);
        }
    }

    @Test
    default void portsOfAHostShareItsQueueAndItsDelay() {
        try (var fixture = fixture()) {
            fixture.offer("http://a.example/", "http://a.example:8080/", "https://a.example/");
            fixture.done(fixture.lease());
            fixture.expectNothing();
            assertThat(fixture.crawlAll()).hasSize(2);
        }
    }

    @Test
    default void seedsAreListedPerJobWithThoseThatCameByRedirect() {
        try (var fixture = fixture()) {
            var seed = Fixture.url("http://a.example/");
            var target = Fixture.url("http://www.a.example/");
            fixture.frontier.offer(
                    TestFrontier.JOB, List.of(Candidate.seed(seed, true)), fixture.now);
            fixture.offer("http://a.example/no-seed");
            fixture.frontier.offer(
                    TestFrontier.JOB, List.of(new Candidate(target, Hop.SEED, 0, 1)), fixture.now);
            assertThat(fixture.frontier.seeds(TestFrontier.JOB)).containsExactly(seed, target);
            assertThat(fixture.frontier.seeds(new JobId(1))).isEmpty();
        }
    }
}
