package dev.orbweaver.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

class TruthTest {

    private static final int PORT = 8080;
    private static final Set<String> MEDIA = Set.of("png", "zip");

    private final SimulatedWeb web = SimulatedWeb.of(WebSpec.demo(7));
    private final Truth truth = truth(web, CrawlTerms.polite(CrawlTerms.ANY, MEDIA));

    @Test
    void theSameSpecGivesTheSameTruth() {
        var again =
                truth(SimulatedWeb.of(WebSpec.demo(7)), CrawlTerms.polite(CrawlTerms.ANY, MEDIA));
        assertThat(again.hash()).isEqualTo(truth.hash());
        var other =
                truth(SimulatedWeb.of(WebSpec.demo(8)), CrawlTerms.polite(CrawlTerms.ANY, MEDIA));
        assertThat(other.hash()).isNotEqualTo(truth.hash());
    }

    @Test
    void fromTheHubAPoliteCrawlStoresNearlyAllPages() {
        assertThat(truth.pages().size()).isBetween(1_400, 1_900);
        assertThat(truth.denied()).isNotEmpty();
        assertThat(truth.withheld()).isNotEmpty();
        assertThat(truth.redirects()).isNotEmpty();
        assertThat(truth.missing()).isNotEmpty();
        assertThat(truth.failing()).isNotEmpty();
        assertThat(truth.cutShort()).isNotEmpty();
        assertThat(truth.skipped()).isNotEmpty();
        assertThat(truth.sitemaps()).isNotEmpty();
    }

    @Test
    void noUrlEndsInTwoWays() {
        var all = new HashSet<String>(truth.pages());
        all.addAll(truth.denied());
        all.addAll(truth.withheld());
        all.addAll(truth.redirects().keySet());
        all.addAll(truth.missing());
        all.addAll(truth.failing());
        all.addAll(truth.cutShort());
        assertThat(all).hasSize(truth.size()).doesNotContainAnyElementsOf(truth.skipped());
    }

    @Test
    void pagesThatOnlyASitemapListsAreMissedWithoutSitemaps() {
        var without = truth(web, new CrawlTerms(CrawlTerms.ANY, MEDIA, true, false, true, true));
        assertThat(paths(truth.pages(), "/listed/")).isGreaterThan(20);
        assertThat(paths(without.pages(), "/listed/")).isZero();
    }

    @Test
    void pagesBehindNofollowAreReachedOnlyByThoseWhoIgnoreIt() {
        var heedless = truth(web, new CrawlTerms(CrawlTerms.ANY, MEDIA, true, true, false, true));
        var strict = truth(web, new CrawlTerms(CrawlTerms.ANY, MEDIA, true, true, true, false));
        assertThat(paths(truth.pages(), "/hidden/")).isZero();
        assertThat(paths(heedless.pages(), "/hidden/")).isPositive();
        assertThat(paths(truth.pages(), "/sponsored/")).isPositive();
        assertThat(paths(strict.pages(), "/sponsored/")).isZero();
    }

    @Test
    void whoIgnoresRobotsIsDeniedNothing() {
        var rude = truth(web, new CrawlTerms(CrawlTerms.ANY, MEDIA, false, true, true, true));
        assertThat(rude.denied()).isEmpty();
        assertThat(rude.withheld()).isEmpty();
        assertThat(rude.pages()).containsAll(truth.pages()).containsAll(truth.withheld());
    }

    @Test
    void mediaIsStoredByThoseWhoSkipNothing() {
        var greedy = truth(web, CrawlTerms.polite(CrawlTerms.ANY, Set.of()));
        assertThat(greedy.skipped()).isEmpty();
        assertThat(greedy.pages()).containsAll(truth.skipped());
    }

    @Test
    void aCrawlOfOneHostStaysThere() {
        var name = web.hostName(5);
        var one =
                Truth.of(
                        web,
                        PORT,
                        List.of(web.frontUrl(5, PORT)),
                        CrawlTerms.polite(name::equals, MEDIA));
        assertThat(one.pages()).isNotEmpty().allMatch(url -> url.startsWith("http://" + name));
    }

    @Test
    void aSeedThatIsNoPageIsRefused() {
        var terms = CrawlTerms.polite(CrawlTerms.ANY, MEDIA);
        assertThatThrownBy(() -> Truth.of(web, PORT, List.of("http://else.test/"), terms))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("http://else.test/");
    }

    @Test
    void theLargeWebOfTheKillTestsHoldsTwentyThousandPages() {
        var large = SimulatedWeb.of(WebSpec.light(1, 200, 22_000));
        var all = truth(large, CrawlTerms.polite(CrawlTerms.ANY, MEDIA));
        assertThat(all.pages().size()).isGreaterThan(20_000);
    }

    private static Truth truth(SimulatedWeb web, CrawlTerms terms) {
        return Truth.of(web, PORT, List.of(web.hubUrl(PORT)), terms);
    }

    private static long paths(Set<String> urls, String folder) {
        return urls.stream().filter(url -> url.contains(folder)).count();
    }
}
