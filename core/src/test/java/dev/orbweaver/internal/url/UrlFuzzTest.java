package dev.orbweaver.internal.url;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Random;

/** Parsing terminates quickly for any text, and its result parses to itself. */
class UrlFuzzTest {

    private static final long SEED = 99L;

    private static final String[] TOKENS = {
        "http",
        "https",
        "file",
        "ws",
        "x",
        ":",
        "/",
        "//",
        "\\",
        "?",
        "#",
        "@",
        "[",
        "]",
        ".",
        "..",
        "%2e",
        "%",
        "%00",
        "%ff",
        "C|",
        "c:",
        "0x",
        "1",
        "255",
        "::",
        "xn--",
        "ü",
        "ß",
        "。",
        "\u200d",
        "\uD800",
        "\uDC00",
        "א",
        "\uFFFF",
        " ",
        "\t",
        "localhost",
        "example.org",
        ":80",
        "~",
        "\u00AD",
    };

    @Test
    void noTextMakesTheParserThrowAndEveryResultIsStable() {
        var random = new Random(SEED);
        var base = WhatwgUrl.parse("https://example.org/a/b?c").orElseThrow();
        for (var round = 0; round < 100_000; round++) {
            var text = new StringBuilder();
            for (var n = random.nextInt(12); n > 0; n--) {
                text.append(TOKENS[random.nextInt(TOKENS.length)]);
            }
            var input = text.toString();
            var about = "seed " + SEED + ", round " + round + ": " + input;
            assertThatCode(() -> checkStable(input, base, about))
                    .as(about)
                    .doesNotThrowAnyException();
        }
    }

    private static void checkStable(String input, WhatwgUrl base, String about) {
        WhatwgUrl.parse(input, base)
                .ifPresent(url -> assertThat(WhatwgUrl.parse(url.href())).as(about).contains(url));
        WhatwgUrl.parse(input)
                .flatMap(WhatwgUrl::host)
                .filter(host -> !host.isEmpty())
                .ifPresent(host -> assertThat(RegistrableDomain.of(host)).as(about).isNotEmpty());
    }

    @Slow
    @Test
    void timeGrowsWithTheLengthOfTheInputAndNotWithItsSquare() {
        var heads = List.of("https://", "https://h/", "https://h/?", "other:", "//", "file:", "");
        var bodies =
                List.of(
                        "a", "../", "/..", "@", ":", "%", "%2e/", ".", "1.", "ü", "[", "\\", " ",
                        "ü.");
        var base = WhatwgUrl.parse("https://example.org/a/b").orElseThrow();
        for (var head : heads) {
            for (var body : bodies) {
                var input = head + body.repeat(1_000_000 / body.length());
                var before = cpuNanos();
                WhatwgUrl.parse(input, base).ifPresent(url -> assertThat(url.href()).isNotEmpty());
                // A quadratic step over a million characters takes minutes, a linear one tens of
                // milliseconds.
                assertThat(cpuNanos() - before)
                        .as("CPU ns for %s%s...", head, body)
                        .isLessThan(3_000_000_000L);
            }
        }
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
