package dev.orbweaver.sinks;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A proxy to a server that can be cut at any byte: after a number of bytes in its direction, every
 * connection is closed, even in the middle of a message. While it is down, it accepts no
 * connection.
 */
public final class FaultProxy implements AutoCloseable {

    private final ServerSocket listener;
    private final InetSocketAddress server;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicLong bytesLeft = new AtomicLong(Long.MAX_VALUE);
    private volatile boolean down;

    /** Creates a proxy to a server. */
    public FaultProxy(InetSocketAddress server) throws IOException {
        this.server = server;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        var _ = Thread.ofVirtual().start(this::accept);
    }

    /** Returns its own address. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Cuts the connection once, after this many bytes to the server. */
    public void cutAfter(long bytes) {
        bytesLeft.set(bytes);
    }

    /** Returns whether it has been cut since that was requested. */
    public boolean isCut() {
        return bytesLeft.get() <= 0;
    }

    /** Takes the proxy down, or up again. */
    public void setDown(boolean pulled) {
        down = pulled;
        if (pulled) {
            cut();
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                var client = listener.accept();
                if (down) {
                    client.close();
                    continue;
                }
                var there = new Socket(server.getAddress(), server.getPort());
                sockets.add(client);
                sockets.add(there);
                var _ = Thread.ofVirtual().start(() -> copy(client, there, true));
                var _ = Thread.ofVirtual().start(() -> copy(there, client, false));
            } catch (IOException e) {
                // The proxy was closed, or the server is not running: the client's connection ends.
            }
        }
    }

    private void copy(Socket from, Socket to, boolean counted) {
        try (from;
                to) {
            copy(from.getInputStream(), to.getOutputStream(), counted);
        } catch (IOException e) {
            // One side is closed; close both.
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private void copy(InputStream in, OutputStream out, boolean counted) throws IOException {
        var buffer = new byte[8192];
        for (var count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            var allowed = counted ? allowed(count) : count;
            out.write(buffer, 0, allowed);
            out.flush();
            if (allowed < count) {
                cut();
                return;
            }
        }
    }

    private int allowed(int count) {
        var before =
                bytesLeft.getAndUpdate(
                        now -> now == Long.MAX_VALUE ? now : Math.max(0, now - count));
        return (int) Math.min(count, before);
    }

    private void cut() {
        for (var socket : sockets) {
            try {
                socket.close();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        cut();
    }
}
