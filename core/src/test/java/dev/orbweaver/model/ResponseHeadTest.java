package dev.orbweaver.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

class ResponseHeadTest {

    @Test
    void aFieldIsFoundWhateverItsCase() {
        var head = head("X-One: 1\r\ncontent-TYPE: text/html\r\n");
        assertThat(head.field("Content-Type")).contains("text/html");
        assertThat(head.field("content-type")).contains("text/html");
        assertThat(head.field("x-one")).contains("1");
        assertThat(head.field("content")).isEmpty();
        assertThat(head.field("type")).isEmpty();
        assertThat(head.field("content-type-")).isEmpty();
    }

    @Test
    void severalValuesKeepTheirOrder() {
        var head = head("Link: <a>\r\nX: y\r\nLINK:<b>, <c>\r\nlink:\r\n");
        assertThat(head.fields("link")).containsExactly("<a>", "<b>, <c>", "");
        assertThat(head.field("link")).contains("<a>");
        assertThat(head.fields("absent")).isEmpty();
    }

    @Test
    void valuesLoseHttpsWhiteSpaceAndNoOther() {
        var head = head("A:  \t x y \t\r\nB: \f\u00A0z\u000B\r\nC:\n");
        assertThat(head.field("a")).contains("x y");
        assertThat(head.field("b")).contains("\f\u00A0z\u000B");
        assertThat(head.field("c")).contains("");
    }

    @Test
    void aFoldedValueIsOneValue() {
        var head = head("A: one\r\n two\r\n\t three \r\nB:\r\n x\r\nC: y\r\n \r\n");
        assertThat(head.field("a")).contains("one two three");
        assertThat(head.field("b")).contains("x");
        assertThat(head.field("c")).contains("y");
    }

    @Test
    void aFoldedLineIsNoFieldOfItsOwn() {
        var head = head("A: one\r\n B: two\r\n");
        assertThat(head.field("b")).isEmpty();
        assertThat(head.field("a")).contains("one B: two");
    }

    @Test
    void oddLinesAreNoFields() {
        var head = head("no colon\r\n: nameless\r\nA : spaced\r\nA: right\n\r\nB: behind\r\n");
        assertThat(head.fields("a")).containsExactly("right");
        assertThat(head.field("no colon")).isEmpty();
        assertThat(head.field("HTTP/1.1 200 OK")).isEmpty();
    }

    @Test
    void aHeadThatBreaksOffGivesWhatIsThere() {
        assertThat(new ResponseHead(new byte[0], 200).field("a")).isEmpty();
        var bytes = "HTTP/1.1 200 OK\r\nA: b".getBytes(StandardCharsets.ISO_8859_1);
        assertThat(new ResponseHead(bytes, 200).field("a")).contains("b");
        var bare = "A: b".getBytes(StandardCharsets.ISO_8859_1);
        assertThat(new ResponseHead(bare, 200).field("a")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "text/html|text/html",
                "TEXT/HTML ; charset=utf-8|text/html",
                "application/xhtml+xml;x=\"a;b\"|application/xhtml+xml",
                "text/html, */*|text/html",
                "text/plain, text/html|text/html",
                "text/html;a=\"x, text/plain\"|text/html",
                "text/html;a=\"\\\", text/plain\"|text/html",
                "text|''",
                "text/|''",
                "/html|''",
                "text/html charset=utf-8|''",
                "text/ht ml|''",
                "''|''"
            })
    void theMediaTypeIsWhatABrowserWouldTakeItFor(String field, String type) {
        assertThat(head("Content-Type: " + field + "\r\n").mediaType()).isEqualTo(type);
    }

    @Test
    void withoutAContentTypeThereIsNoMediaType() {
        assertThat(head("X: y\r\n").mediaType()).isEmpty();
    }

    @Test
    void theLastOfSeveralContentTypesCounts() {
        assertThat(head("Content-Type: text/plain\r\nContent-Type: text/html\r\n").mediaType())
                .isEqualTo("text/html");
        assertThat(head("Content-Type: text/html\r\nContent-Type: nonsense\r\n").mediaType())
                .isEqualTo("text/html");
    }

    @Test
    void theMediaTypesOfTheVectorsAreThoseOfBrowsers() {
        var failures = new ArrayList<String>();
        for (var vector : Vectors.json("http-headers/content-types.json")) {
            var fields = new StringBuilder();
            for (var value : vector.get("contentType")) {
                fields.append("Content-Type: ").append(value.asString()).append("\r\n");
            }
            check(failures, fields.toString(), vector.get("documentContentType").asString());
        }
        for (var file : new String[] {"mime-types", "generated-mime-types"}) {
            for (var vector : Vectors.json("http-headers/" + file + ".json")) {
                var input = vector.isString() ? "" : vector.path("input").asString();
                // A field's value has no line end, and its white space has already been removed.
                if (!vector.isString() && input.indexOf('\n') < 0 && input.indexOf('\r') < 0) {
                    var output = vector.get("output");
                    var wanted = output.isNull() ? "" : output.asString().split(";", 2)[0];
                    check(failures, "Content-Type: " + input + "\r\n", wanted);
                }
            }
        }
        assertThat(failures).isEmpty();
    }

    private static void check(List<String> failures, String fields, String wanted) {
        var got = head(fields).mediaType();
        if (!got.equals(wanted)) {
            failures.add(fields.strip() + " gave '" + got + "', not '" + wanted + "'");
        }
    }

    private static ResponseHead head(String fields) {
        var text = "HTTP/1.1 200 OK\r\n" + fields + "\r\n";
        return new ResponseHead(text.getBytes(StandardCharsets.ISO_8859_1), 200);
    }
}
