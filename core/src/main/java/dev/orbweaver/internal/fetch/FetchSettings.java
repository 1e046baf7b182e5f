package dev.orbweaver.internal.fetch;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Settings of a fetcher.
 *
 * @param userAgent with a way to reach the operator of the crawl
 * @param bodyBytesMax where a body is cut
 * @param insecure accept any certificate
 * @param hostOverrides addresses for names, asked before any name server
 * @param nameServer the one name server to ask, instead of the system's
 * @param tempDirectory for bodies too large for memory
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
     * Time limits of a request.
     *
     * @param lookup of one name
     * @param connect of TCP, and once more of TLS
     * @param firstByte from the request to the beginning of its response
     * @param total the whole request, from connecting to the last byte
     */
    public record Timeouts(Duration lookup, Duration connect, Duration firstByte, Duration total) {

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
     * Limits for used and idle connections together.
     *
     * @param perEndpoint of one address, port and TLS name
     * @param idle how long one waits for another request
     */
    public record ConnectionLimits(int max, int perEndpoint, Duration idle) {

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
