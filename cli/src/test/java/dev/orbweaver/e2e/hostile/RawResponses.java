package dev.orbweaver.e2e.hostile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.fetch.TestServer;
import dev.orbweaver.internal.fetch.TestServer.ClientConnection;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** HTTP responses as bytes, well-formed unless a host makes them otherwise. */
final class RawResponses {

    static final byte[] MISSING = of("404 Not Found", "text/plain", "", "not here".getBytes(UTF_8));

    /** A response for a path; MISSING for one that does not exist. */
    interface PathResponder {
        byte[] respond(String path, String host) throws IOException, InterruptedException;
    }

    /** Takes over a connection after a request for something other than robots.txt. */
    interface RawResponder {
        void serve(ClientConnection clientConnection, String path)
                throws IOException, InterruptedException;
    }

    private RawResponses() {}

    /** Serves paths, each connection for as long as the client keeps it. */
    static TestServer.ConnectionHandler site(PathResponder pathResponder) {
        return clientConnection -> {
            for (var head = clientConnection.nextRequest();
                    !head.isEmpty();
                    head = clientConnection.nextRequest()) {
                clientConnection.send(pathResponder.respond(path(head), host(head)));
            }
        };
    }

    /** Has no robots.txt, and leaves everything else to the host. */
    static TestServer.ConnectionHandler raw(RawResponder rawResponder) {
        return clientConnection -> {
            for (var head = clientConnection.nextRequest();
                    !head.isEmpty();
                    head = clientConnection.nextRequest()) {
                var path = path(head);
                if (path.equals("/robots.txt")) {
                    clientConnection.send(MISSING);
                } else {
                    rawResponder.serve(clientConnection, path);
                    return;
                }
            }
        };
    }

    /** One document at the front, and nothing else. */
    static TestServer.ConnectionHandler front(byte[] reply) {
        return site((path, _) -> path.equals("/") ? reply : MISSING);
    }

    static byte[] html(String text) {
        return of("200 OK", "text/html; charset=utf-8", "", text.getBytes(UTF_8));
    }

    static byte[] of(String status, String type, String fields, byte[] body) {
        var out = new ByteArrayOutputStream();
        out.writeBytes(
                ("HTTP/1.1 "
                                + status
                                + "\r\nContent-Type: "
                                + type
                                + "\r\nContent-Length: "
                                + body.length
                                + "\r\n"
                                + fields
                                + "\r\n")
                        .getBytes(ISO_8859_1));
        out.writeBytes(body);
        return out.toByteArray();
    }

    private static String path(String head) {
        var from = head.indexOf(' ') + 1;
        var to = head.indexOf(' ', from);
        return from > 0 && to > 0 ? head.substring(from, to) : "";
    }

    private static String host(String head) {
        var from = head.toLowerCase(java.util.Locale.ROOT).indexOf("\r\nhost:");
        return from < 0 ? "" : head.substring(from + 7, head.indexOf("\r\n", from + 2)).strip();
    }
}
