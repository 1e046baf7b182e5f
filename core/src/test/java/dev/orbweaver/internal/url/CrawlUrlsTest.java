package dev.orbweaver.internal.url;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.CrawlUrl;

import org.junit.jupiter.api.Test;

class CrawlUrlsTest {

    private final CrawlUrls urls = new CrawlUrls(Normalisation.DEFAULT);

    @Test
    void onlyHttpAndHttpsAreCrawled() {
        assertThat(urls.parse("https://example.org"))
                .map(CrawlUrl::text)
                .contains("https://example.org/");
        assertThat(urls.parse("ftp://example.org/")).isEmpty();
        assertThat(urls.parse("mailto:a@example.org")).isEmpty();
        assertThat(urls.parse("example.org")).isEmpty();
        assertThat(urls.parse("")).isEmpty();
    }

    @Test
    void credentialsAndFragmentAreNotPartOfACrawlUrl() {
        var url = urls.parse(" http://me:secret@Example.org:8080/a?b#c ").orElseThrow();
        assertThat(url.text()).isEqualTo("http://example.org:8080/a?b");
        assertThat(url.host()).isEqualTo("example.org");
        assertThat(url.port()).isEqualTo(8080);
    }

    @Test
    void aReferenceResolvesAgainstTheUrlItWasFoundAt() {
        var base = urls.parse("http://example.org/a/b").orElseThrow();
        assertThat(urls.resolve(base, "../c#d")).isEqualTo(urls.parse("http://example.org/c"));
        assertThat(urls.resolve(base, "javascript:void(0)")).isEmpty();
    }

    @Test
    void aUrlMayBeAsLongAsTheLimitAndNoLonger() {
        var origin = "http://example.org/";
        var longest = origin + "a".repeat(CrawlUrls.LENGTH_MAX - origin.length());
        assertThat(urls.parse(longest)).isPresent();
        assertThat(urls.parse(longest + "a")).isEmpty();
        assertThat(urls.parse(longest + "#fragment")).isPresent();
    }

    @Test
    void aHostLongerThanDnsAllowsIsRefused() {
        var longest = "a".repeat(CrawlUrls.HOST_LENGTH_MAX - 4) + ".org";
        assertThat(urls.parse("http://" + longest + "/")).isPresent();
        assertThat(urls.parse("http://a" + longest + "/")).isEmpty();
    }

    @Test
    void aFinalDotStaysPartOfTheHost() {
        assertThat(urls.parse("http://localhost./").orElseThrow().host()).isEqualTo("localhost.");
    }
}
