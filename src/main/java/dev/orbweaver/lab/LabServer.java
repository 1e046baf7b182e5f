package dev.orbweaver.lab;

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
 * Serves a simulated web over loopback: HTTP/1.1, over TLS if that is what its URLs say, at one
 * port on every address that the web uses, each bound for itself, so that an address that nobody
 * serves refuses connections as a dead host does. The Host header chooses the host.
 */
public final class LabServer implements AutoCloseable {

    private static final int PORT_TRIES = 50;
    private static final int BACKLOG = 1_024;

    private final Transport transport;
    private final List<Channel> listening;
    private final LabSite site;
    private final int port;
    private final Optional<String> trusted;

    private LabServer(
            Transport transport,
            List<Channel> listening,
            LabSite site,
            int port,
            Optional<String> trusted) {
        this.trusted = trusted;
        this.transport = transport;
        this.listening = listening;
        this.site = site;
        this.port = port;
    }

    /**
     * Binds all addresses and begins to answer.
     *
     * @throws IOException when the port is taken, or none is free on all addresses
     */
    public static LabServer start(SimulatedWeb web, ServerSettings settings) throws IOException {
        var transport = Transport.start("lab-http", settings.threads());
        var tries = settings.port() == 0 ? PORT_TRIES : 1;
        for (var i = 0; i < tries; i++) {
            var server = tryPort(web, settings, transport);
            if (server != null) {
                return server;
            }
        }
        transport.close();
        throw new IOException(
                settings.port() == 0
                        ? "no port is free on all addresses of the simulated web"
                        : "port " + settings.port() + " is in use");
    }

    /** The port that all hosts are served at. */
    public int port() {
        return port;
    }

    /** The certificate, as PEM, that a client must trust; there is one where the web is https. */
    public Optional<String> trusted() {
        return trusted;
    }

    /** What the server saw. */
    public Auditor auditor() {
        return site.auditor();
    }

    /** Makes the answers now that would otherwise be made at the first request. */
    public void prebuild() {
        site.prebuild();
    }

    /** Lets days pass at once: pages change with the time since the server started. */
    public void skip(Duration time) {
        site.skip(time);
    }

    @Override
    public void close() {
        release(listening);
        transport.close();
        site.close();
    }

    private static @Nullable LabServer tryPort(
            SimulatedWeb web, ServerSettings settings, Transport transport) {
        var bound = new ArrayList<Channel>();
        var authority = web.spec().has(Hazard.TLS) ? new LabAuthority(Instant.now()) : null;
        var door = new Door(transport.linux(), authority);
        var bootstrap =
                new ServerBootstrap()
                        .group(transport.group())
                        .channel(transport.serverChannel())
                        .option(ChannelOption.SO_REUSEADDR, true)
                        .option(ChannelOption.SO_BACKLOG, BACKLOG)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childHandler(door);
        if (transport.linux()) {
            bootstrap.option(KernelStamp.STAMPED, 1);
        }
        var port = settings.port();
        for (InetAddress address : web.addresses()) {
            var future = bootstrap.bind(address, port).awaitUninterruptibly();
            if (!future.isSuccess()) {
                release(bound);
                return null;
            }
            bound.add(future.channel());
            port = ((InetSocketAddress) future.channel().localAddress()).getPort();
        }
        var auditor = new Auditor(web, port, settings.arrivalsMax(), LabServer::wallNanos);
        var site = new LabSite(web, port, auditor, settings.cacheBytesMax());
        door.site = site;
        return new LabServer(
                transport,
                bound,
                site,
                port,
                Optional.ofNullable(authority).map(LabAuthority::pem));
    }

    private static long wallNanos() {
        var now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }

    private static void release(List<Channel> channels) {
        channels.forEach(channel -> channel.close().awaitUninterruptibly());
    }

    /** Lets connections in once the port, and with it every URL of the site, is known. */
    private static final class Door extends ChannelInitializer<SocketChannel> {

        private final AtomicInteger connections = new AtomicInteger();
        private final boolean linux;
        private final ThreadLocal<KernelStamp> kernel = ThreadLocal.withInitial(KernelStamp::new);
        private final @Nullable LabAuthority authority;
        private volatile @Nullable LabSite site;

        Door(boolean linux, @Nullable LabAuthority authority) {
            this.linux = linux;
            this.authority = authority;
        }

        @Override
        public boolean isSharable() {
            return true;
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // Nobody waits for a refused connection.
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
                    .addLast(new LabConnection(open, reads, connections.incrementAndGet()));
        }

        private StampedReads reads(SocketChannel channel, Auditor auditor) {
            if (!linux) {
                return new StampedReads(() -> StampedReads.NONE, () -> false, auditor::now);
            }
            var socket = ((UnixChannel) channel).fd();
            var stamp = kernel.get();
            return new StampedReads(
                    () -> stamp.of(socket.intValue()),
                    () -> stamp.ended(socket.intValue()),
                    auditor::now);
        }
    }
}
