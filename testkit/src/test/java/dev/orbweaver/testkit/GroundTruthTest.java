package dev.orbweaver.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

class GroundTruthTest {

    private static final int PORT = 8080;
    private static final Set<String> MEDIA = Set.of("png", "zip");

    private final SimulatedWeb web = SimulatedWeb.of(WebSpec.demo(7));
    private final GroundTruth groundTruth =
            groundTruth(web, CrawlAssumptions.polite(CrawlAssumptions.ANY, MEDIA));

    @Test
    void theSameSpecGivesTheSameTruth() {
        var again =
                groundTruth(
                        SimulatedWeb.of(WebSpec.demo(7)),
                        CrawlAssumptions.polite(CrawlAssumptions.ANY, MEDIA));
        assertThat(again.hash()).isEqualTo(groundTruth.hash());
        var other =
                groundTruth(
                        SimulatedWeb.of(WebSpec.demo(8)),
                        CrawlAssumptions.polite(CrawlAssumptions.ANY, MEDIA));
        assertThat(other.hash()).isNotEqualTo(groundTruth.hash());
    }

    @Test
    void fromTheHubAPoliteCrawlStoresNearlyAllPages() {
        assertThat(groundTruth.pages().size()).isBetween(1_400, 1_900);
        assertThat(groundTruth.denied()).isNotEmpty();
        assertThat(groundTruth.robotsUnreachable()).isNotEmpty();
        assertThat(groundTruth.redirects()).isNotEmpty();
        assertThat(groundTruth.missing()).isNotEmpty();
        assertThat(groundTruth.failing()).isNotEmpty();
        assertThat(groundTruth.truncated()).isNotEmpty();
        assertThat(groundTruth.skipped()).isNotEmpty();
        assertThat(groundTruth.sitemaps()).isNotEmpty();
    }

    @Test
    void noUrlEndsInTwoWays() {
        var all = new HashSet<String>(groundTruth.pages());
        all.addAll(groundTruth.denied());
        all.addAll(groundTruth.robotsUnreachable());
        all.addAll(groundTruth.redirects().keySet());
        all.addAll(groundTruth.missing());
        all.addAll(groundTruth.failing());
        all.addAll(groundTruth.truncated());
        assertThat(all)
                .hasSize(groundTruth.size())
                .doesNotContainAnyElementsOf(groundTruth.skipped());
    }

    @Test
    void pagesThatOnlyASitemapListsAreMissedWithoutSitemaps() {
        var without =
                groundTruth(
                        web,
                        new CrawlAssumptions(CrawlAssumptions.ANY, MEDIA, true, false, true, true));
        assertThat(paths(groundTruth.pages(), "/listed/")).isGreaterThan(20);
        assertThat(paths(without.pages(), "/listed/")).isZero();
    }

    @Test
    void pagesAfterNofollowAreReachedOnlyIfItIsIgnored() {
        var heedless =
                groundTruth(
                        web,
                        new CrawlAssumptions(CrawlAssumptions.ANY, MEDIA, true, true, false, true));
        var strict =
                groundTruth(
                        web,
                        new CrawlAssumptions(CrawlAssumptions.ANY, MEDIA, true, true, true, false));
        assertThat(paths(groundTruth.pages(), "/hidden/")).isZero();
        assertThat(paths(heedless.pages(), "/hidden/")).isPositive();
        assertThat(paths(groundTruth.pages(), "/sponsored/")).isPositive();
        assertThat(paths(strict.pages(), "/sponsored/")).isZero();
    }

    @Test
    void aCrawlerThatIgnoresRobotsIsDeniedNothing() {
        var rude =
                groundTruth(
                        web,
                        new CrawlAssumptions(CrawlAssumptions.ANY, MEDIA, false, true, true, true));
        assertThat(rude.denied()).isEmpty();
        assertThat(rude.robotsUnreachable()).isEmpty();
        assertThat(rude.pages())
                .containsAll(groundTruth.pages())
                .containsAll(groundTruth.robotsUnreachable());
    }

    @Test
    void mediaIsStoredIfNothingIsSkipped() {
        var greedy = groundTruth(web, CrawlAssumptions.polite(CrawlAssumptions.ANY, Set.of()));
        assertThat(greedy.skipped()).isEmpty();
        assertThat(greedy.pages()).containsAll(groundTruth.skipped());
    }

    @Test
    void aCrawlOfOneHostStaysThere() {
        var name = web.hostName(5);
        var one =
                GroundTruth.of(
                        web,
                        PORT,
                        List.of(web.frontUrl(5, PORT)),
                        CrawlAssumptions.polite(name::equals, MEDIA));
        assertThat(one.pages()).isNotEmpty().allMatch(url -> url.startsWith("http://" + name));
    }

    @Test
    void aSeedThatIsNoPageIsRefused() {
        var terms = CrawlAssumptions.polite(CrawlAssumptions.ANY, MEDIA);
        assertThatThrownBy(() -> GroundTruth.of(web, PORT, List.of("http://else.test/"), terms))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("http://else.test/");
    }

    @Test
    void theLargeWebOfTheKillTestsHoldsTwentyThousandPages() {
        var large = SimulatedWeb.of(WebSpec.light(1, 200, 22_000));
        var all = groundTruth(large, CrawlAssumptions.polite(CrawlAssumptions.ANY, MEDIA));
        assertThat(all.pages().size()).isGreaterThan(20_000);
    }

    private static GroundTruth groundTruth(SimulatedWeb web, CrawlAssumptions terms) {
        return GroundTruth.of(web, PORT, List.of(web.hubUrl(PORT)), terms);
    }

    private static long paths(Set<String> urls, String directory) {
        return urls.stream().filter(url -> url.contains(directory)).count();
    }
}
