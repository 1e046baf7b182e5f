package dev.orbweaver.internal.parse;

import static dev.orbweaver.internal.parse.ByteScan.isDigit;
import static dev.orbweaver.internal.parse.ByteScan.isSpace;

import java.util.Optional;

/**
 * The "shared declarative refresh steps" (HTML standard, 4.2.5.3) of meta element and {@code
 * Refresh} header.
 *
 * @param seconds the delay, as written
 * @param url the target; empty for the page itself
 */
record MetaRefresh(String seconds, Optional<String> url) {

    /** Parses the content; returns empty if it is not a refresh. */
    static Optional<MetaRefresh> parse(String content) {
        var at = skipSpace(content, 0);
        var digitsStart = at;
        while (at < content.length() && isDigit(content.charAt(at))) {
            at++;
        }
        var seconds = content.substring(digitsStart, at);
        if (seconds.isEmpty() && (at == content.length() || content.charAt(at) != '.')) {
            return Optional.empty();
        }
        while (at < content.length()
                && (isDigit(content.charAt(at)) || content.charAt(at) == '.')) {
            at++;
        }
        if (at < content.length()) {
            var separator = content.charAt(at);
            if (!isSeparator(separator) && !isSpace(separator)) {
                return Optional.empty();
            }
            at = skipSpace(content, at);
            if (at < content.length() && isSeparator(content.charAt(at))) {
                at = skipSpace(content, at + 1);
            }
        }
        var url = at < content.length() ? Optional.of(url(content, at)) : Optional.<String>empty();
        return Optional.of(new MetaRefresh(seconds.isEmpty() ? "0" : seconds, url));
    }

    private static boolean isSeparator(char character) {
        return character == ';' || character == ',';
    }

    /** Returns the URL that starts here, without {@code url=} and complete quotes. */
    private static String url(String content, int start) {
        if ((content.charAt(start) | 0x20) != 'u') {
            return unquoted(content, start);
        }
        if (!content.regionMatches(true, start, "url", 0, 3)) {
            return content.substring(start);
        }
        var at = skipSpace(content, start + 3);
        if (at == content.length() || content.charAt(at) != '=') {
            return content.substring(start);
        }
        return unquoted(content, skipSpace(content, at + 1));
    }

    private static String unquoted(String content, int start) {
        var quote = start < content.length() ? content.charAt(start) : 0;
        if (quote != '"' && quote != '\'') {
            return content.substring(start);
        }
        var close = content.indexOf(quote, start + 1);
        return content.substring(start + 1, close < 0 ? content.length() : close);
    }

    private static int skipSpace(String text, int from) {
        var at = from;
        while (at < text.length() && isSpace(text.charAt(at))) {
            at++;
        }
        return at;
    }
}
