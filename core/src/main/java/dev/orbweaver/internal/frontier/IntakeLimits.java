package dev.orbweaver.internal.frontier;

/**
 * How much a job may accept. URLs over the limit are refused at offer, before any request to their
 * host.
 *
 * @param urlsPerDomain URLs of all hosts of a registrable domain together
 */
public record IntakeLimits(int urlsPerHost, long urlsPerDomain, int hosts) {

    public static final IntakeLimits NONE =
            new IntakeLimits(Integer.MAX_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE);

    public IntakeLimits {
        if (urlsPerHost < 1 || urlsPerDomain < 1 || hosts < 1) {
            throw new IllegalArgumentException("a limit on intake is at least 1");
        }
    }
}
