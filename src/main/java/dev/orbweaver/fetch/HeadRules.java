package dev.orbweaver.fetch;

import dev.orbweaver.fetch.ResponseReader.BadResponse;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.ResponseHead;

import java.util.Locale;
import java.util.OptionalLong;

/** What RFC 9110 and RFC 9112 say about the lines of a head. Pure functions. */
final class HeadRules {

    private static final int LENGTH_DIGITS_MAX = 18;
    private static final int CHUNK_DIGITS_MAX = 15;

    private HeadRules() {}

    /** The status code of a status line, which must read {@code HTTP/1.x NNN}. */
    static int status(byte[] head) throws BadResponse {
        if (head.length < 13
                || head[0] != 'H'
                || head[1] != 'T'
                || head[2] != 'T'
                || head[3] != 'P'
                || head[4] != '/'
                || head[5] != '1'
                || head[6] != '.'
                || !digit(head[7])
                || head[8] != ' ') {
            throw malformed("no HTTP/1 status line");
        }
        var ends = head[12] == ' ' || head[12] == '\r' || head[12] == '\n';
        if (!digit(head[9]) || !digit(head[10]) || !digit(head[11]) || !ends || head[9] == '0') {
            throw malformed("no status code");
        }
        return (head[9] - '0') * 100 + (head[10] - '0') * 10 + head[11] - '0';
    }

    /**
     * Every line after the first must be a field: a name of token characters, then a colon, and no
     * NUL anywhere.
     */
    static void checkFields(byte[] head) throws BadResponse {
        var inName = false;
        var skipping = true;
        for (var i = 0; i < head.length; i++) {
            var b = head[i];
            if (b == 0) {
                throw malformed("a NUL in the head");
            }
            if (b == '\n') {
                if (inName) {
                    throw malformed("a header line without a colon");
                }
                var next = i + 1 < head.length ? head[i + 1] : '\n';
                // A line that begins with white space goes on with the field before it (obsolete
                // folding).
                skipping = next == '\r' || next == '\n' || next == ' ' || next == '\t';
                inName = !skipping;
            } else if (inName && b == ':') {
                inName = false;
                skipping = true;
            } else if (inName && (b <= ' ' || b == 127)) {
                throw malformed("a header name with a space or control character");
            }
        }
    }

    /**
     * Whether the body comes in chunks. Any other transfer coding was not asked for and cannot be
     * read.
     */
    static boolean chunked(ResponseHead head) throws BadResponse {
        var codings = head.fields("transfer-encoding");
        if (codings.isEmpty()) {
            return false;
        }
        if (codings.size() > 1 || !codings.getFirst().equalsIgnoreCase("chunked")) {
            throw malformed("transfer coding " + Text.harmless(codings.toString()));
        }
        return true;
    }

    /** The length given, which may be repeated but not contradicted (RFC 9110, section 8.6). */
    static OptionalLong contentLength(ResponseHead head) throws BadResponse {
        var length = OptionalLong.empty();
        for (var field : head.fields("content-length")) {
            for (var value : field.split(",", -1)) {
                var parsed = length(value.strip());
                if (length.isPresent() && length.getAsLong() != parsed) {
                    throw malformed("two different Content-Lengths");
                }
                length = OptionalLong.of(parsed);
            }
        }
        return length;
    }

    private static long length(String value) throws BadResponse {
        if (value.isEmpty()
                || value.length() > LENGTH_DIGITS_MAX
                || !value.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw malformed("Content-Length " + Text.harmless(value));
        }
        return Long.parseLong(value);
    }

    /**
     * The hexadecimal size in front of a chunk; extensions behind a semicolon mean nothing to us.
     */
    static long chunkSize(CharSequence line) throws BadResponse {
        var text = line.toString();
        var semicolon = text.indexOf(';');
        var digits = (semicolon < 0 ? text : text.substring(0, semicolon)).stripTrailing();
        if (digits.isEmpty()
                || digits.length() > CHUNK_DIGITS_MAX
                || !digits.chars().allMatch(c -> Character.digit(c, 16) >= 0 && c < 128)) {
            throw malformed("chunk size " + Text.harmless(digits));
        }
        return Long.parseLong(digits, 16);
    }

    /** Whether the server keeps the connection open (RFC 9112, section 9.3). */
    static boolean keepsAlive(ResponseHead head) {
        var http10 = head.raw()[7] == '0';
        var options = String.join(",", head.fields("connection")).toLowerCase(Locale.ROOT);
        return http10 ? options.contains("keep-alive") : !options.contains("close");
    }

    private static boolean digit(byte b) {
        return b >= '0' && b <= '9';
    }

    private static BadResponse malformed(String what) {
        return new BadResponse(FailureCause.MALFORMED, what);
    }
}
