package dev.orbweaver.internal.fetch;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A cache of addresses shared by processes, so that all of them connect to the same address of a
 * host and share its delay. Calls may block but never fail, because DNS is always available as a
 * fallback.
 */
public interface SharedDnsCache {

    SharedDnsCache NONE =
            new SharedDnsCache() {
                @Override
                public Optional<Entry> find(String host) {
                    return Optional.empty();
                }

                @Override
                public void put(String host, Entry entry) {}
            };

    /** Cached addresses, valid for {@code ttl} from now on. */
    record Entry(List<InetAddress> addresses, Duration ttl) {

        public Entry {
            addresses = List.copyOf(addresses);
        }
    }

    Optional<Entry> find(String host);

    void put(String host, Entry entry);
}
