package dev.orbweaver.internal.url;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;

import java.nio.charset.Charset;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

class LinkResolverTest {

    private static final int ROUNDS = 200_000;

    private static final String[] BASES = {
        "https://www.example.org/docs/guide/intro.html?v=1",
        "http://example.org/",
        "http://example.org:8080/a//b%41/c;p=1",
        "https://me:pw@example.org/x/y/",
        "https://example.org/deep/er/than/most/./../pages?",
        "http://192.0.2.7/a/b",
        "http://[2001:db8::1]:81/a",
        "https://" + "h".repeat(300) + "/x",
        "file:///C:/a/b",
        "mailto:someone@example.org",
        "other://host/a/b?c",
    };

    private static final String[] SEEDS = {
        "page.html",
        "../up/../two/./page.html#part",
        "/absolute/path?x=1&y=2",
        "?query=only",
        "#fragment",
        "//cdn.example.net/lib.js",
        "http://example.org/a/b/../c",
        "HTTPS://WWW.Example.ORG:443/a?b#c",
        "https://example.org:8443",
        "http://user@example.org/",
        "http://127.1/",
        "http://[::1]/",
        "javascript:void(0)",
        "mailto:a@b.example",
        "data:text/html,<p>x",
        "a b/c d?e f",
        "über/straße?größe=1",
        "/%7Euser/%2e%2E/x%zz%",
        "..//.//...//%2e",
        "\thttps://example.org/\n",
        "c:d/e",
        "http:rel",
        "http:/one",
        "http:///three",
        "https://a.b.c.example.co.uk./x",
        "http://xn--bcher-kva.example/",
        "/a\\b\\..\\c",
        "./?a=/../b",
        "",
    };

    private static final String ALPHABET =
            "abcXYZ019.../////\\??##::@@%%2eE5f&=;,+-_~!$'()*[]{}|^`\"<> \t\n\r\0"
                    + "\u007Fé日\uD83D\uDE00\uD800";

    private final CrawlUrls urls = new CrawlUrls(Normalisation.DEFAULT);

    private Optional<String> link(String base, String reference) {
        var bytes = (">" + reference + "<").getBytes(UTF_8);
        return new LinkResolver(urls, base).resolve(bytes, 1, bytes.length - 1).map(CrawlUrl::text);
    }

    @Test
    void ordinaryLinksResolve() {
        var base = "https://example.org/a/b.html?c";
        assertThat(link(base, "d.html")).contains("https://example.org/a/d.html");
        assertThat(link(base, " ../e/#f ")).contains("https://example.org/e/");
        assertThat(link(base, "/g?h=i j")).contains("https://example.org/g?h=i%20j");
        assertThat(link(base, "?k")).contains("https://example.org/a/b.html?k");
        assertThat(link(base, "#l")).contains("https://example.org/a/b.html?c");
        assertThat(link(base, "//M.example:80")).contains("https://m.example:80/");
        assertThat(link(base, "http://n.example:80/o")).contains("http://n.example/o");
        assertThat(link(base, "größe")).contains("https://example.org/a/gr%C3%B6%C3%9Fe");
        assertThat(link(base, "tel:+123")).isEmpty();
        assertThat(link(base, "http://")).isEmpty();
    }

    @Test
    void theQueryFollowsTheDocumentsEncoding() {
        var resolver = new LinkResolver(urls, "https://example.org/");
        var latin = Charset.forName("ISO-8859-2");
        assertThat(resolver.resolve("ő?ő", latin).map(CrawlUrl::text))
                .contains("https://example.org/%C5%91?%F5");
    }

    @Test
    void aBaseThatDoesNotParseMakesNoResolver() {
        assertThatThrownBy(() -> new LinkResolver(urls, "not a base"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not a base");
    }

    @Slow
    @Test
    void theFastReadingNeverDiffersFromTheStandards() {
        agree(new CrawlUrls(Normalisation.DEFAULT), 20_261_115L);
    }

    @Slow
    @Test
    void theFastReadingAgreesUnderEveryRuleToo() {
        agree(new CrawlUrls(new Normalisation(true, true, true, Set.of("a*"), true, true)), 4711L);
    }

    /** Compares with an oracle that uses only WhatwgUrl, from the base's text to the key. */
    private static void agree(CrawlUrls urls, long seed) {
        var random = new Random(seed);
        var resolvers = new LinkResolver[BASES.length];
        for (var i = 0; i < BASES.length; i++) {
            resolvers[i] = new LinkResolver(urls, BASES[i]);
        }
        for (var round = 0; round < ROUNDS; round++) {
            var at = random.nextInt(BASES.length);
            var bytes = mutated(random).getBytes(UTF_8);
            var reference = new String(bytes, UTF_8);
            var base = WhatwgUrl.parse(BASES[at]).orElseThrow();
            var expected = WhatwgUrl.parse(reference, base).flatMap(urls::of);
            assertThat(resolvers[at].resolve(bytes, 0, bytes.length))
                    .as("seed %d, round %d: <%s> against %s", seed, round, reference, BASES[at])
                    .isEqualTo(expected);
            assertThat(resolvers[at].resolve(reference, UTF_8)).isEqualTo(expected);
        }
    }

    private static String mutated(Random random) {
        var text = new StringBuilder(SEEDS[random.nextInt(SEEDS.length)]);
        if (random.nextInt(8) == 0) {
            text.append(SEEDS[random.nextInt(SEEDS.length)]);
        }
        for (var n = random.nextInt(5); n > 0; n--) {
            var at = random.nextInt(text.length() + 1);
            var c = ALPHABET.charAt(random.nextInt(ALPHABET.length()));
            if (at == text.length() || random.nextBoolean()) {
                text.insert(at, c);
            } else if (random.nextBoolean()) {
                text.setCharAt(at, c);
            } else {
                text.deleteCharAt(at);
            }
        }
        if (random.nextInt(2000) == 0) {
            text.append("x".repeat(CrawlUrls.LENGTH_MAX - random.nextInt(200)));
        }
        return text.toString();
    }
}
