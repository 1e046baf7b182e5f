package dev.orbweaver.internal.fetch;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.resolver.ResolvedAddressTypes;
import io.netty.resolver.dns.DnsCache;
import io.netty.resolver.dns.DnsCacheEntry;
import io.netty.resolver.dns.DnsCnameCache;
import io.netty.resolver.dns.DnsErrorCauseException;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.DnsNameResolverChannelStrategy;
import io.netty.resolver.dns.DnsNameResolverTimeoutException;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;

import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Resolves names with Netty. Netty's result has no time to live, and its own cache has no size
 * limit. So it gets a cache that only records the shortest time to live of each name being
 * resolved.
 */
final class DnsClient implements AddressResolver.Upstream {

    private static final Duration QUERY_TIMEOUT_MAX = Duration.ofSeconds(4);

    /** A datagram may be lost, which must not make a name unknown. */
    private static final int TRIES = 3;

    private static final int TTL_MAX_SECONDS = 3_600;

    /**
     * Cache time of negative results. RFC 2308 uses the zone's value; a short time saves most
     * queries.
     */
    private static final Duration NEGATIVE_TTL = Duration.ofSeconds(30);

    /** Cache time of addresses that did not come from a name server. */
    private static final Duration HOSTS_FILE_TTL = Duration.ofSeconds(60);

    private final DnsNameResolver resolver;
    private final TtlRecorder ttlRecorder = new TtlRecorder();

    DnsClient(
            FetchSettings settings,
            EventLoopGroup group,
            Class<? extends DatagramChannel> datagrams,
            Class<? extends SocketChannel> streams) {
        var lookup = settings.timeouts().lookup();
        var share = lookup.dividedBy(TRIES).plusMillis(1);
        var query = share.compareTo(QUERY_TIMEOUT_MAX) < 0 ? share : QUERY_TIMEOUT_MAX;
        var builder =
                new DnsNameResolverBuilder(group.next())
                        .datagramChannelFactory(new ReflectiveChannelFactory<>(datagrams))
                        // Each lookup uses its own socket on a random port, so that a forged
                        // response must match the port besides the id (RFC 5452, 9.2).
                        .datagramChannelStrategy(
                                DnsNameResolverChannelStrategy.ChannelPerResolution)
                        .socketChannelFactory(new ReflectiveChannelFactory<>(streams))
                        .queryTimeoutMillis(query.toMillis())
                        .resolvedAddressTypes(ResolvedAddressTypes.IPV4_PREFERRED)
                        // The host of a link is a complete name. It must not be resolved to a
                        // machine of the local network by a search domain.
                        .searchDomains(List.of())
                        .resolveCache(ttlRecorder)
                        .cnameCache(ttlRecorder.cnameCache());
        settings.nameServer().ifPresent(server -> useOnlyServer(builder, server));
        this.resolver = builder.build();
    }

    /** Uses only this name server, also instead of the machine's hosts file. */
    private static void useOnlyServer(DnsNameResolverBuilder builder, InetSocketAddress server) {
        builder.nameServerProvider(new SingletonDnsServerAddressStreamProvider(server));
        builder.hostsFileEntriesResolver(
                (name, _) -> name.equals("localhost") ? InetAddress.getLoopbackAddress() : null);
    }

    @Override
    public CompletableFuture<AddressResolver.DnsAnswer> query(String host) {
        var dnsAnswer = new CompletableFuture<AddressResolver.DnsAnswer>();
        ttlRecorder.begin(host);
        sendQuery(host, dnsAnswer, TRIES - 1);
        return dnsAnswer;
    }

    private void sendQuery(
            String host, CompletableFuture<AddressResolver.DnsAnswer> dnsAnswer, int triesLeft) {
        var _ =
                resolver.resolveAll(host)
                        .addListener(
                                found -> {
                                    if (triesLeft > 0 && isTimeout(found.cause())) {
                                        sendQuery(host, dnsAnswer, triesLeft - 1);
                                        return;
                                    }
                                    var ttl = ttlRecorder.end(host);
                                    dnsAnswer.complete(
                                            found.isSuccess()
                                                    ? found(found.getNow(), ttl)
                                                    : notFound(host, found.cause(), ttl));
                                });
    }

    private static boolean isTimeout(@Nullable Throwable cause) {
        return cause != null
                && (cause instanceof DnsNameResolverTimeoutException
                        || isTimeout(cause.getCause()));
    }

    @SuppressWarnings("unchecked") // The type that resolveAll returns.
    private static AddressResolver.DnsAnswer found(Object addresses, Optional<Duration> ttl) {
        return new AddressResolver.DnsAnswer(
                (List<InetAddress>) addresses, "", ttl.orElse(HOSTS_FILE_TTL));
    }

    private static AddressResolver.DnsAnswer notFound(
            String host, Throwable cause, Optional<Duration> ttl) {
        var nonexistent = isNonexistent(cause);
        return new AddressResolver.DnsAnswer(
                List.of(),
                nonexistent ? "no such host: " + host : LogText.sanitize(cause),
                nonexistent,
                ttl.orElse(Duration.ZERO));
    }

    /** Whether a name server has answered that the name does not exist (RFC 2308, section 2.1). */
    private static boolean isNonexistent(@Nullable Throwable cause) {
        return cause != null
                && ((cause instanceof DnsErrorCauseException answer
                                && answer.getCode().equals(DnsResponseCode.NXDOMAIN))
                        || isNonexistent(cause.getCause()));
    }

    @Override
    public void close() {
        resolver.close();
    }

    private static final class TtlRecorder implements DnsCache {

        private final ConcurrentHashMap<String, Long> seconds = new ConcurrentHashMap<>();

        void begin(String host) {
            seconds.put(key(host), Long.MAX_VALUE);
        }

        /** Returns the shortest time to live; empty if there was none, as after a timeout. */
        Optional<Duration> end(String host) {
            return Optional.ofNullable(seconds.remove(key(host)))
                    .filter(recorded -> recorded != Long.MAX_VALUE)
                    .map(recorded -> Duration.ofSeconds(Math.clamp(recorded, 0, TTL_MAX_SECONDS)));
        }

        private void recordTtl(String name, long ttl) {
            seconds.computeIfPresent(key(name), (_, shortest) -> Math.min(shortest, ttl));
        }

        private static String key(String name) {
            var whole = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
            return whole.toLowerCase(Locale.ROOT);
        }

        DnsCnameCache cnameCache() {
            return new DnsCnameCache() {
                @Override
                public @Nullable String get(String name) {
                    return null;
                }

                @Override
                public void cache(String name, String alias, long ttl, EventLoop loop) {
                    recordTtl(name, ttl);
                }

                @Override
                public void clear() {}

                @Override
                public boolean clear(String name) {
                    return false;
                }
            };
        }

        @Override
        public @Nullable List<? extends DnsCacheEntry> get(String name, DnsRecord[] more) {
            return null;
        }

        @Override
        public DnsCacheEntry cache(
                String name, DnsRecord[] more, InetAddress address, long ttl, EventLoop loop) {
            recordTtl(name, ttl);
            return new Entry(address, null);
        }

        @Override
        public DnsCacheEntry cache(String name, DnsRecord[] more, Throwable cause, EventLoop loop) {
            recordTtl(name, NEGATIVE_TTL.toSeconds());
            return new Entry(null, cause);
        }

        @Override
        public void clear() {}

        @Override
        public boolean clear(String name) {
            return false;
        }
    }

    private record Entry(@Nullable InetAddress address, @Nullable Throwable cause)
            implements DnsCacheEntry {}
}
