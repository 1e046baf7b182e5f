package dev.orbweaver.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.frontier.disk.LogCapture;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

class CookieJarTest {

    private final CookieJar jar = new CookieJar();
    private Instant now = Instant.parse("2026-03-01T12:00:00Z");

    private void take(String url, String... fields) {
        jar.store(TestFetcher.url(url), List.of(fields), now);
    }

    private String sent(String url) {
        return jar.header(TestFetcher.url(url), now).orElse("");
    }

    @Test
    void aCookieGoesBackToTheHostThatSetItAndToNoOther() {
        take("http://www.site.example/", "a=1", "b=2; Path=/");
        assertThat(sent("http://www.site.example/x")).isEqualTo("a=1; b=2");
        assertThat(sent("http://site.example/")).isEmpty();
        assertThat(sent("http://sub.www.site.example/")).isEmpty();
        assertThat(sent("http://other.example/")).isEmpty();
    }

    @Test
    void aDomainReachesAllHostsBelowIt() {
        take("http://www.site.example/", "a=1; Domain=.Site.example; Path=/");
        assertThat(sent("http://site.example/")).isEqualTo("a=1");
        assertThat(sent("http://deep.www.site.example/")).isEqualTo("a=1");
        assertThat(sent("http://notsite.example/")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "http://www.site.co.uk/, co.uk, http://other.co.uk/",
        "http://www.site.co.uk/, uk, http://other.co.uk/",
        "http://me.github.io/, github.io, http://you.github.io/",
        "http://github.io/, github.io, http://you.github.io/",
        "http://www.site.example/, other.example, http://other.example/",
        "http://www.site.example/, www.site.example.org, http://www.site.example.org/",
        "http://site.example/, www.site.example, http://www.site.example/",
        "http://1.2.3.4/, 3.4, http://9.2.3.4/",
        "http://1.2.3.4/, 4, http://9.2.3.4/"
    })
    void noHostSetsCookiesForAPublicSuffixOrForOthers(String from, String domain, String to) {
        take(from, "a=1; Path=/; Domain=" + domain, "b=2; Path=/; Domain=." + domain);
        assertThat(sent(to)).isEmpty();
    }

    @Test
    void withoutTlsNobodyReplacesOrDeletesWhatCameOverIt() {
        take("https://site.example/", "sid=good; Secure; Path=/");
        take("http://site.example/", "sid=evil; Path=/");
        assertThat(sent("https://site.example/")).isEqualTo("sid=good");
        take("http://site.example/", "sid=x; Path=/; Max-Age=0");
        assertThat(sent("https://site.example/")).isEqualTo("sid=good");
        take("https://site.example/", "sid=newer; Secure; Path=/");
        assertThat(sent("https://site.example/")).isEqualTo("sid=newer");
    }

    @Test
    void secureCookiesComeAndGoOverHttpsOnly() {
        take("https://site.example/", "a=1; Secure; Path=/");
        take("http://site.example/", "b=2; Secure; Path=/");
        assertThat(sent("https://site.example/")).isEqualTo("a=1");
        assertThat(sent("http://site.example/")).isEmpty();
    }

    @Test
    void aPathCoversItselfAndWhatLiesBelow() {
        take("http://site.example/shop/list?x", "a=1", "b=2; Path=/shop/list");
        assertThat(sent("http://site.example/shop")).isEqualTo("a=1");
        assertThat(sent("http://site.example/shop/list")).isEqualTo("b=2; a=1");
        assertThat(sent("http://site.example/shop/list/1?y")).isEqualTo("b=2; a=1");
        assertThat(sent("http://site.example/shop/listing")).isEqualTo("a=1");
        assertThat(sent("http://site.example/shopping")).isEmpty();
    }

    @Test
    void aCookieEndsWhenItSaysAndCanBeTakenBack() {
        take(
                "http://site.example/",
                "a=1; Max-Age=60",
                "b=2; Expires=Sun, 01 Mar 2026 12:01:00 GMT");
        now = now.plus(Duration.ofSeconds(59));
        assertThat(sent("http://site.example/")).isEqualTo("a=1; b=2");
        now = now.plus(Duration.ofSeconds(1));
        assertThat(sent("http://site.example/")).isEmpty();
        take("http://site.example/", "c=3");
        take("http://site.example/", "c=; Max-Age=0");
        assertThat(sent("http://site.example/")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "=1",
                "novalue",
                "a=1\u0000",
                "a=\u00e4",
                "a=1\tb",
                "__Host-a=1; Path=/; Secure; Domain=site.example",
                "__Host-a=1; Path=/",
                "__Secure-a=1; Path=/"
            })
    void whatIsNoCookieIsNotTaken(String field) {
        take("https://site.example/", field);
        assertThat(sent("https://site.example/")).isEmpty();
    }

    @Test
    void thereIsRoomForSoManyAndTheOldestGo() {
        for (var i = 0; i < 60; i++) {
            take("http://site.example/", "n" + i + "=1");
        }
        assertThat(sent("http://site.example/").split("; ", -1)).hasSize(50).doesNotContain("n9=1");
        take("http://site.example/", "long=" + "x".repeat(5_000));
        assertThat(sent("http://site.example/")).doesNotContain("long");
    }

