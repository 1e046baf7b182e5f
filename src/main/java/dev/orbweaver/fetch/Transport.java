package dev.orbweaver.fetch;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.concurrent.DefaultThreadFactory;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import javax.net.ssl.SSLException;

/** Event loops, sockets and TLS: epoll where the platform has it, NIO elsewhere. */
final class Transport implements AutoCloseable {

    private static final int SWEEP_SECONDS = 5;

    private final FetchSettings settings;
    private final ConnectionPool pool;
    private final EventLoopGroup group;
    private final Bootstrap bootstrap;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicLong made = new AtomicLong();
    private volatile @Nullable SslContext tls;

    Transport(FetchSettings settings, ConnectionPool pool) {
        this.settings = settings;
        this.pool = pool;
        var threads = new DefaultThreadFactory("fetch", true);
        var loops = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        this.group =
                new MultiThreadIoEventLoopGroup(
                        loops,
                        threads,
                        Epoll.isAvailable()
                                ? EpollIoHandler.newFactory()
                                : NioIoHandler.newFactory());
        this.bootstrap =
                new Bootstrap()
                        .group(group)
                        .channel(socketChannel())
                        .option(ChannelOption.TCP_NODELAY, true)
                        .option(
                                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                                Math.toIntExact(settings.connect().toMillis()));
        var _ =
                group.scheduleAtFixedRate(
                        () -> pool.closeIdle(System.nanoTime()),
                        SWEEP_SECONDS,
                        SWEEP_SECONDS,
                        TimeUnit.SECONDS);
    }

    EventLoopGroup group() {
        return group;
    }

    int openConnections() {
        return open.get();
    }

    long connectionsMade() {
        return made.get();
    }

    Class<? extends DatagramChannel> datagramChannel() {
        return Epoll.isAvailable() ? EpollDatagramChannel.class : NioDatagramChannel.class;
    }

    private static Class<? extends SocketChannel> socketChannel() {
        return Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    /** A new connection, its TLS handshake done. */
    Connection connect(ConnectionPool.Key key) throws IOException, TimeoutException {
        var connection = new Connection(key, pool);
        var tlsHandler = key.tlsName().isEmpty() ? null : tlsHandler(key);
        var initializer =
                new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (tlsHandler != null) {
                            channel.pipeline().addLast(tlsHandler);
                        }
                        channel.pipeline().addLast(connection);
                    }
                };
        var connecting =
                bootstrap
                        .clone()
                        .handler(initializer)
                        .connect(new InetSocketAddress(key.address(), key.port()));
        await(connecting, connecting);
        count(connecting.channel());
        if (tlsHandler != null) {
            await(tlsHandler.handshakeFuture(), connecting);
        }
        return connection;
    }

    private void count(Channel channel) {
        open.incrementAndGet();
        made.incrementAndGet();
        channel.closeFuture().addListener(_ -> open.decrementAndGet());
    }

    private void await(Future<?> step, ChannelFuture connecting)
            throws IOException, TimeoutException {
        try {
            var _ = step.get(settings.connect().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            var _ = connecting.channel().close();
            throw e.getCause() instanceof IOException io
                    ? io
                    : new ConnectException(Text.harmless(e));
        } catch (TimeoutException e) {
            var _ = connecting.channel().close();
            throw e;
        } catch (InterruptedException e) {
            var _ = connecting.channel().close();
            Thread.currentThread().interrupt();
            throw new ConnectException("interrupted");
        }
    }

    private SslHandler tlsHandler(ConnectionPool.Key key) throws SSLException {
        var handler = tls().newHandler(ByteBufAllocator.DEFAULT, key.tlsName(), key.port());
        handler.setHandshakeTimeoutMillis(settings.connect().toMillis());
        if (!settings.insecure()) {
            var parameters = handler.engine().getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            handler.engine().setSSLParameters(parameters);
        }
        return handler;
    }

    /** Made at the first https URL: a crawl without one does not pay for loading a TLS library. */
    private synchronized SslContext tls() throws SSLException {
        var context = tls;
        if (context == null) {
            var builder = SslContextBuilder.forClient();
            if (settings.insecure()) {
                builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
            }
            context = builder.build();
            tls = context;
        }
        return context;
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
