package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;

import java.util.Random;
import java.util.stream.Collectors;

class MinHashTest {

    private static final long SEED = Long.getLong("orbweaver.seed", 128L);

    @Test
    void theEstimateIsTheShareOfCommonFeatures() {
        var random = new Random(SEED);
        for (var common : new int[] {0, 300, 600, 1_000}) {
            var sum = 0.0;
            for (var run = 0; run < 200; run++) {
                var a = new MinHash(128);
                var b = new MinHash(128);
                for (var i = 0; i < 1_000; i++) {
                    var hash = random.nextLong();
                    a.add(hash);
                    b.add(i < common ? hash : random.nextLong());
                }
                sum += MinHash.similarity(a.value(), b.value());
            }
            assertThat(sum / 200)
                    .as("seed %d, %d in common", SEED, common)
                    .isCloseTo(common / (2_000.0 - common), within(0.015));
        }
    }

    @Test
    void fewFeaturesAreComparedNearlyExactly() {
        var random = new Random(SEED);
        for (var run = 0; run < 200; run++) {
            var a = new MinHash(1 << 16);
            var b = new MinHash(1 << 16);
            for (var i = 0; i < 20; i++) {
                var hash = random.nextLong();
                a.add(hash);
                b.add(i < 10 ? hash : random.nextLong());
            }
            assertThat(MinHash.similarity(a.value(), b.value()))
                    .as("seed %d, run %d", SEED, run)
                    .isCloseTo(1 / 3.0, within(0.04));
        }
    }

    @Test
    void theWordPairsOfAPageAreItsFeatures() {
        var words = new Random(SEED).ints(2_000, 0, 5_000).mapToObj(n -> "w" + n).toList();
        var text = String.join(" ", words);
        var half = words.stream().limit(1_000).collect(Collectors.joining(" "));
        assertThat(MinHash.similarity(sketch(text), sketch(text))).isEqualTo(1);
        assertThat(MinHash.similarity(sketch(text), sketch(half))).isCloseTo(0.5, within(0.2));
        var reversed = String.join(" ", words.reversed());
        assertThat(MinHash.similarity(sketch(text), sketch(reversed))).isLessThan(0.1);
    }

    @Test
    void aSketchDoesNotChangeTheSimHashBesideIt() {
        var random = new Random(SEED);
        for (var run = 0; run < 100; run++) {
            var text = random.ints(run, 0, 50).mapToObj(n -> "w" + n).toList();
            var bytes = String.join(" ", text).getBytes(UTF_8);
            assertThat(SimHash.of(bytes, 0, bytes.length, new MinHash(32)))
                    .isEqualTo(SimHash.of(bytes, 0, bytes.length));
        }
    }

    @Test
    void theTextOfTheLogIsTheSketch() {
        var text = Pages.minHash("<p>The orb weaver repairs her <b>web</b> each night</p>");
        assertThat(text).hasSize(43);
        assertThat(MinHash.ofPage(text)).hasSize(MinHash.PAGE_BINS);
        assertThat(Pages.minHash("<p>the orb\nweaver repairs her web each night")).isEqualTo(text);
        assertThat(Pages.minHash("<p>The orb weaver repairs her web each day")).isNotEqualTo(text);
        assertThat(Pages.minHash("<p></p>")).isEmpty();
        for (var damaged : new String[] {"AAEC", "*", text + "AAEC"}) {
            assertThatThrownBy(() -> MinHash.ofPage(damaged))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static byte[] sketch(String text) {
        return MinHash.ofPage(Pages.minHash("<p>" + text));
    }
}
