package dev.orbweaver.model;

import java.util.Map;
import java.util.TreeMap;

/**
 * What crawls have moved since they were opened.
 *
 * @param sentBytes as the network saw them: heads, and TLS
 * @param receivedBytes likewise
 * @param writtenBytes by kind of file
 * @param sinks by name, that of the WARC files among them
 */
public record TransferStats(
        long sentBytes,
        long receivedBytes,
        Map<String, Long> writtenBytes,
        Map<String, SinkCounts> sinks) {

    public static final TransferStats NONE = new TransferStats(0, 0, Map.of(), Map.of());

    public TransferStats {
        writtenBytes = Map.copyOf(writtenBytes);
        sinks = Map.copyOf(sinks);
    }

    public TransferStats plus(TransferStats other) {
        var written = new TreeMap<>(writtenBytes);
        other.writtenBytes.forEach((what, bytes) -> written.merge(what, bytes, Long::sum));
        var counts = new TreeMap<>(sinks);
        other.sinks.forEach((name, count) -> counts.merge(name, count, SinkCounts::plus));
        return new TransferStats(
                sentBytes + other.sentBytes, receivedBytes + other.receivedBytes, written, counts);
    }
}
