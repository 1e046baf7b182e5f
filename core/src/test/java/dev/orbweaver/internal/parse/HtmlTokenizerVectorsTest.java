package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.parse.CharacterReferences.TextContext;
import dev.orbweaver.internal.parse.HtmlTokenizer.Content;
import dev.orbweaver.internal.parse.HtmlTokenizer.Token;
import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The html5lib tokenizer tests over UTF-8 bytes. Of a doctype only its presence is compared, and
 * parse errors are not. Input with a lone surrogate has no bytes and is skipped.
 */
class HtmlTokenizerVectorsTest {

    private static final Pattern ESCAPE = Pattern.compile("\\\\u([0-9A-Fa-f]{4})");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "contentModelFlags",
                "domjs",
                "entities",
                "escapeFlag",
                "namedEntities",
                "numericEntities",
                "pendingSpecChanges",
                "test1",
                "test2",
                "test3",
                "test4",
                "unicodeChars",
                "unicodeCharsProblematic"
            })
    void tokensAreThoseOfTheStandard(String file) {
        var failures = new ArrayList<String>();
        var run = 0;
        for (var test : Vectors.json("html-tokenizer/" + file + ".test").get("tests")) {
            var states = test.get("initialStates");
            var names = new ArrayList<String>();
            if (states == null) {
                names.add("Data state");
            } else {
                states.forEach(state -> names.add(state.asString()));
            }
            for (var state : names) {
                run += check(test, state, failures) ? 1 : 0;
            }
        }
        assertThat(failures).as("%s: %d of %d fail", file, failures.size(), run).isEmpty();
    }

    /** Returns whether the case applies. */
    private static boolean check(JsonNode test, String state, List<String> failures) {
        var doubleEscaped = test.has("doubleEscaped");
        var input = unescape(test.get("input").asString(), doubleEscaped);
        if (hasLoneSurrogate(input)) {
            return false;
        }
        var last = test.has("lastStartTag") ? test.get("lastStartTag").asString() : "";
        var actual = tokens(input, state, last);
        var expected = expected(test.get("output"), doubleEscaped);
        if (!actual.equals(expected)) {
            failures.add(
                    "%s [%s] %s%n  expected %s%n  but was  %s"
                            .formatted(
                                    test.get("description").asString(),
                                    state,
                                    input,
                                    expected,
                                    actual));
        }
        return true;
    }

    private static boolean hasLoneSurrogate(String text) {
        return !new String(text.getBytes(UTF_8), UTF_8).equals(text);
    }

    private static String unescape(String text, boolean doubleEscaped) {
        return doubleEscaped
                ? ESCAPE.matcher(text)
                        .replaceAll(m -> String.valueOf((char) Integer.parseInt(m.group(1), 16)))
                : text;
    }

    private static List<String> expected(JsonNode output, boolean doubleEscaped) {
        var tokens = new ArrayList<String>();
        for (var token : output) {
            var kind = token.get(0).asString();
            switch (kind) {
                case "Character" ->
                        addText(tokens, unescape(token.get(1).asString(), doubleEscaped));
                case "Comment" ->
                        tokens.add("comment " + unescape(token.get(1).asString(), doubleEscaped));
                case "DOCTYPE" -> tokens.add("doctype");
                case "EndTag" -> tokens.add("end " + token.get(1).asString());
                default -> {
                    var attributes = new TreeMap<String, String>();
                    token.get(2)
                            .properties()
                            .forEach(e -> attributes.put(e.getKey(), e.getValue().asString()));
                    tokens.add(
                            "start %s %s%s"
                                    .formatted(
                                            token.get(1).asString(),
                                            attributes,
                                            token.has(3) ? " /" : ""));
                }
            }
        }
        return tokens;
    }

    private static List<String> tokens(String input, String state, String lastStartTag) {
        var bytes = input.getBytes(UTF_8);
        var tokenizer = new HtmlTokenizer(bytes, 0, bytes.length);
        var content =
                switch (state) {
                    case "Data state" -> Content.DATA;
                    case "RCDATA state" -> Content.RCDATA;
                    case "RAWTEXT state" -> Content.RAW_TEXT;
                    case "Script data state" -> Content.SCRIPT;
                    case "PLAINTEXT state" -> Content.PLAINTEXT;
                    case "CDATA section state" -> Content.CDATA;
                    default -> throw new IllegalArgumentException(state);
                };
        tokenizer.readContentAs(content, lastStartTag.getBytes(US_ASCII));
        var tokens = new ArrayList<String>();
        Token token;
        do {
            token = tokenizer.next();
            addText(
                    tokens,
                    decode(
                            bytes,
                            tokenizer.textStart(),
                            tokenizer.textEnd(),
                            place(tokenizer.textContent())));
            switch (token) {
                case START_TAG -> tokens.add(startTag(bytes, tokenizer));
                case END_TAG -> tokens.add("end " + name(bytes, tokenizer));
                case COMMENT ->
                        tokens.add(
                                "comment "
                                        + decode(
                                                bytes,
                                                tokenizer.start(),
                                                tokenizer.stop(),
                                                TextContext.RAW_TEXT));
                case DOCTYPE -> tokens.add("doctype");
                case CDATA ->
                        addText(
                                tokens,
                                decode(
                                        bytes,
                                        tokenizer.start(),
                                        tokenizer.stop(),
                                        TextContext.CDATA));
                case NOTHING, END -> {
                    // Neither is a token of the standard's tests.
                }
            }
        } while (token != Token.END);
        return tokens;
    }

    private static TextContext place(Content content) {
        return switch (content) {
            case DATA -> TextContext.DATA;
            case RCDATA -> TextContext.RCDATA;
            case RAW_TEXT, SCRIPT, PLAINTEXT -> TextContext.RAW_TEXT;
            case CDATA -> TextContext.CDATA;
        };
    }

    private static void addText(List<String> tokens, String text) {
        if (text.isEmpty()) {
            return;
        }
        if (!tokens.isEmpty() && tokens.getLast().startsWith("text ")) {
            tokens.set(tokens.size() - 1, tokens.getLast() + text);
        } else {
            tokens.add("text " + text);
        }
    }

    private static String startTag(byte[] bytes, HtmlTokenizer tokenizer) {
        var attributes = new TreeMap<String, String>();
        for (var i = 0; i < tokenizer.attributeCount(); i++) {
            attributes.putIfAbsent(
                    lower(
                            decode(
                                    bytes,
                                    tokenizer.attributeNameStart(i),
                                    tokenizer.attributeNameEnd(i),
                                    TextContext.RAW_TEXT)),
                    decode(
                            bytes,
                            tokenizer.valueStart(i),
                            tokenizer.valueEnd(i),
                            TextContext.ATTRIBUTE));
        }
        return "start %s %s%s"
                .formatted(
                        name(bytes, tokenizer), attributes, tokenizer.isSelfClosing() ? " /" : "");
    }

    private static String name(byte[] bytes, HtmlTokenizer tokenizer) {
        return lower(decode(bytes, tokenizer.start(), tokenizer.stop(), TextContext.RAW_TEXT));
    }

    private static String lower(String name) {
        var ascii = new StringBuilder();
        name.chars()
                .forEach(c -> ascii.append(c < 0x80 ? lowerAscii(c) : String.valueOf((char) c)));
        return ascii.toString();
    }

    private static String lowerAscii(int character) {
        return String.valueOf((char) character).toLowerCase(Locale.ROOT);
    }

    private static String decode(byte[] bytes, int start, int end, TextContext textContext) {
        var out = new Utf8Buffer();
        CharacterReferences.decode(bytes, start, end, textContext, out);
        return out.toString();
    }
}
