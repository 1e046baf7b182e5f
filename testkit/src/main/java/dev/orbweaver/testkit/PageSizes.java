package dev.orbweaver.testkit;

/**
 * How large pages are: a log-normal law as on the live web, whose median is 57 percent of its mean.
 */
public enum PageSizes {
    /** The live web in 2025: median 138 KB, mean 242 KB. */
    LIVE(242_000),
    /** A tenth of that, for benchmarks of everything but the bytes: mean 24 KB. */
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
