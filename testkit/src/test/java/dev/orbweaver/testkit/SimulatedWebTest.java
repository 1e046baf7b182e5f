package dev.orbweaver.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Slow;

import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

class SimulatedWebTest {

    private static final int PORT = 8080;

    private final SimulatedWeb web = SimulatedWeb.of(WebSpec.demo(7));

    @Test
    void theSameSpecGivesTheSameBytes() {
        var again = SimulatedWeb.of(WebSpec.demo(7));
        assertThat(again.pageCount()).isEqualTo(web.pageCount());
        for (var page = 0; page < web.pageCount(); page++) {
            assertThat(again.response(page, PORT, 1, false).toBytes())
                    .as(web.url(page, PORT))
                    .isEqualTo(web.response(page, PORT, 1, false).toBytes());
        }
    }

    @Test
    void anotherSeedGivesAnotherWeb() {
        var other = SimulatedWeb.of(WebSpec.demo(8));
        assertThat(other.response(5, PORT, 1, false).body())
                .isNotEqualTo(web.response(5, PORT, 1, false).body());
    }

    @Test
    void everyUrlLeadsBackToItsPageAndNoTwoPagesShareOne() {
        for (var seed = 0L; seed < 5; seed++) {
            var some = SimulatedWeb.of(WebSpec.light(seed, 40, 3_000));
            var urls = new HashSet<String>();
            for (var page = 0; page < some.pageCount(); page++) {
                var url = some.url(page, PORT);
                assertThat(some.find(url)).as("seed %s: %s", seed, url).hasValue(page);
                assertThat(urls.add(url)).as("seed %s: %s twice", seed, url).isTrue();
            }
        }
    }

    @Test
    void aPageLinksToWhatItDeclaresAndToNothingElse() throws IOException {
        for (var page = 0; page < web.pageCount(); page++) {
            if (web.pages().kind(page).outcome() == PageKind.Outcome.HTML) {
                var url = web.url(page, PORT);
                var declared = new TreeSet<String>();
                web.links(page).forEach(link -> declared.add(web.url(link.target(), PORT)));
                assertThat(served(page, url)).as(url).isEqualTo(declared);
            }
        }
    }

    @Test
    void everyOrdinaryPageIsReachedFromItsFrontPage() {
        for (var host = 1; host < web.hostCount(); host++) {
            if (!web.hosts().isLive(host)) {
                continue;
            }
            var name = web.hostName(host);
            var terms = new CrawlAssumptions(name::equals, Set.of(), false, false, true, true);
            var front = web.frontUrl(host, PORT);
            var groundTruth = GroundTruth.of(web, PORT, List.of(front), terms);
            for (var i = 0; i < web.hosts().ordinaryPages(host); i++) {
                assertThat(groundTruth.pages())
                        .contains(web.url(web.pages().first(host) + i, PORT));
            }
        }
    }

    @Test
    void theDemoHoldsEveryKindOfPagePolicyAndTrait() {
        for (var seed = 0L; seed < 20; seed++) {
            var some = SimulatedWeb.of(WebSpec.demo(seed));
            var kinds = EnumSet.noneOf(PageKind.class);
            for (var page = 0; page < some.pageCount(); page++) {
                kinds.add(some.pages().kind(page));
            }
            // A host has one of the two errors at random.
            kinds.addAll(EnumSet.of(PageKind.ERROR_500, PageKind.ERROR_503));
            assertThat(kinds).as("seed %s", seed).containsExactly(PageKind.values());
            var policies = EnumSet.noneOf(SimulatedRobots.class);
            var traits = EnumSet.noneOf(Trait.class);
            for (var host = 0; host < some.hostCount(); host++) {
                policies.add(some.hosts().policy(host));
                for (var trait : Trait.values()) {
                    if (some.hosts().has(host, trait)) {
                        traits.add(trait);
                    }
                }
            }
            assertThat(policies)
                    .as("seed %s", seed)
                    .isEqualTo(
                            EnumSet.range(SimulatedRobots.NOT_FOUND, SimulatedRobots.UNREACHABLE));
            assertThat(traits)
                    .as("seed %s", seed)
                    .isEqualTo(EnumSet.range(Trait.UNRESOLVABLE, Trait.UTF_16));
        }
    }