    @Test
    void theCookiesOfASiteMakeNoLongRequest() {
        for (var i = 0; i < 50; i++) {
            take("http://site.example/", "c" + i + "=" + "v".repeat(4_000) + "; Path=/");
        }
        assertThat(sent("http://site.example/"))
                .hasSizeLessThan(17_000)
                .contains("c49=")
                .doesNotContain("c0=");
    }

    @Slow
    @Test
    void manySitesWithLongCookiesPushTheOldestOut() {
        for (var site = 0; site < 1_500; site++) {
            for (var i = 0; i < 4; i++) {
                take("http://s" + site + ".example/", "c" + i + "=" + "v".repeat(4_000));
            }
        }
        assertThat(sent("http://s0.example/")).isEmpty();
        assertThat(sent("http://s400.example/")).isEmpty();
        assertThat(sent("http://s600.example/")).hasSizeGreaterThan(16_000);
        assertThat(sent("http://s1499.example/")).hasSizeGreaterThan(16_000);
    }

    private static Cookie fileCookie(String domain, String path, boolean secure, String pair) {
        var equals = pair.indexOf('=');
        return new Cookie(
                pair.substring(0, equals),
                pair.substring(equals + 1),
                domain,
                false,
                path,
                secure,
                Instant.MAX);
    }

    private String sent(CookieJar from, String url) {
        return from.header(TestFetcher.url(url), now).orElse("");
    }

    private void take(CookieJar into, String url, String... fields) {
        into.store(TestFetcher.url(url), List.of(fields), now);
    }

    @Test
    void cookiesOfAFileGoToTheirSiteInTheStandardsOrder() {
        var given =
                new CookieJar(
                        List.of(
                                fileCookie("site.example", "/", false, "a=1"),
                                fileCookie("site.example", "/shop", false, "b=2"),
                                fileCookie("other.example", "/", false, "c=3"),
                                fileCookie("site.example", "/", true, "d=4")));
        take(given, "http://www.site.example/shop/x", "e=5; Path=/shop");
        assertThat(sent(given, "http://www.site.example/shop/x")).isEqualTo("b=2; e=5; a=1");
        assertThat(sent(given, "https://site.example/")).isEqualTo("a=1; d=4");
        assertThat(sent(given, "http://third.example/")).isEmpty();
    }

    /** Hosts below another public suffix belong to other owners. */
    @Test
    void aCookieOfAFileDoesNotPassAPublicSuffixBelowItsDomain() {
        var given = new CookieJar(List.of(fileCookie("amazonaws.com", "/", false, "a=1")));
        assertThat(sent(given, "http://www.amazonaws.com/")).isEqualTo("a=1");
        assertThat(sent(given, "http://bucket.s3.amazonaws.com/")).isEmpty();
    }

    @Test
    void aServerMayReplaceAndDeleteACookieOfAFile() {
        var given =
                new CookieJar(
                        List.of(
                                fileCookie("site.example", "/", false, "a=1"),
                                fileCookie("site.example", "/", true, "s=1"),
                                fileCookie("other.example", "/", false, "a=1")));
        take(given, "http://site.example/", "a=2; Path=/; Domain=site.example");
        assertThat(sent(given, "http://site.example/")).isEqualTo("a=2");
        take(given, "http://site.example/", "a=2; Path=/; Domain=site.example; Max-Age=0");
        assertThat(sent(given, "http://site.example/")).isEmpty();
        take(given, "http://site.example/", "s=2; Path=/; Domain=site.example");
        assertThat(sent(given, "https://site.example/")).isEqualTo("s=1");
        take(given, "https://site.example/", "s=2; Path=/; Domain=site.example; Secure");
        assertThat(sent(given, "https://site.example/")).isEqualTo("s=2");
        assertThat(sent(given, "http://other.example/")).isEqualTo("a=1");
    }

    @Test
    void aServerDoesNotDisplaceACookieOfAFileByManyOthers() {
        var given = new CookieJar(List.of(fileCookie("site.example", "/", false, "a=1")));
        for (var i = 0; i < 200; i++) {
            take(given, "http://site.example/", "n" + i + "=" + "v".repeat(3_000) + "; Path=/");
        }
        assertThat(sent(given, "http://site.example/")).startsWith("a=1; ");
    }

    @Test
    void aHeaderWithCookiesOfAFileIsLimitedAndTheRestIsReportedOnceForAHost() {
        var cookies = new ArrayList<Cookie>();
        for (var i = 0; i < 4; i++) {
            var pair = "c" + i + "=" + "v".repeat(3_000);
            cookies.add(fileCookie("site.example", i == 3 ? "/deep" : "/", false, pair));
        }
        cookies.add(fileCookie("site.example", "/", false, "last=" + "x".repeat(2_177)));
        var given = new CookieJar(cookies);
        try (var warnings = new LogCapture(CookieJar.class)) {
            assertThat(sent(given, "http://site.example/deep"))
                    .startsWith("c3=v")
                    .contains("; c0=v", "; last=x")
                    .doesNotContain("c1=", "c2=")
                    .hasSize(8_192);
            var _ = sent(given, "http://site.example/deep");
            assertThat(warnings.messages())
                    .containsExactly(
                            "2 of 5 cookies are not sent to site.example: a Cookie header has at"
                                    + " most 8192 characters");
            var _ = sent(given, "http://www.site.example/deep");
            assertThat(warnings.messages()).hasSize(2).noneMatch(text -> text.contains("vv"));
        }
    }
}
