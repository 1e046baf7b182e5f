package dev.orbweaver.model;

import java.util.Map;
import java.util.TreeMap;

/**
 * Bytes transferred by crawls since they were opened.
 *
 * @param sentBytes on the network, including heads and TLS
 * @param receivedBytes likewise
 * @param writtenBytes by type of file
 * @param sinks by name, including that of the WARC files
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
