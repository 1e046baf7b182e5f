package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Random;

/** Pages of arbitrary bytes are parsed in time linear in their length. */
@Slow
class HtmlFuzzTest {

    private static final String ALPHABET =
            "<>/!?-=\"'& \n;#xa[]\u0000AasctipvgmhremoTDCle:,09\u00E9";
    private static final List<String> TYPES =
            List.of("", "text/html", "text/html; charset=shift_jis", "application/xhtml+xml");

    @Test
    void randomBytesAreReadWithoutComplaint() {
        var seed = Long.getLong("orbweaver.seed", 7_061_996L);
        var random = new Random(seed);
        for (var run = 0; run < 20_000; run++) {
            var bytes = new byte[random.nextInt(400)];
            if (run % 4 == 0) {
                random.nextBytes(bytes);
            } else {
                for (var i = 0; i < bytes.length; i++) {
                    bytes[i] = (byte) ALPHABET.charAt(random.nextInt(ALPHABET.length()));
                }
            }
            var type = TYPES.get(random.nextInt(TYPES.size()));
            assertThatCode(() -> Pages.parse(bytes, type))
                    .as("seed %d, run %d: %s", seed, run, new String(bytes, ISO_8859_1))
                    .doesNotThrowAnyException();
        }
    }

    @ParameterizedTest
    @Timeout(10)
    @ValueSource(
            strings = {
                "<",
                "<a",
                "<a ",
                "<a b",
                "<a b=",
                "<!--",
                "<!",
                "&",
                "&#",
                "&am",
                "<div>",
                "</div>",
                "<svg>",
                "</math>",
                "<svg></math>",
                "<template>",
                "</template>",
                "<a href=x>",
                "a ",
                "<title>",
                "<script>",
                "<script><!--",
                "<!--<script>",
                "</script",
                "<![CDATA[",
                "-->",
                "<img srcset='a 1x, b (",
                "<meta charset=",
                "<base href=x>",
                "x=y ",
                "=",
                "\u0000",
                "<form>",
                "<math><annotation-xml>",
                "<svg><desc>"
            })
    void whatRepeatsWithoutEndIsReadInLinearTime(String piece) {
        for (var opening : List.of("", "<a ", "<svg>", "<script>", "<img srcset='")) {
            var bytes = (opening + piece.repeat(8_000_000 / piece.length())).getBytes(UTF_8);
            assertThat(Pages.parse(bytes, "text/html").links())
                    .hasSizeLessThanOrEqualTo(LinkSet.LINKS_MAX);
        }
    }

    @Test
    @Timeout(10)
    void aPageHasNoMoreLinksThanTheLimit() {
        var html = new StringBuilder();
        for (var i = 0; i < LinkSet.LINKS_MAX + 1000; i++) {
            html.append("<a href=").append(i).append('>');
        }
        assertThat(Pages.parse(html.toString()).links()).hasSize(LinkSet.LINKS_MAX);
    }
}
