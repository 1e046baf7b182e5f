package dev.orbweaver.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Sends one byte per second to every connection, without end. It is a separate program, so that its
 * memory and descriptors do not count as the client's.
 */
public final class SlowServer {

    private static final int BACKLOG = 4_096;
    private static final byte[] START =
            "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII);

    private SlowServer() {}

    /** Prints the port, then serves until standard input ends. */
    public static void main(String[] args) throws Exception {
        try (var server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
            server.configureBlocking(false);
            System.out.println(((InetSocketAddress) server.getLocalAddress()).getPort());
            serve(server);
        }
    }

    private static void serve(ServerSocketChannel server) throws Exception {
        var visitors = new ArrayList<Visitor>();
        var next = System.nanoTime();
        while (System.in.available() == 0) {
            for (var socket = server.accept(); socket != null; socket = server.accept()) {
                socket.configureBlocking(false);
                visitors.add(new Visitor(socket));
            }
            if (System.nanoTime() - next > 0) {
                next += TimeUnit.SECONDS.toNanos(1);
                visitors.removeIf(visitor -> !visitor.writeOneByte());
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private static final class Visitor {
        private final SocketChannel socket;
        private int bytesWritten;

        Visitor(SocketChannel socket) {
            this.socket = socket;
        }

        boolean writeOneByte() {
            var next = bytesWritten < START.length ? START[bytesWritten] : (byte) 'x';
            try {
                bytesWritten += socket.write(ByteBuffer.wrap(new byte[] {next}));
                return true;
            } catch (IOException gone) {
                return false;
            }
        }
    }
}
