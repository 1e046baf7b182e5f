package dev.orbweaver.internal.fetch;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A bounded cache that evicts the least recently used entry. Times are of the monotonic clock, so
 * they are compared by difference.
 */
final class ExpiringMap<K, V> {

    private record ExpiringValue<V>(V value, long expiresNanos) {}

    private final Map<K, ExpiringValue<V>> entries;

    ExpiringMap(int max) {
        this.entries =
                new LinkedHashMap<>(16, 0.75f, true) {
                    private static final long serialVersionUID = 1;

                    @Override
                    protected boolean removeEldestEntry(Map.Entry<K, ExpiringValue<V>> eldest) {
                        return size() > max;
                    }
                };
    }

    synchronized Optional<V> get(K key, long nowNanos) {
        var entry = entries.get(key);
        if (entry == null) {
            return Optional.empty();
        }
        if (entry.expiresNanos() - nowNanos <= 0) {
            entries.remove(key);
            return Optional.empty();
        }
        return Optional.of(entry.value());
    }

    synchronized void put(K key, V value, long nowNanos, Duration ttl) {
        entries.put(key, new ExpiringValue<>(value, nowNanos + ttl.toNanos()));
    }

    /** Removes an entry and returns its value, even if it has expired. */
    synchronized Optional<V> remove(K key) {
        return Optional.ofNullable(entries.remove(key)).map(ExpiringValue::value);
    }

    synchronized int size() {
        return entries.size();
    }
}
