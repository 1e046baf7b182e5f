package dev.orbweaver.testkit;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A response before it is encoded.
 *
 * @param fields header fields except those for message framing
 * @param body the body in its content coding
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record WireResponse(
        int status, List<String> fields, byte[] body, Framing framing, int latencyMillis) {

    private static final int CHUNK_BYTES = 1_500;

    /** How the end of the body is indicated. */
    enum Framing {
        LENGTH,
        CHUNKED,
        /** Content-Length, and the connection is closed after the body. */
        LENGTH_THEN_CLOSE,
        /** No length: the body ends when the connection is closed. */
        UNTIL_CLOSE,
        /** A Content-Length of twice the bytes that are sent before the connection is closed. */
        TRUNCATED,
        /** No response: the connection is closed. */
        NO_RESPONSE
    }

    static WireResponse closedConnection() {
        return new WireResponse(0, List.of(), new byte[0], Framing.NO_RESPONSE, 0);
    }

    /** Returns a 304 response with the fields that update a cache (RFC 9110, section 15.4.5). */
    static WireResponse notModified(List<String> fields) {
        return new WireResponse(304, fields, new byte[0], Framing.LENGTH, 0);
    }

    WireResponse withFields(List<String> more) {
        var all = new ArrayList<>(fields);
        all.addAll(more);
        return new WireResponse(status, all, body, framing, latencyMillis);
    }

    static WireResponse of(int status, String type, byte[] body) {
        return new WireResponse(status, List.of("Content-Type: " + type), body, Framing.LENGTH, 0);
    }

    static WireResponse error(int status) {
        var text = "<!DOCTYPE html><title>" + status + "</title><h1>" + reason(status) + "</h1>\n";
        return of(status, "text/html; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }

    static WireResponse redirect(int status, String location) {
        var fields = List.of("Content-Type: text/plain", "Location: " + location);
        var body = "Elsewhere.\n".getBytes(StandardCharsets.UTF_8);
        return new WireResponse(status, fields, body, Framing.LENGTH, 0);
    }

    WireResponse withFraming(Framing other) {
        return new WireResponse(status, fields, body, other, latencyMillis);
    }

    /** Compresses the body if the client accepts gzip. */
    WireResponse withGzip(boolean gzip) {
        if (!gzip) {
            return this;
        }
        var packed = new ArrayList<>(fields);
        packed.add("Content-Encoding: gzip");
        packed.add("Vary: Accept-Encoding");
        return new WireResponse(status, packed, Gzip.compress(body), framing, latencyMillis);
    }

    WireResponse withLatency(int millis) {
        return new WireResponse(status, fields, body, framing, millis);
    }

    /** Whether the response is not truncated. */
    boolean isComplete() {
        return framing != Framing.TRUNCATED && framing != Framing.NO_RESPONSE;
    }

    boolean closesConnection() {
        return switch (framing) {
            case LENGTH, CHUNKED -> false;
            case LENGTH_THEN_CLOSE, UNTIL_CLOSE, TRUNCATED, NO_RESPONSE -> true;
        };
    }

    /** Encodes the response as HTTP/1.1 (RFC 9112). */
    byte[] toBytes() {
        if (framing == Framing.NO_RESPONSE) {
            return body;
        }
        var head = new StringBuilder(256);
        head.append("HTTP/1.1 ").append(status).append(' ').append(reason(status)).append("\r\n");
        head.append("Server: lab\r\n");
        for (var field : fields) {
            head.append(field).append("\r\n");
        }
        switch (framing) {
            case LENGTH, LENGTH_THEN_CLOSE -> {
                // A 304 has no body; a Content-Length would be that of the 200 response.
                if (status != 304) {
                    head.append("Content-Length: ").append(body.length).append("\r\n");
                }
            }
            case TRUNCATED ->
                    head.append("Content-Length: ").append(2L * body.length).append("\r\n");
            case CHUNKED -> head.append("Transfer-Encoding: chunked\r\n");
            case UNTIL_CLOSE, NO_RESPONSE -> {
                // No framing field: RFC 9112, section 6.3, rule 8.
            }
        }
        if (framing == Framing.LENGTH_THEN_CLOSE || framing == Framing.UNTIL_CLOSE) {
            head.append("Connection: close\r\n");
        }
        var out = new ByteArrayOutputStream(body.length + 512);
        out.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
        if (framing == Framing.CHUNKED) {
            writeChunks(out);
        } else {
            out.writeBytes(body);
        }
        return out.toByteArray();
    }

    private void writeChunks(ByteArrayOutputStream out) {
        for (var from = 0; from < body.length; from += CHUNK_BYTES) {
            var length = Math.min(CHUNK_BYTES, body.length - from);
            out.writeBytes(ascii(Integer.toHexString(length) + "\r\n"));
            out.write(body, from, length);
            out.writeBytes(ascii("\r\n"));
        }
        out.writeBytes(ascii("0\r\n\r\n"));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String reason(int status) {
        return switch (status) {
            case 200 -> "OK";
            case 301 -> "Moved Permanently";
            case 302 -> "Found";
            case 307 -> "Temporary Redirect";
            case 308 -> "Permanent Redirect";
            case 304 -> "Not Modified";
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 410 -> "Gone";
            case 421 -> "Misdirected Request";
            case 429 -> "Too Many Requests";
            case 500 -> "Internal Server Error";
            case 503 -> "Service Unavailable";
            default -> throw new IllegalArgumentException("unexpected status " + status);
        };
    }
}
