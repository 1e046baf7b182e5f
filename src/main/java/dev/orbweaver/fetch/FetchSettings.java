package dev.orbweaver.fetch;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Everything a fetcher must know.
 *
 * @param userAgent the User-Agent field, with a way to reach whoever runs the crawl
 * @param total the time for a whole request, from connecting to the last byte
 * @param bodyBytesMax where a body is cut
 * @param insecure accept any certificate
 * @param allowPrivate dial private, loopback and other special addresses
 * @param granted hosts whose special addresses may be dialled because the user named them as
 *     literal seeds
 * @param fixed addresses for names, asked before any name server
 * @param nameServer the one name server to ask, instead of the system's
 * @param temporary the folder for bodies too large for memory
 */
public record FetchSettings(
        String userAgent,
        Duration connect,
        Duration firstByte,
        Duration total,
        int headBytesMax,
        long bodyBytesMax,
        boolean insecure,
        boolean allowPrivate,
        Set<String> granted,
        Map<String, InetAddress> fixed,
        Optional<InetSocketAddress> nameServer,
        int connectionsMax,
        Path temporary) {

    /** Keeps the parts unchangeable, and what goes into a request free of line ends. */
    public FetchSettings {
        if (userAgent.isEmpty() || userAgent.chars().anyMatch(c -> c < ' ' || c > '~')) {
            throw new IllegalArgumentException("a User-Agent is printable ASCII: " + userAgent);
        }
        if (!positive(connect) || !positive(firstByte) || !positive(total)) {
            throw new IllegalArgumentException("a time limit must be more than nothing");
        }
        if (headBytesMax < 1 || bodyBytesMax < 0 || connectionsMax < 0) {
            throw new IllegalArgumentException("a limit must not be negative");
        }
        granted = Set.copyOf(granted);
        fixed = Map.copyOf(fixed);
    }

    private static boolean positive(Duration duration) {
        return duration.compareTo(Duration.ZERO) > 0;
    }
}
