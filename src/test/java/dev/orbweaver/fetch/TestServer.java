package dev.orbweaver.fetch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A server on loopback that does to each connection whatever a test says, on a virtual thread. */
public final class TestServer implements AutoCloseable {

    /** What is done to one connection; it is closed afterwards. */
    public interface Talk {
        void with(Visitor visitor) throws IOException, InterruptedException;
    }

    /** One connection, seen from the server. */
    public record Visitor(Socket socket, int number, List<String> requests) {

        /** Waits for a whole request head; false when the client has closed. */
        public boolean asked() throws IOException {
            return !next().isEmpty();
        }

        /** The next whole request head; empty when the client has closed. */
        public String next() throws IOException {
            var head = new StringBuilder();
            InputStream in = socket.getInputStream();
            while (head.indexOf("\r\n\r\n") < 0) {
                var next = in.read();
                if (next < 0) {
                    return "";
                }
                head.append((char) next);
            }
            requests.add(head.toString());
            return head.toString();
        }

        /** Waits for a whole request head. */
        public void ask() throws IOException {
            if (!asked()) {
                throw new EOFException("the client has closed");
            }
        }

        public void say(String text) throws IOException {
            say(text.getBytes(ISO_8859_1));
        }

        public void say(byte[] bytes) throws IOException {
            OutputStream out = socket.getOutputStream();
            out.write(bytes);
            out.flush();
        }

        /** Answers every request of this connection alike. */
        public void always(String answer) throws IOException {
            while (asked()) {
                say(answer);
            }
        }

        /** Closes with a reset instead of an orderly end. */
        public void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }

        /** Reads until the client closes. */
        public void waitForClose() throws IOException {
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        }
    }

    private final ServerSocket server;
    private final AtomicInteger connections = new AtomicInteger();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    private TestServer(ServerSocket server) {
        this.server = server;
    }

    public static TestServer start(Talk talk) throws IOException {
        return start(new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress()), talk);
    }

    public static TestServer start(ServerSocket socket, Talk talk) {
        var server = new TestServer(socket);
        Thread.startVirtualThread(() -> server.accept(talk));
        return server;
    }

    private void accept(Talk talk) {
        while (!server.isClosed()) {
            try {
                var socket = server.accept();
                sockets.add(socket);
                var visitor = new Visitor(socket, connections.incrementAndGet(), requests);
                Thread.startVirtualThread(() -> serve(visitor, talk));
            } catch (IOException closed) {
                return; // The test is over.
            }
        }
    }

    private void serve(Visitor visitor, Talk talk) {
        try (var _ = visitor.socket()) {
            talk.with(visitor);
        } catch (IOException | InterruptedException gone) {
            // The client may leave whenever it likes; what matters is what it makes of it.
        } finally {
            sockets.remove(visitor.socket());
        }
    }

    public int port() {
        return server.getLocalPort();
    }

    public int connections() {
        return connections.get();
    }

    public List<String> requests() {
        return requests;
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (var socket : sockets) {
            socket.close();
        }
    }
}
