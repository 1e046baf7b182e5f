package dev.orbweaver.model;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A response's status line and header fields, kept as the bytes that were sent (up to and including
 * the empty line) because that is what an archive must hold. Few fields of few responses are ever
 * asked for, so a look-up scans the bytes.
 */
public final class ResponseHead {

    private final byte[] raw;
    private final int status;

    /** Takes the bytes over; the caller must not change them afterwards. */
    public ResponseHead(byte[] raw, int status) {
        this.raw = raw;
        this.status = status;
    }

    /** The bytes as sent. Not to be changed. */
    public byte[] raw() {
        return raw;
    }

    /** The three-digit status code. */
    public int status() {
        return status;
    }

    /** The first value of a field, trimmed. */
    public Optional<String> field(String name) {
        var all = fields(name);
        return all.isEmpty() ? Optional.empty() : Optional.of(all.getFirst());
    }

    /** Every value of a field, trimmed, in order. */
    public List<String> fields(String name) {
        var found = new ArrayList<String>(1);
        var start = lineEnd(0) + 1;
        while (start < raw.length) {
            var end = lineEnd(start);
            if (named(start, end, name)) {
                found.add(text(start + name.length() + 1, end).strip());
            }
            start = end + 1;
        }
        return found;
    }

    /** The media type without parameters, lower-case; empty when the server named none. */
    public String mediaType() {
        var value = field("content-type").orElse("");
        var semicolon = value.indexOf(';');
        return (semicolon < 0 ? value : value.substring(0, semicolon))
                .strip()
                .toLowerCase(Locale.ROOT);
    }

    private boolean named(int start, int end, String name) {
        if (end - start <= name.length() || raw[start + name.length()] != ':') {
            return false;
        }
        for (var i = 0; i < name.length(); i++) {
            if (lower(raw[start + i]) != lower((byte) name.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static int lower(byte b) {
        return b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b;
    }

    private int lineEnd(int from) {
        var i = from;
        while (i < raw.length && raw[i] != '\n') {
            i++;
        }
        return i;
    }

    private String text(int start, int end) {
        return new String(raw, start, end - start, StandardCharsets.ISO_8859_1);
    }
}
