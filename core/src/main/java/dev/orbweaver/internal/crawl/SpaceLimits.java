package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.sink.CaptureReader;

import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * How much room a crawl has for URLs that wait, and where it finds the links again that it had no
 * room for.
 *
 * @param queuedUrlsMax how many URLs may be queued
 * @param queuedBytesMax about how many bytes queued URLs may take
 * @param freeBytesMin how much of the disk must be free
 * @param freeBytes how much is
 * @param captures reads stored pages; without it nothing is ever deferred
 * @param storage the files of the crawl
 */
public record SpaceLimits(
        long queuedUrlsMax,
        long queuedBytesMax,
        long freeBytesMin,
        LongSupplier freeBytes,
        Optional<CaptureReader> captures,
        LocalStorage storage) {

    /** As much as it likes. */
    public static final SpaceLimits UNLIMITED =
            new SpaceLimits(
                    Long.MAX_VALUE,
                    Long.MAX_VALUE,
                    0,
                    () -> Long.MAX_VALUE,
                    Optional.empty(),
                    LocalStorage.NONE);
}
