package dev.orbweaver.internal.frontier;

/**
 * How much a job may take in, at most. What is over is refused at offer, before anything of its
 * host is asked for.
 *
 * @param urlsPerHost URLs of one host
 * @param urlsPerDomain URLs of all hosts of a registrable domain together
 * @param hosts hosts
 */
public record IntakeLimits(int urlsPerHost, long urlsPerDomain, int hosts) {

    /** No limits. */
    public static final IntakeLimits NONE =
            new IntakeLimits(Integer.MAX_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE);

    /** Rejects limits that let nothing in. */
    public IntakeLimits {
        if (urlsPerHost < 1 || urlsPerDomain < 1 || hosts < 1) {
            throw new IllegalArgumentException("a limit on intake is at least 1");
        }
    }
}
