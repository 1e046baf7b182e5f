package dev.orbweaver.internal.scope;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.model.ScopeType;
import dev.orbweaver.spi.Scope;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

class RuleScopeTest {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    @ParameterizedTest
    @CsvSource({
        "http://docs.example.co.uk/guide/a.html, true",
        "http://docs.example.co.uk/guide/, true",
        "https://docs.example.co.uk:8443/guide/sub/b?q=/x, true",
        "http://docs.example.co.uk/guide, false",
        "http://docs.example.co.uk/guidebook/, false",
        "http://docs.example.co.uk/, false",
        "http://docs.example.co.uk/x?/guide/, false",
        "http://www.example.co.uk/guide/, false"
    })
    void pathReachesBelowTheSeedsDirectoryOverAnySchemeAndPort(String url, boolean inside) {
        var scope = scope(ScopeType.PATH, "http://docs.example.co.uk/guide/index.html?page=1/2");
        assertThat(refusal(scope, url)).isEqualTo(outside(inside));
    }

    @ParameterizedTest
    @CsvSource({
        "http://docs.example.co.uk/, true",
        "https://docs.example.co.uk:8443/x, true",
        "http://www.example.co.uk/, false",
        "http://docs.example.co.uk.evil.test/, false",
        "http://evil.test/docs.example.co.uk/, false"
    })
    void hostReachesTheNameAlone(String url, boolean inside) {
        var scope = scope(ScopeType.HOST, "http://docs.example.co.uk/guide/");
        assertThat(refusal(scope, url)).isEqualTo(outside(inside));
    }

    @ParameterizedTest
    @CsvSource({
        "http://www.example.co.uk/, true",
        "https://example.co.uk/, true",
        "http://a.b.example.co.uk/, true",
        "http://other.co.uk/, false",
        "http://notexample.co.uk/, false"
    })
    void domainReachesWhatOneOwnerCanRegister(String url, boolean inside) {
        var scope = scope(ScopeType.DOMAIN, "http://docs.example.co.uk/guide/");
        assertThat(refusal(scope, url)).isEqualTo(outside(inside));
    }

    @Test
    void domainOfAnAddressIsTheAddress() {
        var scope = scope(ScopeType.DOMAIN, "http://192.0.2.1/");
        assertThat(refusal(scope, "http://192.0.2.1:81/")).isEmpty();
        assertThat(refusal(scope, "http://198.51.2.1/")).contains(Refusal.SCOPE);
    }

    @Test
    void anyReachesEverywhere() {
        assertThat(refusal(scope(ScopeType.ANY, "http://a.test/"), "https://b.test/x")).isEmpty();
    }

    @Test
    void everySeedWidensTheScope() {
        var scope = scope(ScopeType.HOST, "http://a.test/", "http://b.test/");
        assertThat(refusal(scope, "http://b.test/x")).isEmpty();
        assertThat(refusal(scope, "http://c.test/x")).contains(Refusal.SCOPE);
        var wider = scope.withSeed(url("https://c.test/"));
        assertThat(refusal(wider, "http://c.test/x")).isEmpty();
        assertThat(wider.withSeed(url("https://c.test/"))).isSameAs(wider);
    }

    @ParameterizedTest
    @EnumSource(ScopeType.class)
    void aSeedBelongsWhateverTheRulesSay(ScopeType scopeType) {
        var rules =
                new ScopeSettings(
                        scopeType,
                        List.of(),
                        List.of(Pattern.compile(".")),
                        0,
                        Set.of("pdf"),
                        false,
                        Set.of(),
                        Long.MAX_VALUE);
        var scope = new RuleScope(rules, Set.of(url("http://a.test/")));
        for (var hop : List.of(Hop.SEED, Hop.GUESSED_SEED)) {
            assertThat(scope.evaluate(url("http://b.test/x.pdf"), hop, 99).isAccepted()).isTrue();
        }
    }

    @Test
    void anExcludedUrlIsOutEvenWhenItIsIncluded() {
        var scope = rules("/blog/", "/blog/tag/");
        assertThat(refusal(scope, "http://a.test/blog/1")).isEmpty();
        assertThat(refusal(scope, "http://a.test/blog/tag/x")).contains(Refusal.RULE);
        assertThat(refusal(scope, "http://a.test/about")).contains(Refusal.RULE);
        assertThat(scope.evaluate(url("http://a.test/blog/tag/x"), Hop.LINK, 1).rule())
                .isEqualTo("excluded by /blog/tag/");
        assertThat(scope.evaluate(url("http://a.test/about"), Hop.LINK, 1).rule())
                .isEqualTo("no include rule matches");
    }

