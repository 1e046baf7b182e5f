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
 * @param userAgent the User-Agent, which should contain a contact of the operator
 * @param bodyBytesMax maximum length of a body, which is truncated there
 * @param insecure whether any certificate is accepted
 * @param http2 whether HTTP/2 is used where a server offers it
 * @param hostOverrides addresses for names, used before DNS
 * @param nameServer the only name server to use, instead of the system's
 * @param tempDirectory directory for bodies too large for memory
 */
public record FetchSettings(
        String userAgent,
        Timeouts timeouts,
        ConnectionLimits connectionLimits,
        int headBytesMax,
        long bodyBytesMax,
        boolean insecure,
        boolean http2,
        AddressPolicy addressPolicy,
        Map<String, InetAddress> hostOverrides,
        Optional<InetSocketAddress> nameServer,
        RequestOptions requestOptions,
        Path tempDirectory) {

    public FetchSettings {
        if (userAgent.isEmpty() || userAgent.chars().anyMatch(c -> c < ' ' || c > '~')) {
            throw new IllegalArgumentException(
                    "the User-Agent must be printable ASCII: " + userAgent);
        }
        if (headBytesMax < 1 || bodyBytesMax < 0) {
            throw new IllegalArgumentException(
                    "the head limit must be at least 1 and the body limit not negative: %d, %d"
                            .formatted(headBytesMax, bodyBytesMax));
        }
        hostOverrides = Map.copyOf(hostOverrides);
    }

    /**
     * Time limits of a request.
     *
     * @param lookup for one DNS lookup
     * @param connect for TCP, and again for TLS
     * @param firstByte from the request to the first byte of the response
     * @param total the whole request, from connecting to the last byte
     */
    public record Timeouts(Duration lookup, Duration connect, Duration firstByte, Duration total) {

        public Timeouts {
            if (!isPositive(lookup)
                    || !isPositive(connect)
                    || !isPositive(firstByte)
                    || !isPositive(total)) {
                throw new IllegalArgumentException("timeouts must be positive");
            }
        }
    }

    /**
     * Limits for active and idle connections together.
     *
     * @param perEndpoint connections per address, port and TLS name
     * @param idle how long an idle connection is kept
     */
    public record ConnectionLimits(int max, int perEndpoint, Duration idle) {

        public ConnectionLimits {
            if (max < 1 || perEndpoint < 1 || !isPositive(idle)) {
                throw new IllegalArgumentException(
                        "connection limits must be at least 1, and the idle time positive");
            }
        }
    }

    private static boolean isPositive(Duration duration) {
        return duration.compareTo(Duration.ZERO) > 0;
    }
}
