package dev.orbweaver.model;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A response's status line and header fields as the bytes that were sent, up to and including the
 * empty line, as an archive needs them. Few fields are ever read, so a look-up scans the bytes.
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

    public int status() {
        return status;
    }

    /** The first value of a field, trimmed. */
    public Optional<String> field(String name) {
        var all = fields(name);
        return all.isEmpty() ? Optional.empty() : Optional.of(all.getFirst());
    }

    /** Every value of a field, trimmed, in order; folded lines joined (RFC 9112, section 5.2). */
    public List<String> fields(String name) {
        var found = new ArrayList<String>(1);
        var start = lineEnd(0) + 1;
        while (start < raw.length) {
            var end = lineEnd(start);
            if (named(start, end, name)) {
                var next = end + 1;
                while (folded(next)) {
                    next = lineEnd(next) + 1;
                }
                found.add(value(start + name.length() + 1, end, next));
            }
            start = end + 1;
        }
        return found;
    }

    /** The media type (Fetch standard, "extract a MIME type") without parameters, or empty. */
    public String mediaType() {
        return MediaTypes.lastOf(fields("content-type"));
    }

    private boolean folded(int start) {
        return start < raw.length && (raw[start] == ' ' || raw[start] == '\t');
    }

    private String value(int start, int end, int next) {
        if (next == end + 1) {
            return text(start, end);
        }
        var whole = new StringBuilder(text(start, end));
        for (var from = end + 1; from < next; from = lineEnd(from) + 1) {
            whole.append(' ').append(text(from, lineEnd(from)));
        }
        return whole.toString().strip();
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

    /** Trimmed of HTTP white space. */
    private String text(int start, int end) {
        var first = start;
        var last = end;
        while (first < last && space(raw[first])) {
            first++;
        }
        while (last > first && space(raw[last - 1])) {
            last--;
        }
        return new String(raw, first, last - first, StandardCharsets.ISO_8859_1);
    }

    private static boolean space(byte b) {
        return b == ' ' || b == '\t' || b == '\r';
    }
}
