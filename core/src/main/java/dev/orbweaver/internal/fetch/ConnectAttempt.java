package dev.orbweaver.internal.fetch;

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
 * Opens a connection and sends its first request, each step on the event loop. Waking the
 * requesting thread after every step cost more than the steps themselves.
 */
final class ConnectAttempt {

    private final Transport transport;
    private final Channel channel;
    private final Connection connection;
    private final PendingRequest pendingRequest;
    private final @Nullable ProxyHandler tunnel;
    private final @Nullable SslHandler tls;

    ConnectAttempt(
            Transport transport,
            Channel channel,
            Connection connection,
            PendingRequest pendingRequest,
            @Nullable ProxyHandler tunnel,
            @Nullable SslHandler tls) {
        this.transport = transport;
        this.channel = channel;
        this.connection = connection;
        this.pendingRequest = pendingRequest;
        this.tunnel = tunnel;
        this.tls = tls;
    }

    /** Starts on the event loop. */
    void start(EventLoop loop, SocketAddress address) {
        pendingRequest.enterStep(PendingRequest.Step.CONNECT, System.nanoTime());
        if (transport.isClosed()) {
            // The loop may be shutting down and may not run further tasks.
            channel.unsafe().closeForcibly();
            fail(new ConnectException("the fetcher is closed"));
            return;
        }
        channel.pipeline().addLast(transport.trafficCounter());
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
            connection.armTimeout(pendingRequest);
            channel.connect(address).addListener(this::onConnected);
        } else {
            channel.unsafe().closeForcibly();
            fail(registered.cause());
        }
    }

    private void onConnected(Future<?> connecting) {
        if (!connecting.isSuccess()) {
            failAndClose(connecting.cause());
            return;
        }
        transport.trackOpen(channel, connection.slot());
        if (tunnel == null) {
            startTlsOrSend();
        } else {
            tunnel.connectFuture().addListener(this::onTunnelOpened);
        }
    }

    private void onTunnelOpened(Future<?> tunnelling) {
        if (tunnelling.isSuccess()) {
            startTlsOrSend();
        } else {
            failAndClose(tunnelling.cause());
        }
    }

    private void startTlsOrSend() {
        transport.countConnection();
        if (tls == null) {
            connection.sendOnLoop(pendingRequest);
        } else {
            pendingRequest.enterStep(PendingRequest.Step.TLS, System.nanoTime());
            connection.armTimeout(pendingRequest);
            tls.handshakeFuture().addListener(this::onHandshakeDone);
        }
    }

    private void onHandshakeDone(Future<?> handshake) {
        if (handshake.isSuccess()) {
            onProtocolSelected();
            connection.sendOnLoop(pendingRequest);
        } else {
            failAndClose(
                    handshake.cause() instanceof SSLException
                            ? handshake.cause()
                            : new SSLException(
                                    "connection closed during the TLS handshake",
                                    handshake.cause()));
        }
    }

    private void onProtocolSelected() {
        if (tls != null && Transport.HTTP2.equals(tls.applicationProtocol())) {
            transport.startHttp2(connection);
        } else {
            transport.onHttp1Selected(connection.slot());
        }
    }

    private void failAndClose(Throwable cause) {
        fail(cause);
        var _ = channel.close();
    }

    private void fail(Throwable cause) {
        pendingRequest.fail(cause instanceof IOException ? cause : asConnectException(cause));
        connection.slot().release();
    }

    private static ConnectException asConnectException(Throwable cause) {
        var wrapped = new ConnectException(LogText.sanitize(cause));
        wrapped.initCause(cause);
        return wrapped;
    }
}
