package dev.orbweaver.internal.sink;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;

/** Builds one line of JSON. Empty and zero values are left out to keep the log small. */
final class JsonLine {

    private final StringBuilder line = new StringBuilder(256).append('{');

    JsonLine text(String name, String value) {
        if (!value.isEmpty()) {
            name(name).append('"');
            appendEscaped(value);
            line.append('"');
        }
        return this;
    }

    /** A text of our own, in which nothing needs to be escaped. */
    JsonLine unescapedText(String name, String value) {
        if (!value.isEmpty()) {
            name(name).append('"').append(value).append('"');
        }
        return this;
    }

    JsonLine time(String name, Instant value) {
        IsoTime.append(name(name).append('"'), value);
        line.append('"');
        return this;
    }

    JsonLine number(String name, long value) {
        if (value != 0) {
            name(name).append(value);
        }
        return this;
    }

    /** Sixteen digits in quotes: as a number it would lose bits in readers with doubles. */
    JsonLine hex(String name, long value) {
        if (value != 0) {
            name(name).append('"').append(HexFormat.of().toHexDigits(value)).append('"');
        }
        return this;
    }

    /** Appends a value that is JSON already. */
    JsonLine json(String name, String value) {
        if (!value.isEmpty()) {
            name(name).append(value);
        }
        return this;
    }

    byte[] toBytes() {
        return line.append("}\n").toString().getBytes(StandardCharsets.UTF_8);
    }

    private StringBuilder name(String name) {
        if (line.length() > 1) {
            line.append(',');
        }
        return line.append('"').append(name).append("\":");
    }

    /** Nearly every text needs no escape, which is found faster than writing letter by letter. */
    private void appendEscaped(String value) {
        for (var i = 0; i < value.length(); i++) {
            if (!needsNoEscape(value.charAt(i))) {
                value.chars().forEach(c -> appendCharacter((char) c));
                return;
            }
        }
        line.append(value);
    }

    private static boolean needsNoEscape(char c) {
        return c >= ' ' && c < 0x7F && c != '"' && c != '\\';
    }

    private void appendCharacter(char c) {
        if (c == '"' || c == '\\') {
            line.append('\\').append(c);
        } else if (c < ' ' || c == 0x7F || (c >= 0x80 && c < 0xA0) || Character.isSurrogate(c)) {
            // Surrogates are escaped one by one, so that half a pair in a title cannot spoil the
            // file's encoding.
            line.append("\\u").append(HexFormat.of().toHexDigits(c));
        } else {
            line.append(c);
        }
    }
}
