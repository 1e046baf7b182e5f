package dev.orbweaver.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.util.List;
import java.util.Random;

/** Where a cookie goes: RFC 6265, sections 5.1.3, 5.1.4 and 5.4. */
class CookieTest {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    private static Cookie cookie(String domain, boolean hostOnly, String path, boolean secure) {
        return new Cookie("SID", "31d4d96e407aad42", domain, hostOnly, path, secure, Instant.MAX);
    }

    private static boolean isSent(Cookie cookie, String url) {
        return cookie.matches(TestFetcher.url(url), NOW);
    }

    /** The example of section 3.1: a domain with all its hosts, a path, https only. */
    @Test
    void theExampleOfTheStandard() {
        var sid = cookie("example.com", false, "/", true);
        assertThat(isSent(sid, "https://example.com/")).isTrue();
        assertThat(isSent(sid, "https://www.example.com/any")).isTrue();
        assertThat(isSent(sid, "https://www.corp.example.com/")).isTrue();
        assertThat(isSent(sid, "http://www.example.com/")).isFalse();
        assertThat(isSent(sid, "https://example.org/")).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        // the identical string; a suffix after a dot; not a suffix within a label; no address
        "example.com, http://example.com/, true",
        "example.com, http://foo.example.com/, true",
        "example.com, http://fooexample.com/, false",
        "example.com, http://example.com.evil.test/, false",
        "foo.example.com, http://example.com/, false",
        "foo.example.com, http://bar.example.com/, false",
        "3.4, http://1.2.3.4/, false"
    })
    void aDomainMatchesAsInSection513(String domain, String url, boolean sent) {
        assertThat(isSent(cookie(domain, domain.equals("3.4"), "/", false), url)).isEqualTo(sent);
    }

    @ParameterizedTest
    @CsvSource({
        "/, /, true",
        "/, /anything, true",
        "/foo, /foo, true",
        "/foo, /foo?x=/bar, true",
        "/foo, /foo/bar, true",
        "/foo/, /foo/bar, true",
        "/foo/, /foo, false",
        "/foo, /foobar, false",
        "/foo, /, false",
        "/foo, /bar/foo, false",
        "/Foo, /foo, false"
    })
    void aPathMatchesAsInSection514(String path, String requested, boolean sent) {
        assertThat(isSent(cookie("a.test", true, path, false), "http://a.test" + requested))
                .isEqualTo(sent);
    }

    @Test
    void aHostOnlyCookieGoesToItsHostAlone() {
        var cookie = cookie("example.com", true, "/", false);
        assertThat(isSent(cookie, "http://example.com:8080/")).isTrue();
        assertThat(isSent(cookie, "http://www.example.com/")).isFalse();
    }

    /** Compares with the sections' sentences, written down one by one. */
    @Test
    void randomCookiesAndUrlsAgreeWithTheStandardsSentences() {
        var seed = new Random().nextLong();
        var random = new Random(seed);
        var hosts =
                List.of("a.test", "b.a.test", "ba.test", "c.b.a.test", "test.a", "a.b", "1.2.3.4");
        var paths = List.of("/", "/a", "/a/", "/ab", "/a/b", "/a/b/", "/b");
        var sent = 0;
        for (var i = 0; i < 20_000; i++) {
            var host = hosts.get(random.nextInt(hosts.size()));
            var domain = hosts.get(random.nextInt(hosts.size()));
            var path = paths.get(random.nextInt(paths.size()));
            var requested = paths.get(random.nextInt(paths.size()));
            var hostOnly = random.nextBoolean() || domain.equals("1.2.3.4");
            var secure = random.nextBoolean();
            var https = random.nextBoolean();
            var expected =
                    (hostOnly ? host.equals(domain) : domainMatches(host, domain))
                            && pathMatches(requested, path)
                            && (!secure || https);
            var url = (https ? "https://" : "http://") + host + requested;
            assertThat(isSent(cookie(domain, hostOnly, path, secure), url))
                    .as("seed %d: %s %s %s %s, %s", seed, domain, hostOnly, path, secure, url)
                    .isEqualTo(expected);
            sent += expected ? 1 : 0;
        }
        assertThat(sent).isGreaterThan(500);
    }

    private static boolean domainMatches(String string, String domain) {
        if (string.equals(domain)) {
            return true;
        }
        var suffixAt = string.length() - domain.length();
        return suffixAt > 0
                && string.substring(suffixAt).equals(domain)
                && string.charAt(suffixAt - 1) == '.'
                && !string.chars().allMatch(c -> c == '.' || Character.isDigit(c));
    }

    private static boolean pathMatches(String request, String cookie) {
        if (request.equals(cookie)) {
            return true;
        }
        var prefix = request.length() > cookie.length() && request.indexOf(cookie) == 0;
        return (prefix && cookie.charAt(cookie.length() - 1) == '/')
                || (prefix && request.charAt(cookie.length()) == '/');
    }

    @Test
    void aCookieIsNotShown() {
        assertThat(cookie("a.test", true, "/", false).toString()).doesNotContain("31d4", "SID");
    }
}