    @Test
    void rulesSeeTheWholeUrlAndItsLetterCase() {
        var scope = rules("", "^https:|[?&]sort=|/ADMIN");
        assertThat(refusal(scope, "https://a.test/")).contains(Refusal.RULE);
        assertThat(refusal(scope, "http://a.test/x?a=1&sort=up")).contains(Refusal.RULE);
        assertThat(refusal(scope, "http://a.test/admin")).isEmpty();
    }

    @Test
    void linksDeeperThanTheLimitAreLeft() {
        var scope =
                new RuleScope(settings(ScopeType.HOST, 2, false), Set.of(url("http://a.test/")));
        assertThat(scope.evaluate(url("http://a.test/x"), Hop.LINK, 2).isAccepted()).isTrue();
        assertThat(scope.evaluate(url("http://a.test/x"), Hop.LINK, 3).refusal())
                .contains(Refusal.DEPTH);
        assertThat(scope.evaluate(url("http://a.test/x"), Hop.REDIRECT, 2).isAccepted()).isTrue();
    }

    @Test
    void aRequisiteOfADeepestPageBelongsAndItsExtensionDoesNotMatter() {
        var with = new RuleScope(settings(ScopeType.HOST, 2, true), Set.of(url("http://a.test/")));
        assertThat(with.evaluate(url("http://a.test/i.png"), Hop.EMBED, 3).isAccepted()).isTrue();
        assertThat(with.evaluate(url("http://a.test/i.png"), Hop.LINK, 1).refusal())
                .contains(Refusal.EXTENSION);
        // It may be on any host, but not at the end of an endless chain.
        assertThat(with.evaluate(url("http://b.test/i.png"), Hop.EMBED, 7).isAccepted()).isTrue();
        assertThat(with.evaluate(url("http://b.test/i.png"), Hop.EMBED, 8).refusal())
                .contains(Refusal.DEPTH);
        var without =
                new RuleScope(settings(ScopeType.HOST, 2, false), Set.of(url("http://a.test/")));
        assertThat(without.evaluate(url("http://a.test/i.png"), Hop.EMBED, 1).refusal())
                .contains(Refusal.REQUISITE);
    }

    @ParameterizedTest
    @CsvSource({
        "http://a.test/i.png, true",
        "http://a.test/i.PNG?x, true",
        "http://a.test/i.png/, false",
        "http://a.test/png, false",
        "http://a.test/?f=i.png, false",
        "http://a.test/v1.png.html, false"
    })
    void extensionsAreThoseOfThePath(String url, boolean skipped) {
        var scope = new RuleScope(settings(ScopeType.ANY, 9, false), Set.of(url("http://a.test/")));
        assertThat(refusal(scope, url))
                .isEqualTo(skipped ? Optional.of(Refusal.EXTENSION) : Optional.empty());
    }

    @Test
    void aSitemapOfTheHostServesACrawlOfOneOfItsDirectories() {
        var scope = scope(ScopeType.PATH, "http://a.test/guide/");
        assertThat(scope.evaluate(url("https://a.test/sitemap.xml"), Hop.SITEMAP, 0).isAccepted())
                .isTrue();
        assertThat(scope.evaluate(url("http://b.test/sitemap.xml"), Hop.SITEMAP, 0).refusal())
                .contains(Refusal.SCOPE);
        assertThat(refusal(scope, "http://a.test/sitemap.xml")).contains(Refusal.SCOPE);
    }

    @Test
    void aScopeDescribesItself() {
        assertThat(scope(ScopeType.HOST, "http://b.test/", "http://a.test/").describe())
                .isEqualTo("a.test, b.test");
        assertThat(scope(ScopeType.PATH, "http://a.test/x/y").describe()).isEqualTo("a.test/x/");
        assertThat(scope(ScopeType.DOMAIN, "http://www.a.co.uk/").describe()).isEqualTo("a.co.uk");
        assertThat(scope(ScopeType.ANY, "http://a.test/").describe()).isEqualTo("anywhere");
        assertThat(rules("/in/", "/out/").describe())
                .isEqualTo("a.test; including /in/; excluding /out/");
    }

