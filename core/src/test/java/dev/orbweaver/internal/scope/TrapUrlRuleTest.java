package dev.orbweaver.internal.scope;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Optional;

class TrapUrlRuleTest {

    private static Optional<String> reason(String target) {
        return TrapUrlRule.reason(
                new CrawlUrls(Normalisation.DEFAULT).parse("http://a.test" + target).orElseThrow());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/a/a/a/a",
                "/a/a/a/a/",
                "/x/a/a/a/a/y.html",
                "/en/docs/en/docs/en/docs/en/docs/",
                "/a/b/c/d/a/b/c/d/a/b/c/d/a/b/c/d?q",
                "/2024/x/2024/x/2024/x/2024/x",
                "/find?q=1&q=1&q=1&q=1",
                "/find?a=2&q=1&b=2&q=1&q=1&c=2&q=1"
            })
    void whatBuildsItselfIsEndless(String target) {
        assertThat(reason(target)).isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/a/a/a",
                "/a/b/a/b/a/b/",
                "/2011/11/11/11/11",
                "/1/1/1/1/1/1",
                "////",
                "/a//a//a//b",
                "/api/java.base/java/util/concurrent/atomic/package-summary.html",
                "/find?q=1&q=2&q=3&q=4&q=5",
                "/form?&&&&&&&&",
                "/form?a=&b=&c=&d=",
                "/form?a&a&a&a&a"
            })
    void whatSomebodyMayHaveWrittenIsNot(String target) {
        assertThat(reason(target)).isEmpty();
    }

    @Test
    void pathsAndQueriesHaveAnEndSomewhere() {
        assertThat(reason("/" + letters(64, "/"))).isEmpty();
        assertThat(reason("/" + letters(65, "/"))).isPresent();
        assertThat(reason("/?" + letters(64, "&"))).isEmpty();
        assertThat(reason("/?" + letters(65, "&"))).isPresent();
    }

    private static String letters(int count, String between) {
        var text = new StringBuilder("s0");
        for (var i = 1; i < count; i++) {
            text.append(between).append('s').append(i);
        }
        return text.toString();
    }
}
