package dev.orbweaver.fleet.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A proxy between a worker and Redis that drops a reply on command. */
public final class CuttingProxy implements AutoCloseable {

    private final ServerSocket server;
    private final int target;
    private final AtomicInteger dropAfter = new AtomicInteger(-1);
    private final AtomicBoolean shut = new AtomicBoolean();
    private final Queue<Socket> open = new ConcurrentLinkedQueue<>();

    /** Starts to forward connections to a port of this machine. */
    public CuttingProxy(int target) throws IOException {
        this.target = target;
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::serve);
    }

    /** Returns the port on which it listens. */
    public String uri() {
        return "redis://127.0.0.1:" + server.getLocalPort();
    }

    /** Drops the next reply and closes its connection. */
    public void dropNextReply() {
        dropReplyAfter(0);
    }

    /** Forwards this many replies and drops the next one. */
    void dropReplyAfter(int others) {
        dropAfter.set(others);
    }

    /** Returns whether a reply is still to be dropped. */
    boolean armed() {
        return dropAfter.get() >= 0;
    }

    /** Closes all connections, and accepts none until it is opened again. */
    public void shut(boolean closed) throws IOException {
        shut.set(closed);
        for (var socket = open.poll(); socket != null; socket = open.poll()) {
            socket.close();
        }
    }

    /** Ends all connections with a reset instead of an orderly end. */
    void reset() throws IOException {
        for (var socket : open) {
            socket.setSoLinger(true, 0);
        }
        shut(false);
    }

    private void serve() {
        try {
            while (true) {
                var client = server.accept();
                if (shut.get()) {
                    client.close();
                    continue;
                }
                connect(client);
            }
        } catch (IOException e) {
            // It was closed.
        }
    }

    private void connect(Socket client) throws IOException {
        try {
            var redis = new Socket(InetAddress.getLoopbackAddress(), target);
            open.add(client);
            open.add(redis);
            Thread.ofVirtual().start(() -> pump(client, redis, false));
            Thread.ofVirtual().start(() -> pump(redis, client, true));
        } catch (IOException e) {
            client.close(); // No server: the client must see the connection end.
        }
    }

    private void pump(Socket from, Socket to, boolean answers) {
        try (from;
                to) {
            copy(from.getInputStream(), to.getOutputStream(), answers);
        } catch (IOException e) {
            // One side is closed, so the other is closed too.
        }
    }

    private void copy(InputStream in, OutputStream out, boolean answers) throws IOException {
        var buffer = new byte[65_536];
        for (var read = in.read(buffer); read > 0; read = in.read(buffer)) {
            if (answers && dropAfter.get() >= 0 && dropAfter.getAndDecrement() == 0) {
                return;
            }
            out.write(buffer, 0, read);
            out.flush();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        shut(true);
    }
}
