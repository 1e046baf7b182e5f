package dev.orbweaver.testkit;

/**
 * Distributions of page sizes: log-normal as on the live web, with a median of 57 % of the mean.
 */
public enum PageSizes {
    /** The live web in 2025: median 138 KB, mean 242 KB. */
    LIVE(242_000),
    /** A tenth of that, for benchmarks that do not depend on size: mean 24 KB. */
    LIGHT(24_000),
    /** Small enough for tests. */
    SMALL(4_096);

    private final int meanBytes;

    PageSizes(int meanBytes) {
        this.meanBytes = meanBytes;
    }

    public int meanBytes() {
        return meanBytes;
    }
}
