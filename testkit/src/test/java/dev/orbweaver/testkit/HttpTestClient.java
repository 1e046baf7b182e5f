package dev.orbweaver.testkit;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/** A minimal HTTP client with one connection. */
final class HttpTestClient implements AutoCloseable {

    @SuppressWarnings("ArrayRecordComponent") // Responses are never compared.
    record Response(int status, Map<String, String> fields, byte[] body, boolean complete) {

        /** Returns the value of a field; empty if absent. */
        String field(String name) {
            return fields.getOrDefault(name, "");
        }

        String text() {
            return new String(content(), StandardCharsets.UTF_8);
        }

        byte[] content() {
            if (!field("content-encoding").equals("gzip")) {
                return body;
            }
            try (var gzip = new GZIPInputStream(new ByteArrayInputStream(body))) {
                return gzip.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private final Socket socket;
    private final InputStream in;

    HttpTestClient(InetAddress address, int port) throws IOException {
        this(new Socket(address, port));
    }

    HttpTestClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(10_000);
        in = socket.getInputStream();
    }

    static Response get(SimulatedWeb web, String url) throws IOException {
        return get(web, url, "");
    }

    static Response get(SimulatedWeb web, String url, String fields) throws IOException {
        var uri = URI.create(url);
        var address = web.resolve(uri.getHost()).orElseThrow();
        try (var httpTestClient = new HttpTestClient(address, uri.getPort())) {
            httpTestClient.send(url, fields);
            return httpTestClient.receive();
        }
    }

    void send(String url, String fields) throws IOException {
        var target = url.substring(url.indexOf('/', "http://".length()));
        sendTarget(URI.create(url).getAuthority(), target, fields);
    }

    void sendTarget(String authority, String target, String fields) throws IOException {
        sendMethod("GET", authority, target, fields);
    }

    void sendMethod(String method, String authority, String target, String fields)
            throws IOException {
        var request = method + " " + target + " HTTP/1.1\r\nHost: " + authority + "\r\n" + fields;
        sendPart(request + "\r\n");
    }

    void sendPart(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    Response receive() throws IOException {
        return receive(true);
    }

    /** Reads a response with its body, or the head alone if it has none. */
    Response receive(boolean withBody) throws IOException {
        var status = Integer.parseInt(line().substring("HTTP/1.1 ".length()).substring(0, 3));
        var fields = new HashMap<String, String>();
        for (var line = line(); !line.isEmpty(); line = line()) {
            var colon = line.indexOf(':');
            fields.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        if (fields.containsKey("transfer-encoding")) {
            return new Response(status, fields, chunks(), true);
        }
        if (status == 304 || !withBody) {
            return new Response(status, fields, new byte[0], true);
        }
        if (!fields.containsKey("content-length")) {
            return new Response(status, fields, in.readAllBytes(), true);
        }
        var length = Integer.parseInt(fields.getOrDefault("content-length", "0"));
        var body = in.readNBytes(length);
        return new Response(status, fields, body, body.length == length);
    }

    boolean atEnd() throws IOException {
        return in.read() < 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private byte[] chunks() throws IOException {
        var body = new ByteArrayOutputStream();
        for (var length = chunkLength(); length > 0; length = chunkLength()) {
            body.writeBytes(in.readNBytes(length));
            endOfChunk();
        }
        endOfChunk();
        return body.toByteArray();
    }

    private void endOfChunk() throws IOException {
        if (!line().isEmpty()) {
            throw new IOException("a chunk is longer than its size");
        }
    }

    private int chunkLength() throws IOException {
        return Integer.parseInt(line(), 16);
    }

    private String line() throws IOException {
        var line = new StringBuilder();
        for (var c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("the connection ended inside a line: " + line);
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }
}
