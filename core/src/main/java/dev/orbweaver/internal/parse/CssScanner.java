package dev.orbweaver.internal.parse;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Finds the URLs in {@code url()}, {@code src()}, {@code @import} and {@code image-set()}.
 *
 * <p>It follows the tokenizer of CSS Syntax Level 3 for comments, strings and URLs with escapes
 * (4.3.5 to 4.3.7), names of functions and at-rules. Everything else is skipped, so broken rules do
 * no harm.
 */
final class CssScanner {

    private static final int REFERENCES_MAX = LinkSet.LINKS_MAX;

    /** Deeper nesting of functions is ignored. */
    private static final int NESTING_MAX = 256;

    /** Functions whose strings are URLs. */
    private static final Set<String> URL_FUNCTIONS =
            Set.of("url", "src", "image-set", "-webkit-image-set", "image");

    private final String css;
    private final List<String> references = new ArrayList<>();
    private final Deque<String> functions = new ArrayDeque<>();
    private int at;

    /** The at-rule whose first semicolon or block has not been reached; empty elsewhere. */
    private String atRule = "";

    private CssScanner(String css) {
        this.css = css;
    }

    /**
     * Returns the references in a style sheet, or in the value of a style attribute, as written.
     */
    static List<String> references(String css) {
        var scanner = new CssScanner(css);
        scanner.scan();
        return scanner.references;
    }

    private void scan() {
        while (at < css.length() && references.size() < REFERENCES_MAX) {
            var c = css.charAt(at);
            switch (c) {
                case '/' -> skipComment();
                case '"', '\'' -> string(c);
                case '@' -> {
                    at++;
                    atRule = name();
                }
                case ';', '{', '}' -> {
                    at++;
                    atRule = "";
                    functions.clear();
                }
                case '(' -> {
                    at++;
                    pushFunction("");
                }
                case ')' -> {
                    at++;
                    var _ = functions.poll();
                }
                default -> {
                    if (isNameStart(c)) {
                        identifierOrFunction();
                    } else {
                        at++;
                    }
                }
            }
        }
    }

    private void skipComment() {
        if (css.startsWith("/*", at)) {
            var end = css.indexOf("*/", at + 2);
            at = end < 0 ? css.length() : end + 2;
        } else {
            at++;
        }
    }

    private void string(char quote) {
        var value = quoted(quote);
        var within = functions.peek();
        var isUrl = within == null ? atRule.equals("import") : URL_FUNCTIONS.contains(within);
        if (isUrl) {
            add(value);
            if (within == null) {
                atRule = ""; // An import has only one URL.
            }
        }
    }

    private void add(String reference) {
        var trimmed = reference.strip();
        // Namespaces are names that look like URLs; a fragment alone refers to the page itself.
        if (!trimmed.isEmpty() && !trimmed.startsWith("#") && !atRule.equals("namespace")) {
            references.add(trimmed);
        }
    }

    /** Reads a string up to its quote, or the end of the line or text (4.3.5). */
    private String quoted(char quote) {
        var value = new StringBuilder();
        at++;
        while (at < css.length()) {
            var c = css.charAt(at);
            if (c == quote) {
                at++;
                break;
            }
            if (isNewline(c)) {
                break;
            }
            if (c == '\\') {
                escape(value);
            } else {
                value.append(c);
                at++;
            }
        }
        return value.toString();
    }

    private void identifierOrFunction() {
        var name = name();
        if (at < css.length() && css.charAt(at) == '(') {
            at++;
            if (name.equals("url") && !isQuoteNext()) {
                unquotedUrl();
            } else {
                pushFunction(name);
            }
        }
    }

    private void pushFunction(String function) {
        if (functions.size() < NESTING_MAX) {
            functions.push(function);
        }
    }

    private boolean isQuoteNext() {
        var next = at;
        while (next < css.length() && isSpace(css.charAt(next))) {
            next++;
        }
        return next < css.length() && (css.charAt(next) == '"' || css.charAt(next) == '\'');
    }

    /** Reads a URL without quotes (4.3.6); a URL with an invalid character is dropped. */
    private void unquotedUrl() {
        var value = new StringBuilder();
        var good = true;
        while (at < css.length() && css.charAt(at) != ')') {
            var c = css.charAt(at);
            if (c == '\\') {
                escape(value);
            } else {
                good &= c != '"' && c != '\'' && c != '(';
                value.append(c);
                at++;
            }
        }
        at++;
        var text = value.toString().strip();
        if (good && text.chars().noneMatch(c -> isSpace((char) c))) {
            add(text);
            if (atRule.equals("import")) {
                atRule = "";
            }
        }
    }

    /**
     * Reads an escaped character: up to six hexadecimal digits and a space, or any other character
     * (4.3.7).
     */
    private void escape(StringBuilder value) {
        at++;
        if (at >= css.length()) {
            return;
        }
        var digits = 0;
        while (digits < 6
                && at + digits < css.length()
                && Character.digit(css.charAt(at + digits), 16) >= 0
                && css.charAt(at + digits) < 0x80) {
            digits++;
        }
        if (digits == 0) {
            var c = css.charAt(at++);
            if (!isNewline(c)) {
                value.append(c);
            }
            return;
        }
        var code = Integer.parseInt(css, at, at + digits, 16);
        at += digits;
        if (at < css.length() && isSpace(css.charAt(at))) {
            at++;
        }
        value.appendCodePoint(
                code == 0 || code > Character.MAX_CODE_POINT || (code >= 0xD800 && code < 0xE000)
                        ? 0xFFFD
                        : code);
    }

    /** Reads a name in lower case with its escapes decoded. */
    private String name() {
        var name = new StringBuilder();
        while (at < css.length()
                && (isNameStart(css.charAt(at))
                        || css.charAt(at) == '-'
                        || (css.charAt(at) >= '0' && css.charAt(at) <= '9'))) {
            if (css.charAt(at) == '\\') {
                escape(name);
            } else {
                name.append(css.charAt(at++));
            }
        }
        return name.toString().toLowerCase(Locale.ROOT);
    }

    private static boolean isNameStart(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || c == '_'
                || c == '-'
                || c == '\\'
                || c >= 0x80;
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t' || isNewline(c);
    }

    private static boolean isNewline(char c) {
        return c == '\n' || c == '\r' || c == '\f';
    }
}
