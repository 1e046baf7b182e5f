package dev.orbweaver.internal.frontier;

/**
 * Limits what a job accepts. URLs over a limit are refused at offer, before any request to their
 * host.
 *
 * @param urlsPerDomain URLs of all hosts of a registrable domain together
 */
public record IntakeLimits(int urlsPerHost, long urlsPerDomain, int hosts) {

    public static final IntakeLimits NONE =
            new IntakeLimits(Integer.MAX_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE);

    public IntakeLimits {
        if (urlsPerHost < 1 || urlsPerDomain < 1 || hosts < 1) {
            throw new IllegalArgumentException("an intake limit must be at least 1");
        }
    }
}
