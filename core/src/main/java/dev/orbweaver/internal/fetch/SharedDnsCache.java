package dev.orbweaver.internal.fetch;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A cache of addresses that processes share, so that all of them connect to the same address of a
 * host and keep one delay. Calls may block but never fail: a name server can always be asked.
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

    /** Valid for {@code ttl} from now on. */
    record Entry(List<InetAddress> addresses, Duration ttl) {

        public Entry {
            addresses = List.copyOf(addresses);
        }
    }

    Optional<Entry> find(String host);

    void put(String host, Entry entry);
}
