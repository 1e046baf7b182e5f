package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;

import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class SimHashTest {

    @Test
    void countsAsSixtyFourPlainCountersWould() {
        var seed = Long.getLong("orbweaver.seed", 64L);
        var random = new Random(seed);
        for (var run = 0; run < 3_000; run++) {
            var bytes = new byte[random.nextInt(run % 50 == 0 ? 20_000 : 90)];
            for (var i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) "  ab Cé09.z-;\n@[_".charAt(random.nextInt(17));
            }
            var start = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
            var end = start + (bytes.length == start ? 0 : random.nextInt(bytes.length - start));
            assertThat(SimHash.of(bytes, start, end))
                    .as("seed %d, run %d: %s", seed, run, new String(bytes, ISO_8859_1))
                    .isEqualTo(slowly(bytes, start, end));
        }
    }

    /** Computes the same by definition: word by word, byte by byte, with a counter per bit. */
    private static long slowly(byte[] bytes, int start, int end) {
        var counters = new int[64];
        var words = 0;
        var before = 0L;
        for (var at = start; at < end; ) {
            var stop = at;
            while (stop < end && (bytes[stop] & 0xFF) >= '0') {
                stop++;
            }
            var word = word(bytes, at, stop);
            if (word != 0) {
                var mixed = word * 0x9E3779B97F4A7C15L;
                mixed ^= mixed >>> 29;
                var pair = (mixed + Long.rotateLeft(before, 23)) * 0xBF58476D1CE4E5B9L;
                pair ^= pair >>> 32;
                before = mixed;
                words++;
                for (var bit = 0; bit < 64; bit++) {
                    counters[bit] += (int) ((pair >>> bit) & 1);
                }
            }
            at = stop + 1;
        }
        var value = 0L;
        for (var bit = 0; bit < 64; bit++) {
            value |= counters[bit] > words / 2 ? 1L << bit : 0;
        }
        return value;
    }

    private static long word(byte[] bytes, int start, int stop) {
        var word = 0L;
        for (var at = start; at < stop; at += 8) {
            var piece = 0L;
            for (var i = Math.min(stop, at + 8) - 1; i >= at; i--) {
                piece = (piece << 8) | (bytes[i] & 0xFF) | 0x20;
            }
            word ^= piece;
            if (stop - at >= 8) {
                word *= 0x9E3779B97F4A7C15L;
            }
        }
        return word;
    }

    @Test
    void textsThatDifferInAFewWordsAreNearAndOthersAreFar() {
        var words = new Random(3).ints(2_000, 0, 500).mapToObj(n -> "word" + n).toList();
        var text = String.join(" ", words);
        var changed = text.replace("word77", "other").replace("word300 ", "");
        var unlike =
                IntStream.range(0, 2_000)
                        .mapToObj(n -> "w" + n % 613)
                        .collect(Collectors.joining(" "));
        assertThat(SimHash.distance(hash(text), hash(changed))).isLessThanOrEqualTo(6);
        assertThat(SimHash.distance(hash(text), hash(unlike))).isGreaterThan(12);
        assertThat(hash("")).isZero();
    }

    @Test
    void markupAndWhiteSpaceCountForNothing() {
        var plain = Pages.simHash("<p>The orb weaver repairs her web each night</p>");
        assertThat(plain).isNotZero();
        assertThat(
                        Pages.simHash(
                                "<div class=x><b>The</b> orb\n"
                                        + " weaver <!-- no --> repairs<script>var a</script> her <a"
                                        + " href=w>web</a> each night</div>"))
                .isEqualTo(plain);
        assertThat(Pages.simHash("<p>The orb weaver repairs her web each day</p>"))
                .isNotEqualTo(plain);
    }

    private static long hash(String text) {
        var bytes = text.getBytes(UTF_8);
        return SimHash.of(bytes, 0, bytes.length);
    }
}
