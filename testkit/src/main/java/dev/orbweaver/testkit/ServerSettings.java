package dev.orbweaver.testkit;

/**
 * The settings of a server.
 *
 * @param port the port on every address; 0 for one that is free on all of them
 * @param threads number of event loops
 * @param cacheBytesMax maximum bytes of cached responses, outside the heap
 * @param arrivalsMax maximum requests that the auditor records
 */
public record ServerSettings(int port, int threads, long cacheBytesMax, int arrivalsMax) {

    private static final long CACHE_BYTES_MAX = 128L << 20;
    private static final int ARRIVALS_MAX = 4_000_000;

    public ServerSettings {
        if (port < 0 || port > 65_535 || threads < 1 || cacheBytesMax < 0 || arrivalsMax < 1) {
            throw new IllegalArgumentException(
                    "invalid port " + port + " or number of threads " + threads);
        }
    }

    /** Settings with one event loop and any free port. */
    public static ServerSettings defaults() {
        return new ServerSettings(0, 1, CACHE_BYTES_MAX, ARRIVALS_MAX);
    }

    public ServerSettings withPort(int other) {
        return new ServerSettings(other, threads, cacheBytesMax, arrivalsMax);
    }

    public ServerSettings withThreads(int other) {
        return new ServerSettings(port, other, cacheBytesMax, arrivalsMax);
    }

    public ServerSettings withCacheBytesMax(long bytes) {
        return new ServerSettings(port, threads, bytes, arrivalsMax);
    }
}
