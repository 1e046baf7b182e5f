package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The external test cases of encodings: which one a page is in, and how its bytes are decoded. */
class CharsetVectorsTest {

    /**
     * Pages on which the browsers' suite contradicts the standard's prescan, which ignores scripts
     * and styles, and html5lib's cases, which follow it (whatwg/html issue 6962).
     */
    private static final Set<String> AGAINST_THE_PRESCAN =
            Set.of("wpt-charset/in-script.html", "wpt-charset/in-style.html");

    /** The JDK decodes an encoded surrogate as one error, the web as three. */
    private static final String ENCODED_SURROGATE = "eda080";

    @Test
    void labelsMeanTheirEncodings() {
        var failures = new ArrayList<String>();
        var cases = Vectors.json("charset/labels.json");
        for (var test : cases) {
            var label = test.get("label").asString();
            var expected = test.get("encoding").isNull() ? "" : test.get("encoding").asString();
            var actual = Encoding.forLabel(label).map(Encoding::name).orElse("");
            if (!actual.equals(expected)) {
                failures.add("%s expected %s but was %s".formatted(label, expected, actual));
            }
        }
        report(failures, cases.size());
    }

    @Test
    void pagesDeclareTheirEncodingAsTheStandardSays() {
        var failures = new ArrayList<String>();
        var cases = Vectors.json("charset/html5lib-encoding.json");
        for (var test : cases) {
            var bytes = HexFormat.of().parseHex(test.get("data_hex").asString());
            var actual =
                    Charsets.declared(bytes, bytes.length, "").orElse(Encoding.WINDOWS_1252).name();
            var expected = test.get("encoding").asString();
            if (!actual.equals(expected)) {
                failures.add(
                        "expected %s but was %s: %s"
                                .formatted(expected, actual, test.get("data_hex")));
            }
        }
        report(failures, cases.size());
    }

    @Test
    void pagesAreReadInTheEncodingThatBrowsersChoose() {
        var failures = new ArrayList<String>();
        var cases = Vectors.json("charset/wpt-pages.json");
        for (var test : cases) {
            var name = test.get("name").asString();
            var bytes = HexFormat.of().parseHex(test.get("body_hex").asString());
            var actual =
                    Charsets.of(bytes, bytes.length, test.get("http_content_type").asString())
                            .name();
            var right =
                    test.has("encoding")
                            ? actual.equals(test.get("encoding").asString())
                            : !actual.startsWith(test.get("not_encoding").asString());
            if (!right && !AGAINST_THE_PRESCAN.contains(name)) {
                failures.add("%s was %s".formatted(name, actual));
            }
        }
        report(failures, cases.size());
    }

    @Test
    void headersNameTheEncodingAsTheStandardSays() {
        var failures = new ArrayList<String>();
        var cases = Vectors.json("http-headers/mime-types.json");
        for (var test : cases) {
            var expected = test.path("encoding").asString("").toLowerCase(Locale.ROOT);
            var actual =
                    ContentType.charset(test.get("input").asString())
                            .flatMap(Encoding::forLabel)
                            .map(Encoding::name)
                            .orElse("");
            if (!actual.equals(expected)) {
                failures.add("%s expected %s but was %s".formatted(test, expected, actual));
            }
        }
        report(failures, cases.size());
    }

    @Test
    void charactersAreDecodedAsTheWebHasThem() {
        var failures = decodingFailures("charset/decode-pairs.json");
        var cases = Vectors.json("charset/decode-pairs.json").size();
        report(failures, cases);
    }

    @Test
    void malformedBytesBecomeReplacementCharacters() {
        var failures = decodingFailures("charset/decode-errors.json");
        var cases = Vectors.json("charset/decode-errors.json").size();
        report(failures, cases);
    }

    private static List<String> decodingFailures(String file) {
        var failures = new ArrayList<String>();
        for (var test : Vectors.json(file)) {
            var bytes = HexFormat.of().parseHex(test.get("bytes_hex").asString());
            var encoding = Encoding.forLabel(test.get("encoding").asString()).orElseThrow();
            var from = Charsets.bomLength(bytes, bytes.length, encoding);
            var actual = new String(bytes, from, bytes.length - from, encoding.charset());
            var expected = test.get("text").asString();
            if (!actual.equals(expected)
                    && !test.get("bytes_hex").asString().equals(ENCODED_SURROGATE)) {
                failures.add(
                        "%s %s expected %s but was %s"
                                .formatted(
                                        encoding.name(),
                                        test.get("bytes_hex").asString(),
                                        codePoints(expected),
                                        codePoints(actual)));
            }
        }
        return failures;
    }

    private static List<String> codePoints(String text) {
        return text.codePoints().mapToObj(Integer::toHexString).toList();
    }

    private static void report(List<String> failures, int cases) {
        assertThat(failures.stream().limit(20))
                .as("%d of %d fail", failures.size(), cases)
                .isEmpty();
    }
}
