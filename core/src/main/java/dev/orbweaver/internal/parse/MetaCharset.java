package dev.orbweaver.internal.parse;

import java.util.Map;
import java.util.Optional;

/** Determines the encoding declared by the attributes of a {@code <meta>} element. */
final class MetaCharset {

    private static final String CHARSET = "charset";

    private MetaCharset() {}

    /** Returns the encoding from attributes whose names and values are in lower case. */
    static Optional<Encoding> of(Map<String, String> attributes) {
        var charset = attributes.get(CHARSET);
        if (charset != null) {
            return Encoding.forLabel(charset).map(MetaCharset::asDeclared);
        }
        if (!"content-type".equals(attributes.get("http-equiv"))) {
            return Optional.empty();
        }
        return inContent(attributes.getOrDefault("content", "")).map(MetaCharset::asDeclared);
    }

    /**
     * Treats UTF-16 that is declared in ASCII bytes as UTF-8 (HTML standard, 13.2.3.2 and
     * 13.2.3.4).
     */
    static Encoding asDeclared(Encoding encoding) {
        if (encoding.isUtf16()) {
            return Encoding.UTF_8;
        }
        return encoding.name().equals("x-user-defined") ? Encoding.WINDOWS_1252 : encoding;
    }

    /**
     * "Extract a character encoding from a meta element" (HTML standard, 2.4.3), for lower-case
     * text.
     */
    static Optional<Encoding> inContent(String content) {
        var at = 0;
        while (true) {
            at = content.indexOf(CHARSET, at);
            if (at < 0) {
                return Optional.empty();
            }
            at = skipSpace(content, at + CHARSET.length());
            if (at < content.length() && content.charAt(at) == '=') {
                return label(content, skipSpace(content, at + 1)).flatMap(Encoding::forLabel);
            }
        }
    }

    private static Optional<String> label(String content, int start) {
        if (start >= content.length()) {
            return Optional.empty();
        }
        var quote = content.charAt(start);
        if (quote == '"' || quote == '\'') {
            var close = content.indexOf(quote, start + 1);
            return close < 0 ? Optional.empty() : Optional.of(content.substring(start + 1, close));
        }
        var stop = start;
        while (stop < content.length()
                && content.charAt(stop) != ';'
                && !ByteScan.isSpace(content.charAt(stop))) {
            stop++;
        }
        return Optional.of(content.substring(start, stop));
    }

    private static int skipSpace(String text, int from) {
        var at = from;
        while (at < text.length() && ByteScan.isSpace(text.charAt(at))) {
            at++;
        }
        return at;
    }
}
