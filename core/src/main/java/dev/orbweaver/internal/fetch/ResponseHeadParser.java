package dev.orbweaver.internal.fetch;

import dev.orbweaver.internal.fetch.ResponseReader.BadResponseException;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.ResponseHead;

import java.util.List;
import java.util.OptionalLong;

/** Parses the lines of a response head (RFC 9110, RFC 9112). Pure functions. */
final class ResponseHeadParser {

    private static final int LENGTH_DIGITS_MAX = 18;
    private static final int CHUNK_DIGITS_MAX = 15;

    private ResponseHeadParser() {}

    /** Returns the status code of a status line, which must be {@code HTTP/1.x NNN}. */
    static int status(byte[] head) throws BadResponseException {
        if (head.length < 13
                || head[0] != 'H'
                || head[1] != 'T'
                || head[2] != 'T'
                || head[3] != 'P'
                || head[4] != '/'
                || head[5] != '1'
                || head[6] != '.'
                || !isDigit(head[7])
                || head[8] != ' ') {
            throw malformed("missing HTTP/1 status line");
        }
        var ends = head[12] == ' ' || head[12] == '\r' || head[12] == '\n';
        if (!isDigit(head[9])
                || !isDigit(head[10])
                || !isDigit(head[11])
                || !ends
                || head[9] == '0') {
            throw malformed("missing status code");
        }
        return (head[9] - '0') * 100 + (head[10] - '0') * 10 + head[11] - '0';
    }

    /**
     * Checks that every line after the first is a field: a name without spaces and control
     * characters, then a colon, and no NUL anywhere. A line that begins with white space continues
     * the field before it (obsolete folding, RFC 9112 section 5.2).
     */
    static void checkFields(byte[] head) throws BadResponseException {
        var inName = false;
        var firstLine = true;
        for (var i = 0; i < head.length; i++) {
            var b = head[i];
            if (b == 0) {
                throw malformed("NUL in the head");
            }
            if (b == '\n') {
                if (inName) {
                    throw malformed("header line without a colon");
                }
                inName = beginsField(i + 1 < head.length ? head[i + 1] : '\n', firstLine);
                firstLine = false;
            } else if (inName && b == ':') {
                inName = false;
            } else if (inName && (b <= ' ' || b == 127)) {
                throw malformed("space or control character in a header name");
            }
        }
    }

    private static boolean beginsField(int first, boolean afterStatusLine)
            throws BadResponseException {
        var folded = first == ' ' || first == '\t';
        if (folded && afterStatusLine) {
            throw malformed("white space before the first header");
        }
        return !folded && first != '\r' && first != '\n';
    }

    /** Returns whether the body is chunked; any other transfer coding is an error. */
    static boolean isChunked(ResponseHead head) throws BadResponseException {
        var codings = head.fields("transfer-encoding");
        if (codings.isEmpty()) {
            return false;
        }
        if (codings.size() > 1 || !codings.getFirst().equalsIgnoreCase("chunked")) {
            throw malformed("unsupported transfer coding " + LogText.sanitize(codings.toString()));
        }
        return true;
    }

    /**
     * Returns the length as defined by the Fetch standard: the value may be repeated but not
     * contradicted. A value that is not a number counts as missing, as in browsers, which read
     * until the connection is closed. RFC 9112 (section 6.3) would discard the response to guard
     * against a smuggled second one, which cannot follow on a connection that ends with the first.
     */
    static OptionalLong contentLength(ResponseHead head) throws BadResponseException {
        var fields = head.fields("content-length");
        if (fields.isEmpty()) {
            return OptionalLong.empty();
        }
        var values = String.join(",", fields).split(",", -1);
        var first = values[0].strip();
        for (var value : values) {
            if (!value.strip().equals(first)) {
                throw malformed("conflicting Content-Length values");
            }
        }
        return length(first);
    }

    private static OptionalLong length(String value) {
        if (value.isEmpty() || !value.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return OptionalLong.empty();
        }
        var significant = 0;
        while (significant < value.length() - 1 && value.charAt(significant) == '0') {
            significant++;
        }
        // Beyond the range of a long the exact value does not matter, because the body is truncated
        // much earlier (RFC 9110, section 8.6, requires overflows to be harmless).
        return OptionalLong.of(
                value.length() - significant > LENGTH_DIGITS_MAX
                        ? Long.MAX_VALUE
                        : Long.parseLong(value, significant, value.length(), 10));
    }

    /** Returns whether a length is present, even if it is not a number. */
    static boolean hasContentLength(ResponseHead head) {
        return !head.fields("content-length").isEmpty();
    }

    /** Returns the hexadecimal size of a chunk, without its extensions. */
    static long chunkSize(CharSequence line) throws BadResponseException {
        var text = line.toString();
        var semicolon = text.indexOf(';');
        var end = semicolon < 0 ? text.length() : semicolon;
        while (end > 0 && (text.charAt(end - 1) == ' ' || text.charAt(end - 1) == '\t')) {
            end--;
        }
        var digits = text.substring(0, end);
        if (digits.isEmpty()
                || digits.length() > CHUNK_DIGITS_MAX
                || !digits.chars().allMatch(c -> Character.digit(c, 16) >= 0 && c < 128)) {
            throw malformed("invalid chunk size " + LogText.sanitize(digits));
        }
        return Long.parseLong(digits, 16);
    }

    /**
     * Returns whether the server keeps the connection open (RFC 9112, section 9.3). The framing of
     * a chunked HTTP/1.0 response is unreliable (section 6.1).
     */
    static boolean isKeepAlive(ResponseHead head) {
        var options = head.fields("connection");
        if (hasOption(options, "close")) {
            return false;
        }
        var http10 = head.raw()[7] == '0';
        return !http10
                || (hasOption(options, "keep-alive") && head.fields("transfer-encoding").isEmpty());
    }

    private static boolean hasOption(List<String> fields, String wanted) {
        for (var field : fields) {
            for (var option : field.split(",", -1)) {
                if (option.strip().equalsIgnoreCase(wanted)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    private static BadResponseException malformed(String what) {
        return new BadResponseException(FailureCause.MALFORMED, what);
    }
}
