package dev.orbweaver.internal.url;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.api.Test;

import java.util.Set;

class NormalisationTest {

    private static final CrawlUrls PLAIN = new CrawlUrls(Normalisation.DEFAULT);

    private static String normal(String url) {
        return normal(PLAIN, url);
    }

    private static String normal(CrawlUrls urls, String url) {
        return urls.parse(url).map(urls::normalForm).orElse("refused");
    }

    private static boolean same(String one, String other) {
        return PLAIN.parse(one).orElseThrow().key().equals(PLAIN.parse(other).orElseThrow().key());
    }

    @Test
    void spellingsOfOneUrlHaveOneKey() {
        assertThat(same("http://a.example/%7Eme/", "HTTP://A.example:80/~me/#top")).isTrue();
        assertThat(same("http://a.example/x%c3%a9", "http://u:p@a.example/./xé")).isTrue();
        assertThat(same("http://a.example/x?", "http://a.example/x")).isTrue();
        assertThat(same("http://a.example//x///y", "http://a.example/x/y")).isTrue();
        assertThat(same("http://a.example/50%", "http://a.example/50%25")).isTrue();
    }

    @Test
    void whatMayBeAnotherPageHasAnotherKey() {
        assertThat(same("http://a.example/", "https://a.example/")).isFalse();
        assertThat(same("http://a.example/X", "http://a.example/x")).isFalse();
        assertThat(same("http://a.example/?X", "http://a.example/?x")).isFalse();
        assertThat(same("http://a.example/a%2Fb", "http://a.example/a/b")).isFalse();
        assertThat(same("http://a.example/?u=//x", "http://a.example/?u=/x")).isFalse();
        assertThat(same("http://a.example/?a=1&b=2", "http://a.example/?b=2&a=1")).isFalse();
        assertThat(same("http://a.example/x", "http://a.example/x/")).isFalse();
        assertThat(same("http://a.example/??", "http://a.example/")).isFalse();
        assertThat(same("http://a.example./", "http://a.example/")).isFalse();
    }

    @Test
    void decodingNeverMakesANewEscape() {
        assertThat(normal("http://a.example/%%36%31")).isEqualTo("http://a.example/%2561");
        assertThat(normal("http://a.example/%2561")).isEqualTo("http://a.example/%2561");
        assertThat(normal("http://a.example/?%4")).isEqualTo("http://a.example/?%254");
    }

    @Test
    void theUrlItselfStaysAsItWasFound() {
        var url = PLAIN.parse("http://u:p@a.example//%7ex?#f").orElseThrow();
        assertThat(url.text()).isEqualTo("http://a.example//%7ex?");
    }

    @Test
    void rulesThatGuessActOnlyWhenAskedFor() {
        var all =
                new CrawlUrls(
                        new Normalisation(true, true, true, Set.of("Ref", "x-*"), true, true));
        assertThat(normal(all, "http://a.example/d/index.html?b=2&utm_source=s&&a=1&sid=9"))
                .isEqualTo("http://a.example/d?a=1&b=2");
        assertThat(normal(all, "http://a.example/s;JSESSIONID=0A1/t;v=1?ref=me&X-y=1"))
                .isEqualTo("http://a.example/s/t;v=1");
        assertThat(normal(all, "http://a.example/index.php")).isEqualTo("http://a.example/");
        assertThat(normal(all, "http://a.example/?utm%5Fid=1")).isEqualTo("http://a.example/");
        assertThat(normal("http://a.example/d/index.html?b=2&utm_source=s&&a=1&sid=9"))
                .isEqualTo("http://a.example/d/index.html?b=2&utm_source=s&&a=1&sid=9");
    }

    @Test
    void droppingParametersLeavesTheOthersInTheirOrder() {
        var urls = new CrawlUrls(new Normalisation(false, true, false, Set.of(), false, false));
        assertThat(normal(urls, "http://a.example/?z=1&gclid=2&a=3&fbclid"))
                .isEqualTo("http://a.example/?z=1&a=3");
    }

    /**
     * Advisory cases of another crawler. Ours differs where theirs keeps other schemes or a URL
     * without host, escapes characters that the URL standard does not, removes the host's final
     * dot, or treats an empty value as none.
     */
    @Test
    void crawlerCommonsNormalFormIsOursButForNamedDifferences() {
        var sorted = new CrawlUrls(new Normalisation(true, false, false, Set.of(), false, false));
        var failures = new Failures();
        var advisory = Vectors.json("whatwg-url/crawler-commons-normalizer.json");
        for (var test : advisory) {
            var input = test.get("input").stringValue();
            var normalized = test.get("normalized");
            if (!isNamedDifference(input)) {
                failures.check(
                        input,
                        normalized.isNull() ? "refused" : normalized.stringValue(),
                        normal(sorted, input));
            }
        }
        failures.assertNone();
        System.out.printf(
                "normal forms | advisory: %d of %d agree, the rest differ by name%n",
                failures.cases(), advisory.size());
    }

    private static boolean isNamedDifference(String input) {
        return !input.startsWith("http")
                || input.startsWith("http:///")
                || input.contains("^")
                || input.contains(".org./")
                || input.endsWith("=");
    }
}