    @Test
    void aRefusalNamesWhatItIsOutsideOf() {
        var verdict =
                scope(ScopeType.HOST, "http://a.test/")
                        .evaluate(url("http://b.test/"), Hop.LINK, 1);
        assertThat(verdict.rule()).isEqualTo("outside a.test");
        assertThat(ofManySeeds(ScopeType.HOST, 1234).evaluate(OUTSIDE, Hop.LINK, 1).rule())
                .isEqualTo("outside the 1,234 hosts of the seeds");
    }

    @ParameterizedTest
    @EnumSource(names = {"HOST", "DOMAIN", "PATH"})
    void noDecisionCostsMoreWithMoreSeeds(ScopeType scopeType) {
        var few = allocatedBytes(ofManySeeds(scopeType, 10));
        var many = allocatedBytes(ofManySeeds(scopeType, 20_000));
        assertThat(many).isLessThan(2 * few + 10_000);
    }

    private static final CrawlUrl OUTSIDE = url("http://outside.test/a/b/c/d");

    private static RuleScope ofManySeeds(ScopeType scopeType, int count) {
        return new RuleScope(
                settings(scopeType, 9, false),
                IntStream.range(0, count).mapToObj(i -> url("http://h" + i + ".test/a/")).toList());
    }

    /** Returns the bytes that 200 refused links and 200 redirected seeds allocate. */
    private static long allocatedBytes(RuleScope scope) {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        var seeds = IntStream.range(0, 200).mapToObj(i -> url("http://r" + i + ".test/")).toList();
        var before = threads.getCurrentThreadAllocatedBytes();
        Scope grown = scope;
        for (var seed : seeds) {
            grown = grown.withSeed(seed);
            assertThat(grown.evaluate(OUTSIDE, Hop.LINK, 1).isAccepted()).isFalse();
        }
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private static RuleScope scope(ScopeType scopeType, String... seeds) {
        return new RuleScope(
                settings(scopeType, 9, false),
                Stream.of(seeds).map(RuleScopeTest::url).collect(Collectors.toSet()));
    }

    private static RuleScope rules(String include, String exclude) {
        var settings =
                new ScopeSettings(
                        ScopeType.HOST,
                        include.isEmpty() ? List.of() : List.of(Pattern.compile(include)),
                        List.of(Pattern.compile(exclude)),
                        9,
                        Set.of(),
                        false,
                        Set.of(),
                        Long.MAX_VALUE);
        return new RuleScope(settings, Set.of(url("http://a.test/")));
    }

    private static ScopeSettings settings(ScopeType scopeType, int depth, boolean requisites) {
        return new ScopeSettings(
                scopeType,
                List.of(),
                List.of(),
                depth,
                Set.of("png", "pdf"),
                requisites,
                Set.of(),
                Long.MAX_VALUE);
    }

    private static Optional<Refusal> refusal(Scope scope, String url) {
        return scope.evaluate(url(url), Hop.LINK, 1).refusal();
    }

    private static Optional<Refusal> outside(boolean inside) {
        return inside ? Optional.empty() : Optional.of(Refusal.SCOPE);
    }

    private static CrawlUrl url(String text) {
        return URLS.parse(text).orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        "text/html, 100, LINK, true",
        "video/mp4, 100, LINK, false",
        "Video/MP4; x=y, 100, REDIRECT, false",
        "application/zip, 100, LINK, false",
        "application/pdf, 100, LINK, true",
        "video/mp4, 100, SEED, true",
        "video/mp4, 100, SITEMAP, true",
        "video/mp4, 100, EMBED, true",
        "text/html, 1000, LINK, true",
        "text/html, 1001, LINK, false",
        "text/html, 1001, EMBED, false",
        "text/html, 99999999999999999999, LINK, false",
        "text/html, lots, LINK, true"
    })
    void anAnswerIsJudgedByTypeAndLength(String type, String length, Hop hop, boolean taken) {
        var settings =
                new ScopeSettings(
                        ScopeType.ANY,
                        List.of(),
                        List.of(),
                        5,
                        Set.of(),
                        true,
                        Set.of("video/*", "application/zip"),
                        1_000);
        var head = "HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nContent-Length: " + length;
        var verdict =
                new RuleScope(settings, Set.of())
                        .evaluate(
                                new ResponseHead(
                                        (head + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII),
                                        200),
                                hop);
        assertThat(verdict.isAccepted()).isEqualTo(taken);
    }
}
