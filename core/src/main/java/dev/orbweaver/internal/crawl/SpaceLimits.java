package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.sink.CaptureReader;

import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The space limits of a crawl, and where deferred links are read from.
 *
 * @param queuedUrlsMax maximum number of queued URLs
 * @param queuedBytesMax approximate maximum size of queued URLs
 * @param freeBytesMin how much disk space must be free
 * @param freeBytes measures the free disk space
 * @param captures reads stored pages; without it no links are deferred
 * @param storage the files of the crawl
 */
public record SpaceLimits(
        long queuedUrlsMax,
        long queuedBytesMax,
        long freeBytesMin,
        LongSupplier freeBytes,
        Optional<CaptureReader> captures,
        LocalStorage storage) {

    /** No limits. */
    public static final SpaceLimits UNLIMITED =
            new SpaceLimits(
                    Long.MAX_VALUE,
                    Long.MAX_VALUE,
                    0,
                    () -> Long.MAX_VALUE,
                    Optional.empty(),
                    LocalStorage.NONE);
}
