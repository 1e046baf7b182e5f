package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.parse.MinHash;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

class SimilarTextsTest {

    private static final int BINS = 128;
    private static final int FEATURES = 300;
    private static final long SEED = Long.getLong("orbweaver.seed", 33L);

    @TempDir Path directory;

    private final Random random = new Random(SEED);

    /** Half of the features are those of the template, so that most keys of all texts are equal. */
    @Test
    void pairsAreFoundAmongManyTextsThatShareATemplate() throws IOException {
        var template = random.longs(FEATURES / 2).toArray();
        try (var texts = new SimilarTexts(BINS, 0.75, directory.resolve("texts"))) {
            for (var pair = 0; pair < 1_000; pair++) {
                var own = random.longs(FEATURES / 2).toArray();
                texts.add(2L * pair, sketch(template, own, 0));
                texts.add(2L * pair + 1, sketch(template, own, FEATURES / 10));
            }
            var found = pairs(texts);
            assertThat(found.stream().filter(SimilarTextsTest::isPair).count())
                    .as("seed %d", SEED)
                    .isGreaterThan(990);
            assertThat(found.stream().filter(pair -> !isPair(pair)).count())
                    .as("seed %d", SEED)
                    .isLessThan(10);
        }
    }

    /** All texts have all keys in common but one. */
    @Test
    void theTimeIsProportionalToTheNumberOfTexts() throws IOException {
        var few = compareEqualTexts(1_500);
        var many = compareEqualTexts(6_000);
        assertThat(many).isLessThan(8 * few);
    }

    /** Returns the CPU time of the comparison; DuckDB sorts in other threads. */
    private long compareEqualTexts(int count) throws IOException {
        var template = random.longs(FEATURES).toArray();
        try (var texts = new SimilarTexts(BINS, 0.95, directory.resolve("texts" + count))) {
            for (var number = 0; number < count; number++) {
                texts.add(number, sketch(template, new long[1], 1));
            }
            var threads = ManagementFactory.getThreadMXBean();
            var begun = threads.getCurrentThreadCpuTime();
            assertThat(pairs(texts)).hasSizeGreaterThanOrEqualTo(count - 1);
            return threads.getCurrentThreadCpuTime() - begun;
        }
    }

    @Test
    void shortTextsHaveKeysOfTheirOwn() {
        var none = new long[0];
        var inCommon = 0;
        var ofUnrelated = 0;
        for (var run = 0; run < 1_000; run++) {
            var own = random.longs(16).toArray();
            var keys = SimilarTexts.keys(sketch(none, own, 0).bins());
            inCommon += equalKeys(keys, SimilarTexts.keys(sketch(none, own, 3).bins())) > 0 ? 1 : 0;
            ofUnrelated += equalKeys(keys, SimilarTexts.keys(sketch(none, own, 16).bins()));
        }
        assertThat(inCommon).as("seed %d", SEED).isGreaterThan(980);
        assertThat(ofUnrelated).as("seed %d", SEED).isLessThan(100);
    }

    private static int equalKeys(int[] a, int[] b) {
        return (int) IntStream.range(0, a.length).filter(i -> a[i] == b[i]).count();
    }

    private static boolean isPair(String pair) {
        var numbers = pair.split(" ", -1);
        return Long.parseLong(numbers[0]) / 2 == Long.parseLong(numbers[1]) / 2;
    }

    private static Set<String> pairs(SimilarTexts texts) throws IOException {
        var pairs = new HashSet<String>();
        texts.forEachPair((earlier, later) -> pairs.add(earlier + " " + later));
        return pairs;
    }

    private TextSketch sketch(long[] template, long[] own, int replaced) {
        var minHash = new MinHash(BINS);
        for (var feature : template) {
            minHash.add(feature);
        }
        for (var i = 0; i < own.length; i++) {
            minHash.add(i < replaced ? random.nextLong() : own[i]);
        }
        return new TextSketch(minHash.value(), template.length + own.length);
    }
}
