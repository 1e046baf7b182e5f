package dev.orbweaver.internal.url;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.CrawlUrl;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

class HashFilterTest {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 100, 5_000})
    void everyMemberMayBeContainedAndFewOthers(int size) {
        var names = HashFilter.ofNames(IntStream.range(0, size).mapToObj(this::name).toList());
        var keys =
                HashFilter.ofFingerprints(
                        IntStream.range(0, size).mapToObj(i -> url(i).key()).toList());
        assertHolds(size, i -> names.mayContain(name(i)));
        assertHolds(size, i -> keys.mayContain(url(i).key()));
    }

    private static void assertHolds(int size, IntPredicate mayContain) {
        assertThat(IntStream.range(0, size)).allMatch(mayContain::test);
        var others = IntStream.range(size, size + 10_000).filter(mayContain).count();
        assertThat(others).as("of 10,000 others").isLessThan(300);
    }

    @Test
    void anEmptyFilterContainsNothing() {
        assertThat(HashFilter.ofNames(List.of()).mayContain("a.test")).isFalse();
        assertThat(HashFilter.ofFingerprints(List.of()).mayContain(url(1).key())).isFalse();
    }

    private String name(int number) {
        return "host-" + number + ".example";
    }

    private static CrawlUrl url(int number) {
        return URLS.parse("http://a.test/" + number).orElseThrow();
    }
}
