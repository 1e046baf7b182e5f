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

/** A server on loopback that handles each connection as the test defines, on a virtual thread. */
public final class TestServer implements AutoCloseable {

    /** Handles one connection, which is closed afterwards. */
    public interface ConnectionHandler {
        void handle(ClientConnection clientConnection) throws IOException, InterruptedException;
    }

    /** One connection, seen from the server. */
    public record ClientConnection(Socket socket, int number, List<String> requests) {

        /** Waits for a complete request head; returns false if the client has closed. */
        public boolean readRequest() throws IOException {
            return !nextRequest().isEmpty();
        }

        /** Returns the next complete request head; empty if the client has closed. */
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

        /** Waits for a complete request head. */
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

        /** Sends the same response to every request of this connection. */
        public void respondToAll(String response) throws IOException {
            while (readRequest()) {
                send(response);
            }
        }

        /** Closes with a reset instead of an orderly shutdown. */
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
            // The client may disconnect at any time; the test checks its result.
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
