package dev.orbweaver.internal.fetch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.internal.fetch.ResponseReader.BadResponseException;
import dev.orbweaver.model.FailureCause;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;

import java.util.Locale;
import java.util.Set;

/**
 * Converts heads between HTTP/2 fields and HTTP/1.1 text (RFC 9113, section 8.3). The text is what
 * the archive stores and what {@link ResponseReader} parses, so both versions have the same limits
 * and the same readers.
 */
final class Http2Heads {

    /** Fields of requests that may enter the header table: equal in all requests to a server. */
    private static final Set<String> INDEXED =
            Set.of(":method", ":scheme", ":authority", "user-agent", "accept", "accept-encoding");

    /**
     * Fields that a response must not have (section 8.2.2): they describe an HTTP/1.1 connection.
     */
    private static final Set<String> CONNECTION_SPECIFIC =
            Set.of("connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade");

    private static final String STATUS = ":status";
    private static final String TOKEN_CHARS = "!#$%&'*+-.^_`|~";
    private static final int SIZE_HINT = 16;

    private Http2Heads() {}

    /**
     * Returns whether a field must never be in the table of the compression: secrets, and values
     * that are not repeated.
     */
    static boolean isNeverIndexed(CharSequence name, CharSequence value) {
        return !INDEXED.contains(name.toString());
    }

    /** Returns the fields of a request head that {@link RequestHeadWriter} wrote. */
    static Http2Headers request(byte[] head) {
        var text = new String(head, ISO_8859_1);
        var end = text.indexOf("\r\n");
        var headers = new DefaultHttp2Headers(false, SIZE_HINT);
        var method = text.indexOf(' ');
        headers.method(text.substring(0, method));
        headers.scheme("https");
        headers.path(text.substring(method + 1, text.lastIndexOf(' ', end)));
        for (var start = end + 2; start < text.length() - 2; start = end + 2) {
            end = text.indexOf("\r\n", start);
            var colon = text.indexOf(':', start);
            var name = text.substring(start, colon).toLowerCase(Locale.ROOT);
            var value = text.substring(colon + 2, end);
            if (name.equals("host")) {
                headers.authority(value);
            } else {
                headers.add(name, value);
            }
        }
        return headers;
    }

    /**
     * Returns a response head as HTTP/1.1 text: the status line without a reason, then the fields
     * in their order, with their names in lower case.
     *
     * @throws BadResponseException if HTTP/2 forbids the head, or it has no equal in HTTP/1.1
     */
    static byte[] response(Http2Headers headers) throws BadResponseException {
        var head = new StringBuilder(512).append("HTTP/1.1 ").append(status(headers));
        head.append(" \r\n");
        for (var field : headers) {
            var name = field.getKey().toString();
            if (name.equals(STATUS)) {
                continue;
            }
            checkName(name);
            head.append(name).append(": ");
            appendValue(head, name, field.getValue());
            head.append("\r\n");
        }
        return head.append("\r\n").toString().getBytes(ISO_8859_1);
    }

    private static CharSequence status(Http2Headers headers) throws BadResponseException {
        var all = headers.getAll(STATUS);
        if (all.size() != 1 || !isStatus(all.getFirst())) {
            throw malformed("missing or invalid :status");
        }
        return all.getFirst();
    }

    private static boolean isStatus(CharSequence text) {
        return text.length() == 3
                && text.charAt(0) != '0'
                && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static void checkName(String name) throws BadResponseException {
        for (var i = 0; i < name.length(); i++) {
            var c = name.charAt(i);
            var plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
            if (!plain && TOKEN_CHARS.indexOf(c) < 0) {
                throw malformed("invalid header name " + LogText.sanitize(name));
            }
        }
        if (name.isEmpty() || CONNECTION_SPECIFIC.contains(name)) {
            throw malformed(
                    name.isEmpty() ? "empty header name" : "header field " + name + " in HTTP/2");
        }
    }

    private static void appendValue(StringBuilder head, String name, CharSequence value)
            throws BadResponseException {
        for (var i = 0; i < value.length(); i++) {
            var c = value.charAt(i);
            if (c == '\r' || c == '\n' || c == 0) {
                throw malformed("line end or NUL in the header field " + name);
            }
            head.append(c);
        }
    }

    private static BadResponseException malformed(String what) {
        return new BadResponseException(FailureCause.MALFORMED, what);
    }
}
