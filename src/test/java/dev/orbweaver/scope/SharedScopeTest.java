package dev.orbweaver.scope;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.url.CrawlUrls;
import dev.orbweaver.url.Normalisation;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What is a seed to one worker is one to all, in time. */
class SharedScopeTest {

    private final CrawlUrl seed = url("http://example.com/");
    private final List<CrawlUrl> seeds = new ArrayList<>(List.of(seed));
    private final Scope scope =
            new SharedScope(
                    new RuleScope(
                            new ScopeSettings(Reach.HOST, List.of(), List.of(), 9, Set.of(), false),
                            Set.of(seed)),
                    1,
                    () -> List.copyOf(seeds));

    private static CrawlUrl url(String text) {
        return new CrawlUrls(Normalisation.DEFAULT).parse(text).orElseThrow();
    }

    private boolean takes(String text) {
        return scope.judge(url(text), Hop.LINK, 1).accepted();
    }

    @Test
    void aUrlThatWouldNotBelongTellsOfASeedThatSomebodyElseFound() {
        seeds.add(url("http://www.example.com/"));
        assertThat(takes("http://www.example.com/a")).isFalse();
        assertThat(scope.forbids(url("http://www.example.com/b"), Hop.LINK, 1)).isEmpty();
        assertThat(takes("http://www.example.com/a")).isTrue();
        assertThat(takes("http://other.example.com/")).isFalse();
    }

    @Test
    void aSeedWhoseTurnComesIsKnownFromThenOn() {
        assertThat(scope.forbids(url("http://www.example.com/"), Hop.SEED, 0)).isEmpty();
        assertThat(takes("http://www.example.com/a")).isTrue();
    }
}
