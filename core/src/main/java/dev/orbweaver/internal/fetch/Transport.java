package dev.orbweaver.internal.fetch;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.DefaultThreadFactory;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Inet4Address;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import javax.net.ssl.SSLException;

/** Event loops, sockets and TLS: epoll where available, NIO elsewhere. */
final class Transport implements AutoCloseable {

    /** The name of HTTP/2 in ALPN (RFC 9113, section 3.1). */
    static final String HTTP2 = ApplicationProtocolNames.HTTP_2;

    private static final int SWEEP_SECONDS = 5;
    private static final int CLOSE_SECONDS = 2;

    /** Size of a read: initially an ordinary page in one call; Netty then adapts it. */
    private static final RecvByteBufAllocator RECEIVE =
            new AdaptiveRecvByteBufAllocator(1 << 10, 32 << 10, 64 << 10);

    /**
     * Key agreement groups (RFC 8446, section 4.2.7) without the hybrid of X25519 and ML-KEM that
     * Netty would offer first. The hybrid took a third of the time of a resumed connection, and
     * what a crawler reads is public.
     */
    private static final String[] GROUPS = {"x25519", "secp256r1", "secp384r1", "secp521r1"};

    /**
     * TLS sessions kept for resumption. Each holds certificates of a few kilobytes in native
     * memory; Netty's own limit of 20,480 would allow a hundred megabytes.
     */
    private static final int SESSIONS_MAX = 4_096;

