package dev.orbweaver.fetch;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
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
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import javax.net.ssl.SSLException;

/** Event loops, sockets and TLS: epoll where the platform has it, NIO elsewhere. */
final class Transport implements AutoCloseable {

    private static final int SWEEP_SECONDS = 5;
    private static final int CLOSE_SECONDS = 2;

    private final FetchSettings settings;
    private final ConnectionPool pool;
    private final EventLoopGroup group;
    private final Bootstrap bootstrap;
    private final Set<Channel> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong made = new AtomicLong();
    private volatile @Nullable SslContext tls;
    private volatile boolean closed;

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
                                Math.toIntExact(settings.times().connect().toMillis()));
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
        return open.size();
    }

    long connectionsMade() {
        return made.get();
    }

    Class<? extends DatagramChannel> datagramChannel() {
        return Epoll.isAvailable() ? EpollDatagramChannel.class : NioDatagramChannel.class;
    }

    static Class<? extends SocketChannel> socketChannel() {
        return Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    /** A new connection and how long it took to make. */
    record Made(Connection connection, Duration connect, Duration tls) {}

    /**
     * A new connection, its TLS handshake done.
     *
     * @param slot the right to it, which is given back when it is closed or cannot be made
     * @param deadlineNanos when there is no time left for it at all, by the monotonic clock
     * @throws SSLException when TLS, and nothing before it, failed
     * @throws TimeoutException when either did not end in time
     */
    Made connect(ConnectionPool.Slot slot, long deadlineNanos)
            throws IOException, TimeoutException {
        try {
            return dial(slot, deadlineNanos);
        } catch (IOException | TimeoutException | RuntimeException e) {
            slot.release();
            throw e;
        }
    }

    private Made dial(ConnectionPool.Slot slot, long deadlineNanos)
            throws IOException, TimeoutException {
        var key = slot.key();
        var connection = new Connection(slot, pool);
        var proxy = settings.access().proxy();
        var tunnel = proxy.isEmpty() ? null : Tunnels.through(proxy.get(), settings.times());
        var tlsHandler = key.tlsName().isEmpty() ? null : tlsHandler(key);
        var initializer =
                new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (tunnel != null) {
                            channel.pipeline().addLast(tunnel);
                        }
                        if (tlsHandler != null) {
                            channel.pipeline().addLast(tlsHandler);
                        }
                        channel.pipeline().addLast(connection);
                    }
                };
        var begun = System.nanoTime();
        var connecting =
                bootstrap
                        .clone()
                        .handler(initializer)
                        .connect(Tunnels.nameless(key.address(), key.port()));
        await(connecting, connecting, deadlineNanos);
        keepCount(connecting.channel(), slot);
        if (tunnel != null) {
            await(tunnel.connectFuture(), connecting, deadlineNanos);
        }
        var connected = System.nanoTime();
        made.incrementAndGet();
        var tlsTook = Duration.ZERO;
        if (tlsHandler != null) {
            shakeHands(tlsHandler, connecting, deadlineNanos);
            tlsTook = Duration.ofNanos(System.nanoTime() - connected);
        }
        return new Made(connection, Duration.ofNanos(connected - begun), tlsTook);
    }

    private void keepCount(Channel channel, ConnectionPool.Slot slot) {
        open.add(channel);
        channel.closeFuture()
                .addListener(
                        _ -> {
                            open.remove(channel);
                            slot.release();
                        });
        if (closed) {
            var _ = channel.close(); // It came too late to be closed with the others.
        }
    }

    private void shakeHands(SslHandler handler, ChannelFuture connecting, long deadlineNanos)
            throws SSLException, TimeoutException {
        try {
            await(handler.handshakeFuture(), connecting, deadlineNanos);
        } catch (SSLException e) {
            throw e;
        } catch (IOException e) {
            throw new SSLException("closed within the handshake", e);
        }
    }

    /**
     * Waits for a step. Netty's own futures are waited for with a monitor, which costs a virtual
     * thread far more than parking does.
     */
    private void await(Future<?> step, ChannelFuture connecting, long deadlineNanos)
            throws IOException, TimeoutException {
        var left = Math.max(0, deadlineNanos - System.nanoTime());
        var nanos = Math.min(left, settings.times().connect().toNanos());
        var done = new CompletableFuture<Void>();
        step.addListener(
                ended -> {
                    if (ended.isSuccess()) {
                        done.complete(null);
                    } else {
                        done.completeExceptionally(ended.cause());
                    }
                });
        try {
            var _ = done.get(nanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            var _ = connecting.channel().close();
            throw failure(e);
        } catch (TimeoutException e) {
            var _ = connecting.channel().close();
            throw e;
        } catch (InterruptedException e) {
            var _ = connecting.channel().close();
            Thread.currentThread().interrupt();
            throw new ConnectException("interrupted");
        }
    }

    /** Netty has clocks of its own for both steps; whichever rings first, it is a timeout. */
    private static IOException failure(ExecutionException error) throws TimeoutException {
        return switch (error.getCause()) {
            case ConnectTimeoutException _ -> throw new TimeoutException("no connection in time");
            case SslHandshakeTimeoutException _ ->
                    throw new TimeoutException("no TLS handshake in time");
            case IOException io -> io;
            case null, default -> new ConnectException(Text.harmless(error));
        };
    }

    private SslHandler tlsHandler(ConnectionPool.Key key) throws SSLException {
        var handler = tls().newHandler(ByteBufAllocator.DEFAULT, key.tlsName(), key.port());
        handler.setHandshakeTimeoutMillis(settings.times().connect().toMillis());
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
            var builder = SslContextBuilder.forClient().sslProvider(provider());
            if (settings.insecure()) {
                builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
            }
            context = builder.build();
            tls = context;
        }
        return context;
    }

    /**
     * BoringSSL where it can be loaded. Engines are given back when their connection closes; those
     * of the other kind wait for the finalizer, which cost an eighth of a busy core.
     */
    private static SslProvider provider() {
        return OpenSsl.isAvailable() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK;
    }

    /**
     * Closes every connection, then the loops: a loop that is told to end first may not get to tell
     * the threads that still wait for an answer.
     */
    @Override
    public void close() {
        closed = true;
        var until = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
        for (var channel : List.copyOf(open)) {
            var left = Math.max(1, until - System.nanoTime());
            channel.close().awaitUninterruptibly(left, TimeUnit.NANOSECONDS);
        }
        group.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
        releaseTls();
    }

    private synchronized void releaseTls() {
        ReferenceCountUtil.release(tls);
        tls = null;
    }
}
