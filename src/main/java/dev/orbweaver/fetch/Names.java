package dev.orbweaver.fetch;

import dev.orbweaver.fetch.Fetcher.Resolution;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.socket.DatagramChannel;
import io.netty.resolver.ResolvedAddressTypes;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * From host names to the one address that will be dialled. A name is looked up once per visit; the
 * address that passed the guard is the address that is pinned for the request, so a name server
 * that changes its mind in between changes nothing.
 */
final class Names implements AutoCloseable {

    private static final int QUERY_MILLIS = 5_000;
    private static final int LOOKUP_MILLIS = 15_000;
    private static final int TTL_MAX_SECONDS = 3_600;
    private static final int NEGATIVE_TTL_SECONDS = 30;

    private final FetchSettings settings;
    private final DnsNameResolver resolver;

    Names(
            FetchSettings settings,
            EventLoopGroup group,
            Class<? extends DatagramChannel> datagramChannel) {
        this.settings = settings;
        var builder =
                new DnsNameResolverBuilder(group.next())
                        .datagramChannelFactory(new ReflectiveChannelFactory<>(datagramChannel))
                        .queryTimeoutMillis(QUERY_MILLIS)
                        .resolvedAddressTypes(ResolvedAddressTypes.IPV4_PREFERRED)
                        .ttl(0, TTL_MAX_SECONDS)
                        .negativeTtl(NEGATIVE_TTL_SECONDS);
        settings.nameServer().ifPresent(server -> askOnly(builder, server));
        this.resolver = builder.build();
    }

    /** Whoever names a name server wants its answers, not those of this machine's hosts file. */
    private static void askOnly(DnsNameResolverBuilder builder, InetSocketAddress server) {
        builder.nameServerProvider(new SingletonDnsServerAddressStreamProvider(server));
        builder.hostsFileEntriesResolver(
                (name, _) -> name.equals("localhost") ? InetAddress.getLoopbackAddress() : null);
    }

    Resolution resolve(String host) {
        var fixed = Optional.ofNullable(settings.fixed().get(host));
        if (fixed.isPresent()) {
            return judge(host, List.of(fixed.get()));
        }
        return literal(host)
                .map(address -> judge(host, List.of(address)))
                .orElseGet(() -> ask(host));
    }

    private static Optional<InetAddress> literal(String host) {
        if (host.charAt(0) == '[') {
            return Optional.of(InetAddress.ofLiteral(host.substring(1, host.length() - 1)));
        }
        return endsInNumber(host) ? Optional.of(InetAddress.ofLiteral(host)) : Optional.empty();
    }

    /**
     * In a parsed URL a host whose last label is a number is an IPv4 address in four decimal parts:
     * the URL standard sees to that ("ends in a number checker"). A name may well end in a digit.
     */
    private static boolean endsInNumber(String host) {
        var lastLabel = host.substring(host.lastIndexOf('.') + 1);
        return !lastLabel.isEmpty() && lastLabel.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private Resolution ask(String host) {
        try {
            return judge(host, resolver.resolveAll(host).get(LOOKUP_MILLIS, TimeUnit.MILLISECONDS));
        } catch (ExecutionException e) {
            return new Resolution.NotFound(Text.harmless(e));
        } catch (TimeoutException e) {
            return new Resolution.NotFound("no answer from the name server in time");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Resolution.NotFound("interrupted");
        }
    }

    private Resolution judge(String host, List<InetAddress> addresses) {
        if (settings.allowPrivate() || settings.granted().contains(host)) {
            return new Resolution.Found(addresses.getFirst());
        }
        var why = "";
        for (var address : addresses) {
            var objection = AddressGuard.objection(address);
            if (objection.isEmpty()) {
                return new Resolution.Found(address);
            }
            why = address.getHostAddress() + " is " + objection.get();
        }
        return new Resolution.Forbidden(why);
    }

    @Override
    public void close() {
        resolver.close();
    }
}
