package dev.orbweaver.fetch;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.proxy.ProxyHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketAddress;

import javax.net.ssl.SSLException;

/**
 * A connection in the making and the first request on it. Each step leads to the next on the event
 * loop: waking the asking thread after every one, only to have it ask for the next, cost more than
 * the steps themselves.
 */
final class Dial {

    private final Transport transport;
    private final Channel channel;
    private final Connection connection;
    private final Pending pending;
    private final @Nullable ProxyHandler tunnel;
    private final @Nullable SslHandler tls;

    Dial(
            Transport transport,
            Channel channel,
            Connection connection,
            Pending pending,
            @Nullable ProxyHandler tunnel,
            @Nullable SslHandler tls) {
        this.transport = transport;
        this.channel = channel;
        this.connection = connection;
        this.pending = pending;
        this.tunnel = tunnel;
        this.tls = tls;
    }

    /** Takes the first step; on the event loop. */
    void begin(EventLoop loop, SocketAddress address) {
        pending.enter(Pending.Step.CONNECT, System.nanoTime());
        if (transport.closed()) {
            // The loop may be at its end and take no further step.
            channel.unsafe().closeForcibly();
            fail(new ConnectException("the fetcher is closed"));
            return;
        }
        channel.pipeline().addLast(transport.meter());
        if (tunnel != null) {
            channel.pipeline().addLast(tunnel);
        }
        if (tls != null) {
            channel.pipeline().addLast(tls);
        }
        channel.pipeline().addLast(connection);
        loop.register(channel).addListener(registered -> connect(registered, address));
    }

    private void connect(Future<?> registered, SocketAddress address) {
        if (registered.isSuccess()) {
            connection.watch(pending);
            channel.connect(address).addListener(this::connected);
        } else {
            channel.unsafe().closeForcibly();
            fail(registered.cause());
        }
    }

    private void connected(Future<?> connecting) {
        if (!connecting.isSuccess()) {
            end(connecting.cause());
            return;
        }
        transport.opened(channel, connection.slot());
        if (tunnel == null) {
            reached();
        } else {
            tunnel.connectFuture().addListener(this::tunnelled);
        }
    }

    private void tunnelled(Future<?> tunnelling) {
        if (tunnelling.isSuccess()) {
            reached();
        } else {
            end(tunnelling.cause());
        }
    }

    private void reached() {
        transport.made();
        if (tls == null) {
            connection.begin(pending);
        } else {
            pending.enter(Pending.Step.TLS, System.nanoTime());
            connection.watch(pending);
            tls.handshakeFuture().addListener(this::secured);
        }
    }

    private void secured(Future<?> handshake) {
        if (handshake.isSuccess()) {
            connection.begin(pending);
        } else {
            end(
                    handshake.cause() instanceof SSLException
                            ? handshake.cause()
                            : new SSLException("closed within the handshake", handshake.cause()));
        }
    }

    private void end(Throwable cause) {
        fail(cause);
        var _ = channel.close();
    }

    private void fail(Throwable cause) {
        pending.fail(cause instanceof IOException ? cause : unexpected(cause));
        connection.slot().release();
    }

    private static ConnectException unexpected(Throwable cause) {
        var wrapped = new ConnectException(Text.harmless(cause));
        wrapped.initCause(cause);
        return wrapped;
    }
}
