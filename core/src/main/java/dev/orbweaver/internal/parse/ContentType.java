package dev.orbweaver.internal.parse;

import java.util.Locale;
import java.util.Optional;

/** Parses a Content-Type header as in "parse a MIME type" (MIME Sniffing standard, 4.4). */
final class ContentType {

    private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~";

    private final String text;
    private int at;

    private ContentType(String text) {
        this.text = text;
    }

    /** Returns the type and subtype in lower case; empty if the header is invalid. */
    static String mediaType(String header) {
        var semicolon = header.indexOf(';');
        var type = semicolon < 0 ? header : header.substring(0, semicolon);
        return type.strip().toLowerCase(Locale.ROOT);
    }

    /** Returns the value of the first charset parameter, if the header is a valid MIME type. */
    static Optional<String> charset(String header) {
        var mediaType = mediaType(header);
        var slash = mediaType.indexOf('/');
        if (slash < 0
                || !isToken(mediaType.substring(0, slash))
                || !isToken(mediaType.substring(slash + 1))) {
            return Optional.empty();
        }
        return new ContentType(header).findCharset();
    }

    private Optional<String> findCharset() {
        while (true) {
            skipTo(';');
            if (at >= text.length()) {
                return Optional.empty();
            }
            at++;
            while (at < text.length() && isSpace(text.charAt(at))) {
                at++;
            }
            var name = name();
            if (at < text.length() && text.charAt(at) == '=') {
                at++;
                var value = value();
                if (name.equals("charset") && value.isPresent()) {
                    return value;
                }
            }
        }
    }

    private String name() {
        var start = at;
        while (at < text.length() && text.charAt(at) != ';' && text.charAt(at) != '=') {
            at++;
        }
        return text.substring(start, at).toLowerCase(Locale.ROOT);
    }

    /** Returns the parameter's value; empty if it has none or an invalid one. */
    private Optional<String> value() {
        if (at >= text.length()) {
            return Optional.empty();
        }
        if (text.charAt(at) == '"') {
            return Optional.of(quoted()).filter(ContentType::isValue);
        }
        var start = at;
        skipTo(';');
        var stop = at;
        while (stop > start && isSpace(text.charAt(stop - 1))) {
            stop--;
        }
        return Optional.of(text.substring(start, stop))
                .filter(value -> !value.isEmpty() && isValue(value));
    }

    private String quoted() {
        var value = new StringBuilder();
        for (at++; at < text.length() && text.charAt(at) != '"'; at++) {
            if (text.charAt(at) == '\\' && at + 1 < text.length()) {
                at++;
            }
            value.append(text.charAt(at));
        }
        at = Math.min(at + 1, text.length());
        return value.toString();
    }

    private void skipTo(char wanted) {
        while (at < text.length() && text.charAt(at) != wanted) {
            at++;
        }
    }

    private static boolean isSpace(char character) {
        return character == ' ' || character == '\t' || character == '\n' || character == '\r';
    }

    private static boolean isToken(String text) {
        return !text.isEmpty()
                && text.chars()
                        .allMatch(
                                c ->
                                        ByteScan.isLetter(c)
                                                || ByteScan.isDigit(c)
                                                || TOKEN_MARKS.indexOf(c) >= 0);
    }

    private static boolean isValue(String text) {
        return text.chars().allMatch(c -> c == '\t' || (c >= ' ' && c <= 0xFF && c != 0x7F));
    }
}
