package dev.orbweaver.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.fetch.AddressResolver.DnsAnswer;
import dev.orbweaver.internal.fetch.SharedDnsCache.Entry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Names that several processes resolve with a shared cache. */
@Timeout(60)
class CachedDnsClientTest {

    private static final InetAddress FIRST = InetAddress.ofLiteral("9.9.9.9");
    private static final InetAddress SECOND = InetAddress.ofLiteral("2620:fe::fe");

    private final Map<String, Entry> entries = new ConcurrentHashMap<>();
    private final AtomicInteger queries = new AtomicInteger();
    private final SharedDnsCache book =
            new SharedDnsCache() {
                @Override
                public Optional<Entry> find(String host) {
                    return Optional.ofNullable(entries.get(host));
                }

                @Override
                public void put(String host, Entry entry) {
                    entries.put(host, entry);
                }
            };

    private CachedDnsClient dnsClient(DnsAnswer dnsAnswer) {
        return new CachedDnsClient(
                book,
                new AddressResolver.Upstream() {
                    @Override
                    public CompletableFuture<DnsAnswer> query(String host) {
                        queries.incrementAndGet();
                        return CompletableFuture.completedFuture(dnsAnswer);
                    }

                    @Override
                    public void close() {}
                });
    }

    @Test
    void whatOneProcessWasToldTheOtherDoesNotAsk() {
        var told = new DnsAnswer(List.of(SECOND, FIRST), "", Duration.ofSeconds(60));
        assertThat(dnsClient(told).query("a.example").join()).isEqualTo(told);
        while (entries.isEmpty()) {
            LockSupport.parkNanos(1_000_000);
        }
        var other = new DnsAnswer(List.of(FIRST), "", Duration.ofSeconds(5));
        assertThat(dnsClient(other).query("a.example").join()).isEqualTo(told);
        assertThat(queries).hasValue(1);
    }

    @Test
    void whatDoesNotStandInTheBookIsAskedFor() {
        entries.put("b.example", new Entry(List.of(), Duration.ofSeconds(60)));
        var told = new DnsAnswer(List.of(FIRST), "", Duration.ofSeconds(60));
        assertThat(dnsClient(told).query("b.example").join()).isEqualTo(told);
        assertThat(queries).hasValue(1);
    }

    @Test
    void thatThereIsNoSuchNameIsNobodyElsesConcern() {
        var none = new DnsAnswer(List.of(), "no such name", Duration.ofSeconds(60));
        assertThat(dnsClient(none).query("a.example").join()).isEqualTo(none);
        assertThat(dnsClient(none).query("a.example").join()).isEqualTo(none);
        assertThat(queries).hasValue(2);
        assertThat(entries).isEmpty();
    }
}
