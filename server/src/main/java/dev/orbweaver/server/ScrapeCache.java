package dev.orbweaver.server;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The results of recent scrapes, in memory, up to a number of bytes; the oldest used go first. */
final class ScrapeCache {

    static final long BYTES_MAX = 32L << 20;
    static final int RESULT_BYTES_MAX = 4 << 20;

    /** A result as JSON. */
    // Never compared, so the array component is safe.
    @SuppressWarnings("ArrayRecordComponent")
    record Result(Instant fetchedAt, byte[] json) {}

    private final Map<String, Result> results = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    /** Returns a result that was fetched at this time or later. */
    synchronized Optional<Result> find(String key, Instant oldest) {
        return Optional.ofNullable(results.get(key))
                .filter(result -> !result.fetchedAt.isBefore(oldest));
    }

    synchronized void put(String key, Result result) {
        if (result.json.length > RESULT_BYTES_MAX) {
            return;
        }
        var before = results.put(key, result);
        bytes += result.json.length - (before == null ? 0 : before.json.length);
        var oldest = results.values().iterator();
        while (bytes > BYTES_MAX) {
            bytes -= oldest.next().json.length;
            oldest.remove();
        }
    }

    synchronized long bytes() {
        return bytes;
    }
}
