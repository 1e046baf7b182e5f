package dev.orbweaver.testkit;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.UnixChannel;
import io.netty.handler.ssl.SniHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.util.Mapping;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Serves a simulated web over loopback: HTTP/1.1, with TLS if its URLs are https, on one port of
 * every address of the web. Each address is bound separately, so that other addresses refuse
 * connections like dead hosts. The Host header selects the host.
 */
public final class SimulatedWebServer implements AutoCloseable {

    private static final int PORT_TRIES = 50;
    private static final int BACKLOG = 1_024;

    private final ServerTransport serverTransport;
    private final List<Channel> listening;
    private final ServedWeb site;
    private final int port;
    private final Optional<String> trustedCertificate;

    private SimulatedWebServer(
            ServerTransport serverTransport,
            List<Channel> listening,
            ServedWeb site,
            int port,
            Optional<String> trusted) {
        this.trustedCertificate = trusted;
        this.serverTransport = serverTransport;
        this.listening = listening;
        this.site = site;
        this.port = port;
    }

    /**
     * Binds all addresses and starts the server.
     *
     * @throws IOException if the port is in use, or none is free on all addresses
     */
    public static SimulatedWebServer start(SimulatedWeb web, ServerSettings settings)
            throws IOException {
        var serverTransport = ServerTransport.start("lab-http", settings.threads());
        var tries = settings.port() == 0 ? PORT_TRIES : 1;
        for (var i = 0; i < tries; i++) {
            var server = tryPort(web, settings, serverTransport);
            if (server != null) {
                return server;
            }
        }
        serverTransport.close();
        throw new IOException(
                settings.port() == 0
                        ? "no port is free on all addresses of the simulated web"
                        : "port " + settings.port() + " is in use");
    }

    public int port() {
        return port;
    }

    /** The CA certificate that clients must trust, as PEM; empty unless the web is https. */
    public Optional<String> trustedCertificate() {
        return trustedCertificate;
    }

    public Auditor auditor() {
        return site.auditor();
    }

    /** Generates all responses now instead of at their first request. */
    public void prebuild() {
        site.prebuild();
    }

    /** The bytes of all responses so far, heads and bodies. */
    public long bytesSent() {
        return site.bytesSent();
    }

    /** The bytes of all bodies so far, as framed: of a chunked body with its chunk sizes. */
    public long bodyBytesSent() {
        return site.bodyBytesSent();
    }

    /** The time since the web's first day began, by the web's clock. */
    public Duration now() {
        return site.now();
    }

    /** Stops the web's clock: from now on it changes only by {@link #advanceTime}. */
    public void holdTime() {
        site.holdTime();
    }

    /** Advances the web's clock: pages change with it. */
    public void advanceTime(Duration time) {
        site.advanceTime(time);
    }

    @Override
    public void close() {
        closeAll(listening);
        serverTransport.close();
        site.close();
    }

    private static @Nullable SimulatedWebServer tryPort(
            SimulatedWeb web, ServerSettings settings, ServerTransport serverTransport) {
        var bound = new ArrayList<Channel>();
        var authority = web.spec().has(Hazard.TLS) ? new CertificateAuthority(Instant.now()) : null;
        var connectionInitializer = new ConnectionInitializer(serverTransport.linux(), authority);
        var bootstrap =
                new ServerBootstrap()
                        .group(serverTransport.group())
                        .channel(serverTransport.serverChannel())
                        .option(ChannelOption.SO_REUSEADDR, true)
                        .option(ChannelOption.SO_BACKLOG, BACKLOG)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childHandler(connectionInitializer);
        if (serverTransport.linux()) {
            bootstrap.option(KernelTimestamp.TIMESTAMP_OPTION, 1);
        }
        var port = settings.port();
        for (InetAddress address : web.addresses()) {
            var future = bootstrap.bind(address, port).awaitUninterruptibly();
            if (!future.isSuccess()) {
                closeAll(bound);
                return null;
            }
            bound.add(future.channel());
            port = ((InetSocketAddress) future.channel().localAddress()).getPort();
        }
        var auditor = new Auditor(web, port, settings.arrivalsMax(), SimulatedWebServer::wallNanos);
        var site = new ServedWeb(web, port, auditor, settings.cacheBytesMax());
        connectionInitializer.site = site;
        return new SimulatedWebServer(
                serverTransport,
                bound,
                site,
                port,
                Optional.ofNullable(authority).map(CertificateAuthority::pem));
    }

    private static long wallNanos() {
        var now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }

    private static void closeAll(List<Channel> channels) {
        channels.forEach(channel -> channel.close().awaitUninterruptibly());
    }

    /** Starts accepting connections when the port, which is part of every URL, is known. */
    private static final class ConnectionInitializer extends ChannelInitializer<SocketChannel> {

        private final AtomicInteger connections = new AtomicInteger();
        private final boolean linux;
        private final ThreadLocal<KernelTimestamp> kernel =
                ThreadLocal.withInitial(KernelTimestamp::new);
        private final @Nullable CertificateAuthority authority;
        private volatile @Nullable ServedWeb site;

        ConnectionInitializer(boolean linux, @Nullable CertificateAuthority authority) {
            this.linux = linux;
            this.authority = authority;
        }

        @Override
        public boolean isSharable() {
            return true;
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // A rejected connection needs no result.
        protected void initChannel(SocketChannel channel) {
            var open = site;
            if (open == null) {
                channel.close();
                return;
            }
            var reads = reads(channel, open.auditor());
            channel.config().setRecvByteBufAllocator(reads);
            if (authority != null) {
                channel.pipeline()
                        .addLast(
                                new SniHandler(
                                        (Mapping<@Nullable String, SslContext>)
                                                authority::context));
            }
            channel.pipeline()
                    .addLast(new ServerConnection(open, reads, connections.incrementAndGet()));
        }

        private TimestampedReads reads(SocketChannel channel, Auditor auditor) {
            if (!linux) {
                return new TimestampedReads(() -> TimestampedReads.NONE, () -> false, auditor::now);
            }
            var socket = ((UnixChannel) channel).fd();
            var stamp = kernel.get();
            return new TimestampedReads(
                    () -> stamp.arrivalNanos(socket.intValue()),
                    () -> stamp.isClosed(socket.intValue()),
                    auditor::now);
        }
    }
}
