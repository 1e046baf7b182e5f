package dev.orbweaver.model;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The status line and header fields of a response.
 *
 * <pre>{@code
 * head.field("content-language").filter(language -> language.startsWith("de"))
 * }</pre>
 *
 * <p>It holds the bytes as sent, up to and including the empty line, because a WARC file stores
 * them. Few fields are read, so a look-up scans the bytes. Safe for use by several threads.
 */
public final class ResponseHead {

    private final byte[] raw;
    private final int status;

    /** Creates a head without copying the bytes; the caller must not change them afterwards. */
    public ResponseHead(byte[] raw, int status) {
        this.raw = raw;
        this.status = status;
    }

    /** Returns the bytes as sent. They must not be changed. */
    public byte[] raw() {
        return raw;
    }

    /** Returns the HTTP status code. */
    public int status() {
        return status;
    }

    /** Returns the first value of a field, trimmed; the name is not case-sensitive. */
    public Optional<String> field(String name) {
        var all = fields(name);
        return all.isEmpty() ? Optional.empty() : Optional.of(all.getFirst());
    }

    /**
     * Returns all values of a field in order, trimmed; folded lines are joined (RFC 9112, section
     * 5.2). The name is not case-sensitive.
     */
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

    /**
     * Returns the media type (Fetch standard, "extract a MIME type") in lower case without
     * parameters, empty when there is none.
     */
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

    /** Returns the text without HTTP white space at both ends. */
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
