package dev.orbweaver.internal.fetch;

import dev.orbweaver.internal.fetch.SharedDnsCache.Entry;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Resolves names from a shared cache, then from the upstream. Negative results are not shared,
 * because they may be specific to this machine's network.
 */
record CachedDnsClient(SharedDnsCache sharedCache, AddressResolver.Upstream upstream)
        implements AddressResolver.Upstream {

    /** A cache that does not respond must not use up the time for the lookup. */
    private static final long CACHE_TIMEOUT_MILLIS = 500;

    private static final Executor BACKGROUND = task -> Thread.ofVirtual().start(task);

    @Override
    public CompletableFuture<AddressResolver.DnsAnswer> query(String host) {
        return CompletableFuture.supplyAsync(() -> sharedCache.find(host), BACKGROUND)
                .completeOnTimeout(Optional.empty(), CACHE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
                .thenCompose(
                        known ->
                                known.filter(entry -> !entry.addresses().isEmpty())
                                        .map(CachedDnsClient::toAnswer)
                                        .map(CompletableFuture::completedFuture)
                                        .orElseGet(() -> queryAndShare(host)));
    }

    private static AddressResolver.DnsAnswer toAnswer(Entry entry) {
        return new AddressResolver.DnsAnswer(entry.addresses(), "", entry.ttl());
    }

    private CompletableFuture<AddressResolver.DnsAnswer> queryAndShare(String host) {
        return upstream.query(host)
                .whenComplete(
                        (dnsAnswer, _) -> {
                            if (dnsAnswer != null && !dnsAnswer.addresses().isEmpty()) {
                                share(host, dnsAnswer);
                            }
                        });
    }

    private void share(String host, AddressResolver.DnsAnswer dnsAnswer) {
        var entry = new Entry(List.copyOf(dnsAnswer.addresses()), dnsAnswer.ttl());
        BACKGROUND.execute(() -> sharedCache.put(host, entry));
    }

    @Override
    public void close() {
        upstream.close();
    }
}
