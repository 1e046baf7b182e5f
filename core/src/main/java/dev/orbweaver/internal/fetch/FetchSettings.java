package dev.orbweaver.internal.fetch;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Everything a fetcher must know.
 *
 * @param userAgent the User-Agent field, with a way to reach whoever runs the crawl
 * @param bodyBytesMax where a body is cut
 * @param insecure accept any certificate
 * @param addressPolicy what may be connected to
 * @param hostOverrides addresses for names, asked before any name server
 * @param nameServer the one name server to ask, instead of the system's
 * @param tempDirectory the folder for bodies too large for memory
 */
public record FetchSettings(
        String userAgent,
        Timeouts timeouts,
        ConnectionLimits connectionLimits,
        int headBytesMax,
        long bodyBytesMax,
        boolean insecure,
        AddressPolicy addressPolicy,
        Map<String, InetAddress> hostOverrides,
        Optional<InetSocketAddress> nameServer,
        RequestOptions requestOptions,
        Path tempDirectory) {

    /** Keeps the parts unchangeable, and what goes into a request free of line ends. */
    public FetchSettings {
        if (userAgent.isEmpty() || userAgent.chars().anyMatch(c -> c < ' ' || c > '~')) {
            throw new IllegalArgumentException("a User-Agent is printable ASCII: " + userAgent);
        }
        if (headBytesMax < 1 || bodyBytesMax < 0) {
            throw new IllegalArgumentException("a limit must not be negative");
        }
        hostOverrides = Map.copyOf(hostOverrides);
    }

    /**
     * How long things may take.
     *
     * @param lookup of one name
     * @param connect of TCP, and once more of TLS
     * @param firstByte from the request to the beginning of its answer
     * @param total the whole request, from connecting to the last byte
     */
    public record Timeouts(Duration lookup, Duration connect, Duration firstByte, Duration total) {

        /** Each must be some time. */
        public Timeouts {
            if (!isPositive(lookup)
                    || !isPositive(connect)
                    || !isPositive(firstByte)
                    || !isPositive(total)) {
                throw new IllegalArgumentException("a time limit must be more than nothing");
            }
        }
    }

    /**
     * How many connections there may be, used and waiting together.
     *
     * @param perEndpoint of one address, port and TLS name
     * @param idle how long one waits for another request
     */
    public record ConnectionLimits(int max, int perEndpoint, Duration idle) {

        /** There must be some. */
        public ConnectionLimits {
            if (max < 1 || perEndpoint < 1 || !isPositive(idle)) {
                throw new IllegalArgumentException("without connections nothing is fetched");
            }
        }
    }

    private static boolean isPositive(Duration duration) {
        return duration.compareTo(Duration.ZERO) > 0;
    }
}
