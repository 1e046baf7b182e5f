package dev.orbweaver.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.config.NetworkSettings;
import dev.orbweaver.internal.fetch.AddressPolicy;
import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.fetch.FetchSettings;
import dev.orbweaver.internal.fetch.NettyFetcher;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.spi.Fetcher.Resolution;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Verifies keys of IndexNow: the key file on the host must contain the key.
 *
 * <p>Results are cached, and a host gets at most one request per {@link #DELAY}, so that callers
 * cannot use this service to send requests to others. robots.txt does not apply: the owner of the
 * host names the file for this purpose.
 */
final class IndexNowKeys implements AutoCloseable {

    enum Result {
        VALID,
        INVALID,
        /** The key file could not be requested yet, or the host did not respond. */
        UNKNOWN
    }

    private static final int FILE_BYTES_MAX = 16 << 10;
    private static final int CACHED_MAX = 10_000;
    private static final Duration VALID_TTL = Duration.ofDays(1);
    private static final Duration INVALID_TTL = Duration.ofMinutes(10);

    /** The shortest time between two requests to a host. */
    static final Duration DELAY = Duration.ofSeconds(10);

    private static final FetchSettings.Timeouts TIMEOUTS =
            new FetchSettings.Timeouts(
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(10));

    private record Cached(Result result, Instant until) {}

    private final NettyFetcher fetcher;
    private final InstantSource clock;
    private final Map<String, Cached> cache = bounded();
    private final Map<String, Instant> nextRequests = bounded();

    IndexNowKeys(
            NetworkSettings network, AddressPolicy addresses, Path temporary, InstantSource clock) {
        this.clock = clock;
        var crawl = network.fetch(temporary);
        this.fetcher =
                new NettyFetcher(
                        new FetchSettings(
                                crawl.userAgent(),
                                TIMEOUTS,
                                crawl.connectionLimits(),
                                crawl.headBytesMax(),
                                FILE_BYTES_MAX,
                                crawl.insecure(),
                                crawl.http2(),
                                addresses,
                                crawl.hostOverrides(),
                                crawl.nameServer(),
                                crawl.requestOptions(),
                                crawl.tempDirectory()),
                        clock);
    }

    private static <T> Map<String, T> bounded() {
        return new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, T> eldest) {
                return size() > CACHED_MAX;
            }
        };
    }

    /** Returns whether a key file contains the key, from the cache or by a request. */
    Result verify(CrawlUrl file, String key) throws IOException {
        var entry = file.text() + " " + key;
        synchronized (this) {
            var now = clock.instant();
            var cached = Optional.ofNullable(cache.get(entry));
            if (cached.filter(each -> now.isBefore(each.until)).isPresent()) {
                return cached.get().result;
            }
            var next = Optional.ofNullable(nextRequests.get(file.host()));
            if (next.filter(now::isBefore).isPresent()) {
                return Result.UNKNOWN;
            }
            nextRequests.put(file.host(), now.plus(DELAY));
        }
        var result = request(file, key);
        if (result != Result.UNKNOWN) {
            var ttl = result == Result.VALID ? VALID_TTL : INVALID_TTL;
            synchronized (this) {
                cache.put(entry, new Cached(result, clock.instant().plus(ttl)));
            }
        }
        return result;
    }

    private Result request(CrawlUrl file, String key) throws IOException {
        return switch (fetcher.resolve(file)) {
            case Resolution.Found(var address) ->
                    switch (fetcher.fetch(file, address)) {
                        case FetchResult.Fetched(var exchange) -> result(exchange, key);
                        case FetchResult.Redirected(var exchange, _) -> result(exchange, key);
                        case FetchResult.NotModified(var exchange) -> result(exchange, key);
                        case FetchResult.Refused _ -> Result.INVALID;
                        case FetchResult.NoResponse _, FetchResult.Failed _ -> Result.UNKNOWN;
                    };
            case Resolution.Forbidden _ -> Result.INVALID;
            case Resolution.NotFound _ -> Result.UNKNOWN;
        };
    }

    /**
     * The file must have the key as a line. A redirect is no proof, because it can leave the host.
     */
    private static Result result(Exchange exchange, String key) throws IOException {
        try {
            if (exchange.status() >= 500) {
                return Result.UNKNOWN;
            }
            if (exchange.status() != 200 || exchange.truncated().isPresent()) {
                return Result.INVALID;
            }
            var text = new ByteArrayOutputStream();
            try (var body = open(exchange.body())) {
                if (!ContentReader.copyDecoded(
                        exchange.head(), body, exchange.body().length(), text)) {
                    return Result.INVALID;
                }
            }
            var found =
                    text.toString(UTF_8)
                            .lines()
                            .map(line -> line.startsWith("\ufeff") ? line.substring(1) : line)
                            .anyMatch(line -> line.strip().equals(key));
            return found ? Result.VALID : Result.INVALID;
        } finally {
            if (exchange.body() instanceof Body.InFile(var file, _)) {
                Files.deleteIfExists(file);
            }
        }
    }

    private static InputStream open(Body body) throws IOException {
        return switch (body) {
            case Body.InMemory(var bytes, var size) -> new ByteArrayInputStream(bytes, 0, size);
            case Body.InFile(var file, _) -> Files.newInputStream(file);
        };
    }

    @Override
    public void close() {
        fetcher.close();
    }
}