    private final FetchSettings settings;
    private final ConnectionPool pool;
    private final EventLoopGroup group;
    private final Set<Channel> openChannels = ConcurrentHashMap.newKeySet();
    private final Set<PendingRequest> inFlight = ConcurrentHashMap.newKeySet();
    private final AtomicLong connectionsOpened = new AtomicLong();
    private final TrafficCounter trafficCounter = new TrafficCounter();
    private @Nullable SslContext tls;
    private @Nullable SslContext tlsWithHttp2;
    private volatile boolean closed;
    private volatile boolean loopsStopped;

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
        return openChannels.size();
    }

    TrafficCounter trafficCounter() {
        return trafficCounter;
    }

    long connectionsOpened() {
        return connectionsOpened.get();
    }

    Class<? extends DatagramChannel> datagramChannel() {
        return Epoll.isAvailable() ? EpollDatagramChannel.class : NioDatagramChannel.class;
    }

    static Class<? extends SocketChannel> socketChannel() {
        return Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    /**
     * Opens a connection, with its TLS handshake, and sends a first request. Failures complete the
     * request.
     *
     * @param slot released when the connection is closed or cannot be opened
     * @throws IOException if no socket can be opened
     * @throws TimeoutException if a proxy's name was not resolved in time
     */
    Connection connect(ConnectionPool.Slot slot, PendingRequest pendingRequest)
            throws IOException, TimeoutException {
        try {
            return startConnect(slot, pendingRequest);
        } catch (IOException | TimeoutException | RuntimeException e) {
            slot.release();
            throw e;
        }
    }

    private Connection startConnect(ConnectionPool.Slot slot, PendingRequest pendingRequest)
            throws IOException, TimeoutException {
        var key = slot.key();
        var proxy = settings.requestOptions().proxy();
        var tunnel =
                proxy.isEmpty()
                        ? null
                        : ProxyTunnels.proxyHandler(proxy.get(), settings.timeouts());
        // First, because it fails if no more files can be opened; the objects after it hold memory.
        var channel = newChannel(proxy.isEmpty() && key.address() instanceof Inet4Address);
        SslHandler tlsHandler;
        try {
            tlsHandler = key.tlsName().isEmpty() ? null : tlsHandler(slot);
        } catch (SSLException | RuntimeException e) {
            channel.unsafe().closeForcibly();
            throw e;
        }
        channel.config()
                .setConnectTimeoutMillis(0) // RequestTimeout enforces it.
                .setRecvByteBufAllocator(RECEIVE);
        var loop = group.next();
        var connection = new Connection(slot, pool, channel, loop);
        var connectAttempt =
                new ConnectAttempt(this, channel, connection, pendingRequest, tunnel, tlsHandler);
        try {
            var address = ProxyTunnels.withoutHostName(key.address(), key.port());
            loop.execute(() -> connectAttempt.start(loop, address));
        } catch (RejectedExecutionException shutDown) {
            channel.unsafe().closeForcibly();
            throw new ConnectException("the fetcher is closed");
        }
        return connection;
    }

    /** Creates a socket; an IPv4 socket is created and connected faster. */
    private static SocketChannel newChannel(boolean ipv4) throws NoSocketException {
        try {
            if (!Epoll.isAvailable()) {
                return new NioSocketChannel();
            }
            return ipv4
                    ? new EpollSocketChannel(SocketProtocolFamily.INET)
                    : new EpollSocketChannel();
        } catch (ChannelException e) {
            throw new NoSocketException("could not open a socket: " + LogText.sanitize(e));
        }
    }

    boolean isClosed() {
        return closed;
    }

    /**
     * Registers a request that a thread is about to wait for. A loop that ends may drop accepted
     * tasks, so {@link #close} completes those left.
     */
    void register(PendingRequest pendingRequest) {
        inFlight.add(pendingRequest);
        if (loopsStopped) {
            pendingRequest.fail(new ConnectException("the fetcher is closed"));
        }
    }

    void unregister(PendingRequest pendingRequest) {
        inFlight.remove(pendingRequest);
    }

    /** Tracks a connection, regardless of the result of its tunnel and TLS handshake. */
    void trackOpen(Channel channel, ConnectionPool.Slot slot) {
        openChannels.add(channel);
        channel.closeFuture()
                .addListener(
                        _ -> {
                            openChannels.remove(channel);
                            slot.release();
                        });
        if (closed) {
            var _ = channel.close(); // It was opened after the others were closed.
        }
    }

    void countConnection() {
        connectionsOpened.incrementAndGet();
    }

    /** Starts HTTP/2 on a connection whose server selected it. */
    void startHttp2(Connection connection) {
        connection.startHttp2(settings.headBytesMax());
    }

    void onHttp1Selected(ConnectionPool.Slot slot) {
        if (slot.offersHttp2()) {
            pool.onHttp1Selected(slot, System.nanoTime());
        }
    }

    private SslHandler tlsHandler(ConnectionPool.Slot slot) throws SSLException {
        var key = slot.key();
        var context = slot.offersHttp2() ? tlsWithHttp2() : tls();
        var handler = context.newHandler(ByteBufAllocator.DEFAULT, key.tlsName(), key.port());
        handler.setHandshakeTimeoutMillis(0); // RequestTimeout enforces it.
        if (!settings.insecure()) {
            var parameters = handler.engine().getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            handler.engine().setSSLParameters(parameters);
        }
        return handler;
    }

    /**
     * Creates the TLS context at the first https URL, so that a crawl without one loads no TLS
     * library.
     */
    private synchronized SslContext tls() throws SSLException {
        if (tls == null) {
            tls = tlsBuilder().build();
        }
        return tls;
    }

    /** Creates the context of handshakes that offer HTTP/2 by ALPN. */
    private synchronized SslContext tlsWithHttp2() throws SSLException {
        if (tlsWithHttp2 == null) {
            tlsWithHttp2 =
                    tlsBuilder()
                            .applicationProtocolConfig(
                                    new ApplicationProtocolConfig(
                                            ApplicationProtocolConfig.Protocol.ALPN,
                                            ApplicationProtocolConfig.SelectorFailureBehavior
                                                    .NO_ADVERTISE,
                                            ApplicationProtocolConfig
                                                    .SelectedListenerFailureBehavior.ACCEPT,
                                            HTTP2,
                                            ApplicationProtocolNames.HTTP_1_1))
                            .build();
        }
        return tlsWithHttp2;
    }

    private SslContextBuilder tlsBuilder() {
        var builder =
                SslContextBuilder.forClient()
                        .sslProvider(provider())
                        .sessionCacheSize(SESSIONS_MAX);
        if (settings.insecure()) {
            builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
        }
        if (OpenSsl.isAvailable()) {
            builder.option(OpenSslContextOption.GROUPS, GROUPS.clone());
        }
        return builder;
    }

    /**
     * Selects BoringSSL if it can be loaded, with engines released when their connection closes.
     * Engines of the other kind wait for the finalizer, which used an eighth of a busy core.
     */
    private static SslProvider provider() {
        return OpenSsl.isAvailable() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK;
    }

    /** Closes every connection before the loops, which must notify waiting threads. */
    @Override
    public void close() {
        closed = true;
        var until = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
        for (var channel : List.copyOf(openChannels)) {
            var left = Math.max(1, until - System.nanoTime());
            channel.close().awaitUninterruptibly(left, TimeUnit.NANOSECONDS);
        }
        group.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
        loopsStopped = true;
        for (var pendingRequest : inFlight) {
            pendingRequest.fail(new ConnectException("the fetcher is closed"));
        }
        releaseTls();
    }

    private synchronized void releaseTls() {
        ReferenceCountUtil.release(tls);
        ReferenceCountUtil.release(tlsWithHttp2);
        tls = null;
        tlsWithHttp2 = null;
    }
}