    @Test
    void aPlainWebHasOrdinaryPagesOnly() {
        var plain = SimulatedWeb.of(WebSpec.light(3, 30, 600).plain());
        assertThat(plain.pageCount()).isEqualTo(601);
        for (var host = 0; host < plain.hostCount(); host++) {
            assertThat(plain.hosts().isLive(host)).isTrue();
            assertThat(plain.hosts().policy(host).allows("/private/open-1")).isTrue();
        }
    }

    @Test
    void pageSizesHaveTheSpecifiedMean() {
        var plain = SimulatedWeb.of(WebSpec.light(3, 20, 2_000).plain().withMeanPageBytes(24_576));
        var sizes =
                IntStream.range(1, 2_000)
                        .map(page -> plain.response(page, PORT, 1, false).body().length)
                        .toArray();
        assertThat(Arrays.stream(sizes).average().orElseThrow()).isBetween(20_000.0, 28_000.0);
    }

    @Test
    void livePagesHaveTheMedianAndTheMeanOfTheLiveWeb() {
        var live =
                SimulatedWeb.of(WebSpec.light(3, 20, 2_000).plain().withPageSizes(PageSizes.LIVE));
        var sizes =
                IntStream.range(1, 401)
                        .map(page -> live.response(page * 4, PORT, 1, false).body().length)
                        .sorted()
                        .toArray();
        assertThat(sizes[200]).isBetween(120_000, 156_000);
        assertThat(Arrays.stream(sizes).average().orElseThrow()).isBetween(215_000.0, 270_000.0);
        assertThat(PageSizes.LIGHT.meanBytes()).isEqualTo(24_000);
    }

    @Slow
    @Test
    void millionsOfHostsShareTheAddressesThereAre() {
        var hosts = 3_000_000;
        var many = SimulatedWeb.of(WebSpec.light(1, hosts, 2 * hosts));
        assertThat(many.addresses()).hasSize(16_000);
        for (var host = 1; host < hosts; host += 9_973) {
            var last = many.pages().first(host + 1) - 1;
            var url = many.url(last, PORT);
            assertThat(many.find(url)).as(url).hasValue(last);
            if (many.hosts().has(host, Trait.UNRESPONSIVE)) {
                assertThat(many.addresses())
                        .doesNotContain(many.resolve(many.hostName(host)).orElseThrow());
            }
        }
    }

    @Test
    void someHostsShareAnAddressAndSomeADomain() {
        assertThat(web.addresses().size()).isLessThan(web.hostCount() - 3);
        var domains = new HashSet<String>();
        for (var host = 0; host < web.hostCount(); host++) {
            domains.add(web.hosts().domain(host));
        }
        assertThat(domains.size()).isLessThan(web.hostCount());
    }

    @Test
    void aWebOfManyHostsSpreadsItsHubOverPages() {
        var many = SimulatedWeb.of(WebSpec.light(1, 2_500, 3_000));
        var hub = List.of(many.hubUrl(PORT));
        var groundTruth =
                GroundTruth.of(
                        many, PORT, hub, CrawlAssumptions.polite(CrawlAssumptions.ANY, Set.of()));
        for (var host = 1; host < many.hostCount(); host++) {
            var front = many.frontUrl(host, PORT);
            assertThat(
                            groundTruth.pages().contains(front)
                                    || groundTruth.denied().contains(front)
                                    || groundTruth.robotsUnreachable().contains(front)
                                    || groundTruth.failing().contains(front))
                    .as(front)
                    .isTrue();
        }
    }

    /** Returns the links that a browser would find, parsed by jsoup. */
    private Set<String> served(int page, String url) throws IOException {
        var wireResponse = web.response(page, PORT, 1, false);
        var type = wireResponse.fields().getFirst();
        return links(
                Jsoup.parse(new ByteArrayInputStream(wireResponse.body()), charset(type), url));
    }

    /** Returns the charset of the header; null lets jsoup detect it in the document. */
    static @Nullable String charset(String type) {
        return type.contains("charset=") ? type.substring(type.indexOf('=') + 1) : null;
    }

    static Set<String> links(Document document) {
        var links = new TreeSet<String>();
        for (var element : document.select("a[href], area[href]")) {
            var link = element.attr("abs:href");
            if (link.startsWith("http")) {
                var fragment = link.indexOf('#');
                links.add(lowerHost(fragment < 0 ? link : link.substring(0, fragment)));
            }
        }
        return links;
    }

    /** Converts the host to lower case, as in the URL standard; jsoup does not. */
    private static String lowerHost(String url) {
        var path = url.indexOf('/', "http://".length());
        return url.substring(0, path).toLowerCase(Locale.ROOT) + url.substring(path);
    }
}
