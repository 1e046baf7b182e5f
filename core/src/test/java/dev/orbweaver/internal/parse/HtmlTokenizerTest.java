package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.parse.CharacterReferences.TextContext;
import dev.orbweaver.internal.parse.HtmlTokenizer.Content;
import dev.orbweaver.internal.parse.HtmlTokenizer.Token;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;

class HtmlTokenizerTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    <!-->a<b>            | COMMENT START_TAG
                    <!--->a<b>           | COMMENT START_TAG
                    <!--a--!>a<b>        | COMMENT START_TAG
                    <!--a-->b-->c        | COMMENT
                    <!--a<b>             | COMMENT
                    <!x><b>              | COMMENT START_TAG
                    <?x><b>              | COMMENT START_TAG
                    </ x><b>             | COMMENT START_TAG
                    </><b>               | NOTHING START_TAG
                    <!doctypex "><b>     | DOCTYPE START_TAG
                    < b><1>              | ''
                    <b                   | ''
                    <b a="               | ''
                    <b a='>'>            | START_TAG
                    </b a=1>             | END_TAG
                    """)
    void markupIsTakenApartAsTheStandardSays(String html, String tokens) {
        assertThat(String.join(" ", tokens(html))).isEqualTo(tokens);
    }

    private static List<String> tokens(String html) {
        var bytes = html.getBytes(UTF_8);
        var tokenizer = new HtmlTokenizer(bytes, 0, bytes.length);
        var tokens = new ArrayList<String>();
        for (var token = tokenizer.next(); token != Token.END; token = tokenizer.next()) {
            tokens.add(token.name());
        }
        return tokens;
    }

    @Test
    void aScriptInACommentInAScriptHidesOneEndTag() {
        var script = "<!-- <script> </script> <a> --> </SCRIPT >";
        var bytes = script.getBytes(UTF_8);
        var tokenizer = new HtmlTokenizer(bytes, 0, bytes.length);
        tokenizer.readContentAs(Content.SCRIPT, "script".getBytes(UTF_8));
        assertThat(tokenizer.next()).isEqualTo(Token.END_TAG);
        assertThat(tokenizer.textEnd()).isEqualTo(script.indexOf("</SCRIPT"));
    }

    @Test
    void attributesBeyondTheLimitAreReadOver() {
        var html = "<a " + "x ".repeat(HtmlTokenizer.ATTRIBUTES_MAX + 5) + "><b>";
        var bytes = html.getBytes(UTF_8);
        var tokenizer = new HtmlTokenizer(bytes, 0, bytes.length);
        assertThat(tokenizer.next()).isEqualTo(Token.START_TAG);
        assertThat(tokenizer.attributeCount()).isEqualTo(HtmlTokenizer.ATTRIBUTES_MAX);
        assertThat(tokenizer.next()).isEqualTo(Token.START_TAG);
    }

    @ParameterizedTest
    @CsvSource({
        "&lt;b&gt;, <b>, <b>",
        "&notit;, ¬it;, &notit;",
        "&copy=1, ©=1, &copy=1",
        "&copy, ©, ©",
        "&#x80;&#0;, €\uFFFD, €\uFFFD",
        "&#xD800;&#99999999;, \uFFFD\uFFFD, \uFFFD\uFFFD",
        "&#;&#x;&;&nope;, &#;&#x;&;&nope;, &#;&#x;&;&nope;"
    })
    void referencesAreDecodedByThePlaceTheyStandIn(String raw, String text, String attribute) {
        assertThat(decode(raw, TextContext.DATA)).isEqualTo(text);
        assertThat(decode(raw, TextContext.ATTRIBUTE)).isEqualTo(attribute);
        assertThat(decode(raw, TextContext.RAW_TEXT)).isEqualTo(raw);
    }

    private static String decode(String raw, TextContext textContext) {
        var bytes = raw.getBytes(UTF_8);
        var out = new Utf8Buffer();
        CharacterReferences.decode(bytes, 0, bytes.length, textContext, out);
        return out.toString();
    }

    @Test
    void aByteIsFoundWhereverItStands() {
        for (var length = 0; length < 40; length++) {
            var bytes = new byte[length + 1];
            bytes[length] = '<';
            assertThat(ByteScan.indexOf(bytes, 0, bytes.length, (byte) '<')).isEqualTo(length);
            assertThat(ByteScan.indexOf(bytes, 0, length, (byte) '<')).isEqualTo(length);
            bytes[length] = (byte) 0x80;
            assertThat(ByteScan.indexOfNonAscii(bytes, 0, bytes.length)).isEqualTo(length);
        }
    }
}
