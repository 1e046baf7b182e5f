package dev.orbweaver.internal.fetch;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Where several processes tell each other the addresses of names, so that all of them dial the same
 * machine of a host that has several and keep one distance from it. Calls may take a moment; they
 * never fail, as a name server can always be asked instead.
 */
public interface SharedDnsCache {

    /** One in which nothing stands. */
    SharedDnsCache NONE =
            new SharedDnsCache() {
                @Override
                public Optional<Entry> find(String host) {
                    return Optional.empty();
                }

                @Override
                public void put(String host, Entry entry) {}
            };

    /**
     * Addresses of a name.
     *
     * @param ttl for how long from now on
     */
    record Entry(List<InetAddress> addresses, Duration ttl) {

        /** Keeps the addresses unchangeable. */
        public Entry {
            addresses = List.copyOf(addresses);
        }
    }

    /** What stands there of a name. */
    Optional<Entry> find(String host);

    /** Writes down what a name server said of a name. */
    void put(String host, Entry entry);
}
