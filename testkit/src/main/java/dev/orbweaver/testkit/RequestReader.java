package dev.orbweaver.testkit;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * Parses HTTP/1.1 request heads (RFC 9112), limited to what the simulated web needs, so that
 * requests are cheap; anything else closes the connection.
 */
final class RequestReader {

    private static final int HEAD_BYTES_MAX = 16_384;

    private byte[] bytes = new byte[1_024];
    private int length;

    /** A parsed request. Methods other than GET and HEAD are not distinguished. */
    record Request(
            Method method,
            String target,
            String host,
            boolean gzip,
            boolean keepAlive,
            String ifNoneMatch,
            String ifModifiedSince) {}

    enum Method {
        GET,
        HEAD,
        OTHER
    }

    /** Adds bytes; returns false if the head is too long. */
    boolean add(ByteBuf more) {
        var count = more.readableBytes();
        if (length + count > HEAD_BYTES_MAX) {
            return false;
        }
        if (length + count > bytes.length) {
            bytes = Arrays.copyOf(bytes, HEAD_BYTES_MAX);
        }
        more.readBytes(bytes, length, count);
        length += count;
        return true;
    }

    /** Returns the next request; null until its head is complete. */
    @Nullable Request next() throws MalformedRequestException {
        for (var end = 3; end < length; end++) {
            if (bytes[end] == '\n'
                    && bytes[end - 1] == '\r'
                    && bytes[end - 2] == '\n'
                    && bytes[end - 3] == '\r') {
                var head = new String(bytes, 0, end - 1, StandardCharsets.ISO_8859_1);
                length -= end + 1;
                System.arraycopy(bytes, end + 1, bytes, 0, length);
                return parse(head);
            }
        }
        return null;
    }

    static final class MalformedRequestException extends Exception {
        MalformedRequestException(String head) {
            super("not a request: " + head);
        }
    }

    private static Request parse(String head) throws MalformedRequestException {
        var lineEnd = head.indexOf("\r\n");
        var targetStart = head.indexOf(' ') + 1;
        var targetEnd = head.indexOf(' ', targetStart);
        if (targetStart < 2 || targetEnd <= targetStart || targetEnd > lineEnd) {
            throw new MalformedRequestException(head);
        }
        var host = "";
        var gzip = false;
        var keepsAlive = head.startsWith("HTTP/1.1", targetEnd + 1);
        var ifNoneMatch = "";
        var ifModifiedSince = "";
        for (var at = lineEnd + 2; at < head.length(); ) {
            var end = head.indexOf("\r\n", at);
            var colon = head.indexOf(':', at);
            if (colon < 0 || colon > end) {
                throw new MalformedRequestException(head);
            }
            switch (colon - at) {
                case 4 -> host = value(head, at, colon, end, "Host", host);
                case 10 -> {
                    var value = value(head, at, colon, end, "Connection", "");
                    keepsAlive &= !value.toLowerCase(Locale.ROOT).contains("close");
                }
                case 13 -> ifNoneMatch = value(head, at, colon, end, "If-None-Match", ifNoneMatch);
                case 15 ->
                        gzip |= value(head, at, colon, end, "Accept-Encoding", "").contains("gzip");
                case 17 ->
                        ifModifiedSince =
                                value(head, at, colon, end, "If-Modified-Since", ifModifiedSince);
                default -> {
                    // No other field affects the response.
                }
            }
            at = end + 2;
        }
        return new Request(
                method(head, targetStart - 1),
                head.substring(targetStart, targetEnd),
                host,
                gzip,
                keepsAlive,
                ifNoneMatch,
                ifModifiedSince);
    }

    private static Method method(String head, int length) {
        if (length == 3 && head.startsWith("GET")) {
            return Method.GET;
        }
        return length == 4 && head.startsWith("HEAD") ? Method.HEAD : Method.OTHER;
    }

    /** Returns the value if the current line is that field; names are case-insensitive. */
    private static String value(
            String head, int at, int colon, int end, String name, String otherwise) {
        return head.regionMatches(true, at, name, 0, name.length())
                ? head.substring(colon + 1, end).strip()
                : otherwise;
    }
}
