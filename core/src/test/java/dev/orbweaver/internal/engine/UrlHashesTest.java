package dev.orbweaver.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CrawlUrl;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

class UrlHashesTest {

    /** The part of a hash that chooses whose rates a page shares. */
    private static final int BUCKET_SHIFT = 44;

    private static final FingerprintKey SECRET = new FingerprintKey(7, 11);
    private final CrawlUrls urls = new CrawlUrls(Normalisation.DEFAULT);

    private CrawlUrl url(String text) {
        return urls.parse(text).orElseThrow();
    }

    private long pattern(String text) {
        return UrlHashes.of(url(text), SECRET).pattern();
    }

    /** A site that could compute the hashes would register names such as these. */
    @Test
    void hostsThatShareABucketUnderOneKeyDoNotUnderAnother() {
        var byBucket = new HashMap<Long, CrawlUrl>();
        var pairs = new ArrayList<List<CrawlUrl>>();
        for (var i = 0; pairs.size() < 20; i++) {
            var url = url("http://host" + i + ".test/");
            var bucket = UrlHashes.of(url, FingerprintKey.PUBLIC).host() >>> BUCKET_SHIFT;
            var other = byBucket.put(bucket, url);
            if (other != null) {
                pairs.add(List.of(other, url));
            }
        }
        assertThat(pairs)
                .noneMatch(
                        pair ->
                                UrlHashes.of(pair.get(0), SECRET).host() >>> BUCKET_SHIFT
                                        == UrlHashes.of(pair.get(1), SECRET).host()
                                                >>> BUCKET_SHIFT);
    }

    @Test
    void pagesOfTheSameKindHaveTheSamePattern() {
        var article = pattern("http://a.test/2026/11/one.html?id=5");
        assertThat(pattern("http://a.test/1999/2/another.html?id=77")).isEqualTo(article);
        assertThat(pattern("http://b.test/2026/11/one.html?id=5")).isNotEqualTo(article);
        assertThat(pattern("http://a.test/news/11/one.html?id=5")).isNotEqualTo(article);
        assertThat(pattern("http://a.test/2026/11/one.pdf?id=5")).isNotEqualTo(article);
        assertThat(pattern("http://a.test/2026/11/one.html?page=5")).isNotEqualTo(article);
    }
}
