package dev.orbweaver.internal.engine;

import dev.orbweaver.spi.Sink;

import java.util.Optional;

/**
 * How committed pages are delivered to one sink.
 *
 * @param pagesOnly whether redirects, errors and failures are left out
 * @param batchSize how many lines are acknowledged together
 * @param startAfter the number of the line to start after, instead of the stored position
 * @param maxLag how many lines the sink may be behind before the crawl waits for it
 */
public record DeliverySettings(
        Sink sink,
        boolean pagesOnly,
        int batchSize,
        Optional<Long> startAfter,
        long maxLag,
        boolean stopOnFailure) {

    String name() {
        return sink.name();
    }
}
