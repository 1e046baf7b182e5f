package dev.orbweaver.internal.fetch;

import dev.orbweaver.internal.fetch.Fetcher.Resolution;
import dev.orbweaver.model.CrawlUrl;

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
 * From host names to the one address that will be dialled. A name is looked up once per visit; the
 * address that passed the guard is the address that is pinned for the request, so a name server
 * that changes its mind in between changes nothing. What is remembered is what the name server
 * said, never a judgement: the guard looks at every address every time.
 *
 * <p>Many who ask for one name at once wait for one look-up. IPv4 addresses come first, and those
 * to which a connection failed a short while ago last: so a host with one broken address, or a
 * network where only one family works, is reached at the next try.
 */
final class AddressResolver implements AutoCloseable {

    private static final int CACHE_MAX = 100_000;

    /** Of one name; times the names remembered, all that a name server may send is too much. */
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
     * @param addresses none when there are none
     * @param error why there are none
     * @param ttl how long this may be cached
     */
    record DnsAnswer(List<InetAddress> addresses, String error, Duration ttl) {

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
     * In a parsed URL a host whose last label is a number is an IPv4 address in four decimal parts:
     * the URL standard sees to that ("ends in a number checker"). A name may well end in a digit.
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
        var begun = nanos.getAsLong();
        var mine = new CompletableFuture<DnsAnswer>();
        var others = inFlight.putIfAbsent(host, mine);
        if (others == null) {
            startQuery(host, mine);
        }
        try {
            var dnsAnswer =
                    (others == null ? mine : others)
                            .get(settings.timeouts().lookup().toNanos(), TimeUnit.NANOSECONDS);
            var now = nanos.getAsLong();
            lookupTimes.put(host, Duration.ofNanos(now - begun), now, LOOKUP_TIMES_TTL);
            return selectAddress(url, dnsAnswer);
        } catch (ExecutionException e) {
            return new Resolution.NotFound(LogText.sanitize(e));
        } catch (TimeoutException e) {
            inFlight.remove(host, others == null ? mine : others);
            return new Resolution.NotFound("no answer from the name server in time");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Resolution.NotFound("interrupted");
        }
    }

    private void startQuery(String host, CompletableFuture<DnsAnswer> mine) {
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
                                    inFlight.remove(host, mine);
                                    if (dnsAnswer == null) {
                                        mine.completeExceptionally(error);
                                    } else {
                                        mine.complete(dnsAnswer);
                                    }
                                });
    }

    private Resolution selectAddress(CrawlUrl url, DnsAnswer dnsAnswer) {
        return dnsAnswer.addresses().isEmpty()
                ? new Resolution.NotFound(LogText.sanitize(dnsAnswer.error()))
                : selectAddress(url, dnsAnswer.addresses());
    }

    private Resolution selectAddress(CrawlUrl url, List<InetAddress> addresses) {
        var why = "";
        Optional<InetAddress> secondBest = Optional.empty();
        for (var address : addresses) {
            var objection = settings.addressPolicy().refusalReason(url, address);
            if (objection.isPresent()) {
                why = address.getHostAddress() + " is " + objection.get();
            } else if (failedAddresses.get(address, nanos.getAsLong()).isPresent()) {
                secondBest = secondBest.or(() -> Optional.of(address));
            } else {
                return new Resolution.Found(address);
            }
        }
        return secondBest.isPresent()
                ? new Resolution.Found(secondBest.get())
                : new Resolution.Forbidden(why);
    }

    /** The next look-up of the name prefers other addresses. */
    void markFailed(InetAddress address) {
        failedAddresses.put(address, true, nanos.getAsLong(), FAILED_TTL);
    }

    /** How long the look-up before a request took; zero when there was none. */
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
