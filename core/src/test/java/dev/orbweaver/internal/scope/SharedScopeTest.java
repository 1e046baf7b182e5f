package dev.orbweaver.internal.scope;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.ScopeType;
import dev.orbweaver.spi.Scope;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A seed of one worker becomes a seed of all. */
class SharedScopeTest {

    private final CrawlUrl seed = url("http://example.com/");
    private int passed;
    private final List<CrawlUrl> seeds = new ArrayList<>(List.of(seed));
    private final List<CrawlUrl> roots = new ArrayList<>();
    private final Scope scope =
            new SharedScope(
                    new RuleScope(
                            new ScopeSettings(
                                    ScopeType.HOST,
                                    List.of(),
                                    List.of(),
                                    9,
                                    Set.of(),
                                    false,
                                    Set.of(),
                                    Long.MAX_VALUE),
                            Set.of(seed)),
                    1,
                    this::seedsFrom,
                    () -> List.copyOf(roots));

    private List<CrawlUrl> seedsFrom(int position) {
        passed += seeds.size() - position;
        return List.copyOf(seeds.subList(position, seeds.size()));
    }

    private static CrawlUrl url(String text) {
        return new CrawlUrls(Normalisation.DEFAULT).parse(text).orElseThrow();
    }

    private boolean accepts(String text) {
        return scope.evaluate(url(text), Hop.LINK, 1).isAccepted();
    }

    @Test
    void aUrlThatWouldNotBelongMayBeOnAHostOfASeedListThatAnotherWorkerReads() {
        roots.add(url("http://listed.example/"));
        assertThat(accepts("http://listed.example/a")).isFalse();
        assertThat(scope.refusalReason(url("http://listed.example/a"), Hop.LINK, 1)).isEmpty();
        assertThat(accepts("http://listed.example/b")).isTrue();
        assertThat(accepts("http://other.example/")).isFalse();
    }

    @Test
    void aUrlThatWouldNotBelongTellsOfASeedThatSomebodyElseFound() {
        seeds.add(url("http://www.example.com/"));
        assertThat(accepts("http://www.example.com/a")).isFalse();
        assertThat(scope.refusalReason(url("http://www.example.com/b"), Hop.LINK, 1)).isEmpty();
        assertThat(accepts("http://www.example.com/a")).isTrue();
        assertThat(accepts("http://other.example.com/")).isFalse();
    }

    @Test
    void aRefusedUrlReadsNoSeedThatIsKnown() {
        for (var i = 0; i < 100; i++) {
            seeds.add(url("http://h" + i + ".test/"));
        }
        for (var i = 0; i < 100; i++) {
            var _ = scope.refusalReason(url("http://other.test/"), Hop.LINK, 1);
        }
        assertThat(passed).isEqualTo(100);
    }

    @Test
    void aSeedWhoseTurnComesIsKnownFromThenOn() {
        assertThat(scope.refusalReason(url("http://www.example.com/"), Hop.SEED, 0)).isEmpty();
        assertThat(accepts("http://www.example.com/a")).isTrue();
    }
}
