package dev.orbweaver.internal.parse;

import static dev.orbweaver.internal.parse.ByteScan.isLetter;
import static dev.orbweaver.internal.parse.ByteScan.isSpace;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** "Prescan a byte stream to determine its encoding" (HTML standard, 13.2.3.2). */
final class MetaPrescan {

    private static final byte[] META = "<meta".getBytes(US_ASCII);
    private static final byte[] COMMENT = "<!--".getBytes(US_ASCII);
    private static final byte[] XML = "<?xml".getBytes(US_ASCII);

    private final byte[] bytes;
    private final int end;
    private int at;

    private MetaPrescan(byte[] bytes, int end) {
        this.bytes = bytes;
        this.end = end;
    }

    /** Returns the encoding that the first {@code end} bytes declare. */
    static Optional<Encoding> of(byte[] bytes, int end) {
        return new MetaPrescan(bytes, end).find();
    }

    private Optional<Encoding> find() {
        if (startsUtf16Declaration(0)) {
            return Optional.of(Encoding.UTF_16LE);
        }
        if (end > 0 && bytes[0] == 0 && startsUtf16Declaration(1)) {
            return Optional.of(Encoding.UTF_16BE);
        }
        for (; at < end; at++) {
            at = ByteScan.indexOf(bytes, at, end, (byte) '<');
            if (at < end && opensMeta()) {
                var encoding = meta();
                if (encoding.isPresent()) {
                    return encoding;
                }
            } else if (at < end) {
                skipMarkup();
            }
        }
        return xmlDeclaration();
    }

    /** Returns whether {@code <?x} in UTF-16 starts here, from its first nonzero byte on. */
    private boolean startsUtf16Declaration(int from) {
        return from + 5 <= end
                && bytes[from] == '<'
                && bytes[from + 1] == 0
                && bytes[from + 2] == '?'
                && bytes[from + 3] == 0
                && bytes[from + 4] == 'x'
                && (from == 1 || (end > 5 && bytes[5] == 0));
    }

    private boolean opensMeta() {
        var after = at + META.length;
        return after < end
                && ByteScan.startsWith(bytes, at, end, META)
                && (isSpace(bytes[after]) || bytes[after] == '/');
    }

    private void skipMarkup() {
        if (ByteScan.startsWith(bytes, at, end, COMMENT)) {
            skipComment();
            return;
        }
        var next = at + 1 < end ? bytes[at + 1] : 0;
        var name = next == '/' ? at + 2 : at + 1;
        if (name < end && isLetter(bytes[name])) {
            while (at < end && !isSpace(bytes[at]) && bytes[at] != '>') {
                at++;
            }
            while (attribute() != null) {
                // The attributes of other elements are skipped.
            }
        } else if (next == '!' || next == '/' || next == '?') {
            at = ByteScan.indexOf(bytes, at, end, (byte) '>');
        }
    }

    private void skipComment() {
        // The dashes that open a comment may also close it.
        var close = at + COMMENT.length;
        while (close < end
                && !(bytes[close] == '>' && bytes[close - 1] == '-' && bytes[close - 2] == '-')) {
            close++;
        }
        at = close;
    }

    private Optional<Encoding> meta() {
        at += META.length;
        var attributes = new HashMap<String, String>();
        for (var attribute = attribute(); attribute != null; attribute = attribute()) {
            attributes.putIfAbsent(attribute.getKey(), attribute.getValue());
        }
        return at < end ? MetaCharset.of(attributes) : Optional.empty();
    }

    /** "Get an attribute": returns null if the tag or the bytes have no more. */
    private Map.@Nullable Entry<String, String> attribute() {
        while (at < end && (isSpace(bytes[at]) || bytes[at] == '/')) {
            at++;
        }
        if (at >= end || bytes[at] == '>') {
            return null;
        }
        var start = at;
        while (at < end && !endsName(start)) {
            at++;
        }
        var name = lower(start, at);
        skipSpace();
        if (at >= end || bytes[at] != '=') {
            return at >= end ? null : Map.entry(name, "");
        }
        at++;
        skipSpace();
        return at >= end ? null : value(name);
    }

    private boolean endsName(int start) {
        var character = bytes[at];
        return isSpace(character)
                || character == '/'
                || character == '>'
                || (character == '=' && at > start);
    }

    private Map.@Nullable Entry<String, String> value(String name) {
        var quote = bytes[at];
        if (quote == '"' || quote == '\'') {
            var start = at + 1;
            var close = ByteScan.indexOf(bytes, start, end, quote);
            at = Math.min(close + 1, end);
            return close == end ? null : Map.entry(name, lower(start, close));
        }
        var start = at;
        while (at < end && !isSpace(bytes[at]) && bytes[at] != '>') {
            at++;
        }
        return at == end ? null : Map.entry(name, lower(start, at));
    }

    private void skipSpace() {
        while (at < end && isSpace(bytes[at])) {
            at++;
        }
    }

    private String lower(int start, int stop) {
        return new String(bytes, start, stop - start, ISO_8859_1).toLowerCase(Locale.ROOT);
    }

    /** "Get an XML encoding" (13.2.3.2). */
    private Optional<Encoding> xmlDeclaration() {
        if (!new String(bytes, 0, Math.min(end, XML.length), ISO_8859_1).equals("<?xml")) {
            return Optional.empty();
        }
        var close = ByteScan.indexOf(bytes, 0, end, (byte) '>');
        var declaration = new String(bytes, 0, close, ISO_8859_1);
        var index = declaration.indexOf("encoding");
        if (close == end || index < 0) {
            return Optional.empty();
        }
        index = skipControls(declaration, index + "encoding".length());
        if (index >= declaration.length() || declaration.charAt(index) != '=') {
            return Optional.empty();
        }
        index = skipControls(declaration, index + 1);
        if (index >= declaration.length()
                || (declaration.charAt(index) != '"' && declaration.charAt(index) != '\'')) {
            return Optional.empty();
        }
        var quoteEnd = declaration.indexOf(declaration.charAt(index), index + 1);
        if (quoteEnd < 0) {
            return Optional.empty();
        }
        var label = declaration.substring(index + 1, quoteEnd);
        return label.chars().anyMatch(c -> c <= ' ')
                ? Optional.empty()
                : Encoding.forLabel(label).map(MetaCharset::asDeclared);
    }

    private static int skipControls(String text, int from) {
        var index = from;
        while (index < text.length() && text.charAt(index) <= ' ') {
            index++;
        }
        return index;
    }
}
