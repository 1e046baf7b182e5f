package dev.orbweaver.internal.fetch;

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
    public interface ConnectionHandler {
        void handle(ClientConnection clientConnection) throws IOException, InterruptedException;
    }

    /** One connection, seen from the server. */
    public record ClientConnection(Socket socket, int number, List<String> requests) {

        /** Waits for a whole request head; false when the client has closed. */
        public boolean readRequest() throws IOException {
            return !nextRequest().isEmpty();
        }

        /** The next whole request head; empty when the client has closed. */
        public String nextRequest() throws IOException {
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
        public void awaitRequest() throws IOException {
            if (!readRequest()) {
                throw new EOFException("the client has closed");
            }
        }

        public void send(String text) throws IOException {
            send(text.getBytes(ISO_8859_1));
        }

        public void send(byte[] bytes) throws IOException {
            OutputStream out = socket.getOutputStream();
            out.write(bytes);
            out.flush();
        }

        /** Answers every request of this connection alike. */
        public void respondToAll(String answer) throws IOException {
            while (readRequest()) {
                send(answer);
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

    public static TestServer start(ConnectionHandler connectionHandler) throws IOException {
        return start(
                new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress()), connectionHandler);
    }

    public static TestServer start(ServerSocket socket, ConnectionHandler connectionHandler) {
        var server = new TestServer(socket);
        Thread.startVirtualThread(() -> server.accept(connectionHandler));
        return server;
    }

    private void accept(ConnectionHandler connectionHandler) {
        while (!server.isClosed()) {
            try {
                var socket = server.accept();
                sockets.add(socket);
                var clientConnection =
                        new ClientConnection(socket, connections.incrementAndGet(), requests);
                Thread.startVirtualThread(() -> serve(clientConnection, connectionHandler));
            } catch (IOException closed) {
                return; // The test is over.
            }
        }
    }

    private void serve(ClientConnection clientConnection, ConnectionHandler connectionHandler) {
        try (var _ = clientConnection.socket()) {
            connectionHandler.handle(clientConnection);
        } catch (IOException | InterruptedException gone) {
            // The client may leave whenever it likes; what matters is what it makes of it.
        } finally {
            sockets.remove(clientConnection.socket());
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
