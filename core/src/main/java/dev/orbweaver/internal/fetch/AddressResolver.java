package dev.orbweaver.internal.fetch;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.spi.Fetcher.Resolution;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * Resolves host names to the one address that is connected to. A name is resolved once per visit.
 * The address that passed the guard is pinned for the request, so a name server that changes its
 * response in between has no effect (DNS rebinding). The cache contains only DNS responses and no
 * verdicts: the guard checks every address every time.
 *
 * <p>Concurrent callers that resolve the same name share one query. IPv4 addresses are preferred,
 * and addresses to which a connection failed recently are last. So a host with one broken address,
 * or a network where only one address family works, is reached with the next attempt.
 */
final class AddressResolver implements AutoCloseable {

    private static final int CACHE_MAX = 100_000;

    /**
     * Addresses kept per name; a name server may send more than fit into memory for all cached
     * names.
     */
    private static final int ADDRESSES_MAX = 16;

    private static final int FAILED_MAX = 10_000;
    private static final int LOOKUP_TIMES_MAX = 10_000;
    private static final Duration FAILED_TTL = Duration.ofMinutes(5);
    private static final Duration LOOKUP_TIMES_TTL = Duration.ofMinutes(1);

    /** The source of names that are not cached. */
    interface Upstream extends AutoCloseable {

        CompletableFuture<DnsAnswer> query(String host);

        @Override
        void close();
    }

    /**
     * The result of a DNS query.
     *
     * @param addresses empty if there are none
     * @param error why there are none
     * @param nonexistent whether the name server said that the name does not exist
     * @param ttl how long this may be cached
     */
    record DnsAnswer(List<InetAddress> addresses, String error, boolean nonexistent, Duration ttl) {

        DnsAnswer(List<InetAddress> addresses, String error, Duration ttl) {
            this(addresses, error, false, ttl);
        }

        DnsAnswer {
            addresses = addresses.stream().limit(ADDRESSES_MAX).toList();
        }
    }

    private final FetchSettings settings;
    private final Upstream upstream;
    private final LongSupplier nanos;
    private final ExpiringMap<String, DnsAnswer> cache;
    private final ExpiringMap<InetAddress, Boolean> failedAddresses;
    private final ExpiringMap<String, Duration> lookupTimes;
    private final ConcurrentHashMap<String, CompletableFuture<DnsAnswer>> inFlight =
            new ConcurrentHashMap<>();

    /**
     * @param nanos the monotonic clock
     */
    AddressResolver(FetchSettings settings, Upstream upstream, LongSupplier nanos) {
        this.settings = settings;
        this.upstream = upstream;
        this.nanos = nanos;
        this.cache = new ExpiringMap<>(CACHE_MAX);
        this.failedAddresses = new ExpiringMap<>(FAILED_MAX);
        this.lookupTimes = new ExpiringMap<>(LOOKUP_TIMES_MAX);
    }

    Resolution resolve(CrawlUrl url) {
        var host = url.host();
        var fixed = Optional.ofNullable(settings.hostOverrides().get(host));
        if (fixed.isPresent()) {
            return selectAddress(url, List.of(fixed.get()));
        }
        return literal(host)
                .map(address -> selectAddress(url, List.of(address)))
                .orElseGet(() -> lookUp(url));
    }

    private static Optional<InetAddress> literal(String host) {
        if (host.charAt(0) == '[') {
            return Optional.of(InetAddress.ofLiteral(host.substring(1, host.length() - 1)));
        }
        return endsInNumber(host) ? Optional.of(InetAddress.ofLiteral(host)) : Optional.empty();
    }

    /**
     * Returns whether the last label of a host is a number. In a parsed URL such a host is an IPv4
     * address in four decimal parts, by the "ends in a number checker" of the URL standard. A name
     * may end in a digit.
     */
    private static boolean endsInNumber(String host) {
        var lastLabel = host.substring(host.lastIndexOf('.') + 1);
        return !lastLabel.isEmpty() && lastLabel.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private Resolution lookUp(CrawlUrl url) {
        var known = cache.get(url.host(), nanos.getAsLong());
        return known.map(dnsAnswer -> selectAddress(url, dnsAnswer)).orElseGet(() -> query(url));
    }

    private Resolution query(CrawlUrl url) {
        var host = url.host();
        var startNanos = nanos.getAsLong();
        var ownQuery = new CompletableFuture<DnsAnswer>();
        var otherQuery = inFlight.putIfAbsent(host, ownQuery);
        if (otherQuery == null) {
            startQuery(host, ownQuery);
        }
        try {
            var dnsAnswer =
                    (otherQuery == null ? ownQuery : otherQuery)
                            .get(settings.timeouts().lookup().toNanos(), TimeUnit.NANOSECONDS);
            var now = nanos.getAsLong();
            lookupTimes.put(host, Duration.ofNanos(now - startNanos), now, LOOKUP_TIMES_TTL);
            return selectAddress(url, dnsAnswer);
        } catch (ExecutionException e) {
            return new Resolution.NotFound(LogText.sanitize(e));
        } catch (TimeoutException e) {
            inFlight.remove(host, otherQuery == null ? ownQuery : otherQuery);
            return new Resolution.NotFound("DNS lookup timed out");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Resolution.NotFound("interrupted during the DNS lookup");
        }
    }

    private void startQuery(String host, CompletableFuture<DnsAnswer> ownQuery) {
        var _ =
                upstream.query(host)
                        .whenComplete(
                                (dnsAnswer, error) -> {
                                    if (dnsAnswer != null && dnsAnswer.ttl().isPositive()) {
                                        cache.put(
                                                host,
                                                dnsAnswer,
                                                nanos.getAsLong(),
                                                dnsAnswer.ttl());
                                    }
                                    inFlight.remove(host, ownQuery);
                                    if (dnsAnswer == null) {
                                        ownQuery.completeExceptionally(error);
                                    } else {
                                        ownQuery.complete(dnsAnswer);
                                    }
                                });
    }

    private Resolution selectAddress(CrawlUrl url, DnsAnswer dnsAnswer) {
        return dnsAnswer.addresses().isEmpty()
                ? new Resolution.NotFound(
                        LogText.sanitize(dnsAnswer.error()), dnsAnswer.nonexistent())
                : selectAddress(url, dnsAnswer.addresses());
    }

    private Resolution selectAddress(CrawlUrl url, List<InetAddress> addresses) {
        var reason = "";
        Optional<InetAddress> secondBest = Optional.empty();
        for (var address : addresses) {
            var refusal = settings.addressPolicy().refusalReason(url, address);
            if (refusal.isPresent()) {
                reason = address.getHostAddress() + " is " + refusal.get();
            } else if (failedAddresses.get(address, nanos.getAsLong()).isPresent()) {
                secondBest = secondBest.or(() -> Optional.of(address));
            } else {
                return new Resolution.Found(address);
            }
        }
        return secondBest.isPresent()
                ? new Resolution.Found(secondBest.get())
                : new Resolution.Forbidden(reason);
    }

    /** Records a failed connection, so that the next lookup of the name prefers other addresses. */
    void markFailed(InetAddress address) {
        failedAddresses.put(address, true, nanos.getAsLong(), FAILED_TTL);
    }

    /** Returns how long the lookup before a request took, once; zero if there was none. */
    Duration takeLookupTime(String host) {
        return lookupTimes.remove(host).orElse(Duration.ZERO);
    }

    int cacheSize() {
        return cache.size();
    }

    @Override
    public void close() {
        upstream.close();
    }
}
