package dev.orbweaver.internal.fetch;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.resolver.ResolvedAddressTypes;
import io.netty.resolver.dns.DnsCache;
import io.netty.resolver.dns.DnsCacheEntry;
import io.netty.resolver.dns.DnsCnameCache;
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
 * Netty's resolver. Its addresses come without a time to live and its own cache has no size limit,
 * so it gets a cache that only records the shortest time to live of each name being looked up.
 */
final class DnsClient implements AddressResolver.Upstream {

    private static final Duration QUERY_TIMEOUT_MAX = Duration.ofSeconds(4);

    /** A datagram may be lost, and a name must not count as unknown for that. */
    private static final int TRIES = 3;

    private static final int TTL_MAX_SECONDS = 3_600;

    /** RFC 2308 would have the zone say; a short while spares a dead name's server the most. */
    private static final Duration NEGATIVE_TTL = Duration.ofSeconds(30);

    /** Addresses that no name server gave. */
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
                        // Each look-up has a socket of its own, on a port that the kernel draws: a
                        // forged response must hit the port besides the id (RFC 5452, 9.2).
                        .datagramChannelStrategy(
                                DnsNameResolverChannelStrategy.ChannelPerResolution)
                        .socketChannelFactory(new ReflectiveChannelFactory<>(streams))
                        .queryTimeoutMillis(query.toMillis())
                        .resolvedAddressTypes(ResolvedAddressTypes.IPV4_PREFERRED)
                        // A link's host is a whole name: it must not come to mean a machine of the
                        // network that the crawler happens to run in.
                        .searchDomains(List.of())
                        .resolveCache(ttlRecorder)
                        .cnameCache(ttlRecorder.cnameCache());
        settings.nameServer().ifPresent(server -> useOnlyServer(builder, server));
        this.resolver = builder.build();
    }

    /** An explicit name server replaces this machine's hosts file too. */
    private static void useOnlyServer(DnsNameResolverBuilder builder, InetSocketAddress server) {
        builder.nameServerProvider(new SingletonDnsServerAddressStreamProvider(server));
        builder.hostsFileEntriesResolver(
                (name, _) -> name.equals("localhost") ? InetAddress.getLoopbackAddress() : null);
    }

    @Override
    public CompletableFuture<AddressResolver.DnsAnswer> query(String host) {
        var dnsAnswer = new CompletableFuture<AddressResolver.DnsAnswer>();
        ttlRecorder.begin(host);
        ask(host, dnsAnswer, TRIES - 1);
        return dnsAnswer;
    }

    private void ask(
            String host, CompletableFuture<AddressResolver.DnsAnswer> dnsAnswer, int triesLeft) {
        var _ =
                resolver.resolveAll(host)
                        .addListener(
                                found -> {
                                    if (triesLeft > 0 && isTimeout(found.cause())) {
                                        ask(host, dnsAnswer, triesLeft - 1);
                                        return;
                                    }
                                    var life = ttlRecorder.end(host);
                                    dnsAnswer.complete(
                                            found.isSuccess()
                                                    ? found(found.getNow(), life)
                                                    : notFound(found.cause(), life));
                                });
    }

    private static boolean isTimeout(@Nullable Throwable why) {
        return why != null
                && (why instanceof DnsNameResolverTimeoutException || isTimeout(why.getCause()));
    }

    @SuppressWarnings("unchecked") // What resolveAll gives.
    private static AddressResolver.DnsAnswer found(Object addresses, Optional<Duration> life) {
        return new AddressResolver.DnsAnswer(
                (List<InetAddress>) addresses, "", life.orElse(HOSTS_FILE_TTL));
    }

    private static AddressResolver.DnsAnswer notFound(Throwable why, Optional<Duration> life) {
        return new AddressResolver.DnsAnswer(
                List.of(), LogText.sanitize(why), life.orElse(Duration.ZERO));
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

        /** The shortest time to live; empty when there was none, as after a timeout. */
        Optional<Duration> end(String host) {
            return Optional.ofNullable(seconds.remove(key(host)))
                    .filter(told -> told != Long.MAX_VALUE)
                    .map(told -> Duration.ofSeconds(Math.clamp(told, 0, TTL_MAX_SECONDS)));
        }

        private void recordTtl(String name, long life) {
            seconds.computeIfPresent(key(name), (_, least) -> Math.min(least, life));
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
                public void cache(String name, String alias, long life, EventLoop loop) {
                    recordTtl(name, life);
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
                String name, DnsRecord[] more, InetAddress address, long life, EventLoop loop) {
            recordTtl(name, life);
            return new Entry(address, null);
        }

        @Override
        public DnsCacheEntry cache(String name, DnsRecord[] more, Throwable why, EventLoop loop) {
            recordTtl(name, NEGATIVE_TTL.toSeconds());
            return new Entry(null, why);
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
