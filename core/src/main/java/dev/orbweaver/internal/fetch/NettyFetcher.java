package dev.orbweaver.internal.fetch;

import dev.orbweaver.internal.disk.BodyMemory;
import dev.orbweaver.internal.disk.SpillBuffer;
import dev.orbweaver.internal.fetch.ConnectionPool.Acquired;
import dev.orbweaver.internal.fetch.PendingRequest.Step;
import dev.orbweaver.internal.fetch.ResponseReader.BadResponseException;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.Timings;
import dev.orbweaver.model.Validators;
import dev.orbweaver.spi.Fetcher;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import javax.net.ssl.SSLException;

/**
 * Fetches over HTTP/1.1 or HTTP/2 with Netty; called from virtual threads, which block.
 *
 * <p><b>One call, one request.</b> An idle connection that is known to be closed is skipped. But
 * once a byte of a request may have been sent, the request is not repeated here, although RFC 9112
 * (section 9.3.1) would permit it: the server may have received it, and two requests in quick
 * succession violate politeness. The caller gets {@link FetchResult.NoResponse} and retries after
 * the delay. All other failures are a {@link FetchResult.Failed} with a cause. A connection on
 * which anything failed is not reused.
 */
public final class NettyFetcher implements Fetcher {

    private final FetchSettings settings;
    private final InstantSource clock;
    private final Transport transport;
    private final ConnectionPool pool;
    private final AddressResolver addressResolver;
    private final AtomicLong requests = new AtomicLong();
    private final Optional<CookieJar> cookies;
    private final RequestHeadWriter heads;
    private final BodyMemory bodyMemory;
    private volatile boolean closed;

    public NettyFetcher(FetchSettings settings, InstantSource clock) {
        this(settings, clock, SharedDnsCache.NONE);
    }

    /** Creates a fetcher that shares addresses with other processes. */
    public NettyFetcher(
            FetchSettings settings, InstantSource clock, SharedDnsCache sharedDnsCache) {
        this(settings, clock, sharedDnsCache, BodyMemory.NONE);
    }

    /**
     * @param bodyMemory memory of large bodies, which the caller releases
     */
    public NettyFetcher(
            FetchSettings settings,
            InstantSource clock,
            SharedDnsCache sharedDnsCache,
            BodyMemory bodyMemory) {
        this.bodyMemory = bodyMemory;
        this.settings = settings;
        this.clock = clock;
        this.pool = new ConnectionPool(settings.connectionLimits(), settings.http2());
        this.transport = new Transport(settings, pool);
        var dnsClient =
                new DnsClient(
                        settings,
                        transport.group(),
                        transport.datagramChannel(),
                        Transport.socketChannel());
        var fileCookies = settings.requestOptions().fileCookies();
        this.cookies =
                settings.requestOptions().cookies() || !fileCookies.isEmpty()
                        ? Optional.of(new CookieJar(fileCookies))
                        : Optional.empty();
        this.heads = new RequestHeadWriter(settings, cookies);
        this.addressResolver =
                new AddressResolver(
                        settings, new CachedDnsClient(sharedDnsCache, dnsClient), System::nanoTime);
    }

    @Override
    public Resolution resolve(CrawlUrl url) {
        return addressResolver.resolve(url);
    }

    @Override
    public FetchResult fetch(CrawlUrl url, InetAddress address, Runnable sent) {
        return fetch(url, address, sent, HeadFilter.ACCEPT_ALL);
    }

    @Override
    public FetchResult fetch(
            CrawlUrl url, InetAddress address, Runnable sent, HeadFilter headFilter) {
        return fetch(url, address, sent, headFilter, Validators.NONE);
    }

    @Override
    public FetchResult fetch(
            CrawlUrl url,
            InetAddress address,
            Runnable sent,
            HeadFilter headFilter,
            Validators validators) {
        if (closed) {
            return failed(url, FailureCause.CONNECT, "the fetcher is closed");
        }
        var key = new ConnectionPool.Key(address, url.port(), url.isHttps() ? tlsName(url) : "");
        try {
            return requestOnLiveConnection(url, sent, headFilter, validators, key);
        } catch (TimeoutException noneFree) {
            // All connections are in use: nothing was sent, and the host is not at fault.
            return new FetchResult.NoResponse(url, clock.instant());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return failed(url, FailureCause.TIMEOUT, "interrupted while waiting for a connection");
        }
    }

    private FetchResult requestOnLiveConnection(
            CrawlUrl url,
            Runnable sent,
            HeadFilter headFilter,
            Validators validators,
            ConnectionPool.Key key)
            throws TimeoutException, InterruptedException {
        while (true) {
            var acquired =
                    pool.acquire(key, System.nanoTime() + settings.timeouts().total().toNanos());
            // The wait for a connection is local, so the host's time begins only now. The monotonic
            // clock is read first: if the thread pauses between the two, the response seems to end
            // late rather than early, and the host's delay runs from its end.
            var startedNanos = System.nanoTime();
            var fetchAttempt =
                    new FetchAttempt(
                            url, sent, headFilter, validators, clock.instant(), startedNanos);
            var result = request(fetchAttempt, acquired);
            if (result.isPresent()) {
                return result.get();
            }
        }
    }

    /** Returns the host as in a certificate: without brackets and without the dot of the root. */
    private static String tlsName(CrawlUrl url) {
        var host = url.host();
        if (host.charAt(0) == '[') {
            return host.substring(1, host.length() - 1);
        }
        return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    }

    /** A URL and the start of its attempt; durations use the monotonic clock. */
    private record FetchAttempt(
            CrawlUrl url,
            Runnable sent,
            HeadFilter headFilter,
            Validators validators,
            Instant started,
            long startedNanos) {

        Duration elapsed() {
            return Duration.ofNanos(System.nanoTime() - startedNanos);
        }
    }

    /** Records a failed address; behind a proxy the cause is unknown. */
    private void markAddressFailed(ConnectionPool.Key key) {
        if (settings.requestOptions().proxy().isEmpty()) {
            addressResolver.markFailed(key.address());
        }
    }

    /**
     * Sends one request on one connection. Returns empty if an idle connection was closed before
     * anything was sent, so that another one may be tried.
     */
    private Optional<FetchResult> request(FetchAttempt fetchAttempt, Acquired acquired) {
        var url = fetchAttempt.url();
        var head = heads.write(url, fetchAttempt.validators(), fetchAttempt.started());
        try (var body = new SpillBuffer(settings.tempDirectory(), bodyMemory)) {
            var reader =
                    new ResponseReader(
                            settings.headBytesMax(),
                            settings.bodyBytesMax(),
                            body,
                            fetchAttempt.headFilter());
            var pendingRequest =
                    new PendingRequest(
                            head.sent(),
                            reader,
                            () -> onSent(fetchAttempt),
                            settings.timeouts(),
                            fetchAttempt.startedNanos());
            transport.register(pendingRequest);
            try {
                return awaitResponse(fetchAttempt, acquired, pendingRequest, head.recorded());
            } finally {
                transport.unregister(pendingRequest);
            }
        } catch (IOException e) {
            return Optional.of(failed(url, FailureCause.INTERNAL, LogText.sanitize(e)));
        }
    }

    private Optional<FetchResult> awaitResponse(
            FetchAttempt fetchAttempt,
            Acquired acquired,
            PendingRequest pendingRequest,
            byte[] recorded)
            throws IOException {
        var url = fetchAttempt.url();
        Connection connection;
        try {
            connection = start(acquired, pendingRequest);
        } catch (NoSocketException e) {
            // Nothing was sent, and the host is not at fault: this does not count as an attempt.
            var problem = Optional.ofNullable(e.getMessage());
            return Optional.of(new FetchResult.NoResponse(url, clock.instant(), problem));
        } catch (TimeoutException | IOException e) {
            return Optional.of(connectFailure(url, acquired.key(), e));
        }
        try {
            pendingRequest.finished.get();
            return Optional.of(completed(fetchAttempt, connection, pendingRequest, recorded));
        } catch (ExecutionException e) {
            connection.abandon(pendingRequest);
            return failureResult(url, acquired, pendingRequest, LogText.unwrap(e));
        } catch (InterruptedException e) {
            connection.abandon(pendingRequest);
            Thread.currentThread().interrupt();
            return Optional.of(
                    failed(
                            url,
                            FailureCause.TIMEOUT,
                            "interrupted while waiting for the response"));
        } catch (IOException | RuntimeException e) {
            connection.abandon(pendingRequest); // Otherwise its slot would never be released.
            throw e;
        }
    }

    private Connection start(Acquired acquired, PendingRequest pendingRequest)
            throws IOException, TimeoutException {
        return switch (acquired) {
            case Acquired.NewConnection(var slot) -> transport.connect(slot, pendingRequest);
            case Acquired.Reused(var connection) -> {
                connection.send(pendingRequest);
                yield connection;
            }
        };
    }

    private FetchResult completed(
            FetchAttempt fetchAttempt,
            Connection connection,
            PendingRequest pendingRequest,
            byte[] recorded)
            throws IOException {
        var url = fetchAttempt.url();
        var reader = pendingRequest.reader;
        cookies.filter(_ -> settings.requestOptions().cookies())
                .ifPresent(
                        jar ->
                                jar.store(
                                        url,
                                        reader.head().fields("set-cookie"),
                                        fetchAttempt.started()));
        if (reader.refusalReason().isPresent()) {
            return new FetchResult.Refused(url, reader.refusalReason().get());
        }
        var timings =
                new Timings(
                        fetchAttempt.started(),
                        addressResolver.takeLookupTime(url.host()),
                        pendingRequest.duration(Step.CONNECT),
                        pendingRequest.duration(Step.TLS),
                        pendingRequest.duration(Step.FIRST_BYTE),
                        fetchAttempt.elapsed());
        var result = result(url, connection, recorded, pendingRequest, timings);
        if (reader.isReusable() && !pendingRequest.isHttp2()) {
            pool.release(connection, System.nanoTime());
        }
        return result;
    }

    private void onSent(FetchAttempt fetchAttempt) {
        requests.incrementAndGet();
        fetchAttempt.sent().run();
    }

    /**
     * Returns the result of a request without a response; empty if another connection may be tried.
     */
    private Optional<FetchResult> failureResult(
            CrawlUrl url, Acquired acquired, PendingRequest pendingRequest, Throwable cause) {
        var reused = acquired instanceof Acquired.Reused;
        if (!pendingRequest.isStarted()) {
            return reused
                    ? Optional.empty()
                    : Optional.of(connectFailure(url, acquired.key(), cause));
        }
        if (cause instanceof Http2Streams.UnprocessedException) {
            return Optional.of(new FetchResult.NoResponse(url, clock.instant()));
        }
        var lost = reused && !pendingRequest.isHttp2() && !pendingRequest.reader.hasStarted();
        if (lost && isClosed(cause)) {
            pool.disableReuse(acquired.key(), System.nanoTime());
            return Optional.of(new FetchResult.NoResponse(url, clock.instant()));
        }
        return Optional.of(
                switch (cause) {
                    case BadResponseException bad ->
                            failed(url, bad.failure(), LogText.sanitize(bad));
                    case SSLException ssl ->
                            failed(url, FailureCause.TLS, LogText.sanitizeWithRootCause(ssl));
                    case IOException broken ->
                            failed(url, FailureCause.DISCONNECT, LogText.sanitize(broken));
                    case TimeoutException late ->
                            failed(url, FailureCause.TIMEOUT, LogText.sanitize(late));
                    default -> failed(url, FailureCause.INTERNAL, cause.getClass().getName());
                });
    }

    private FetchResult connectFailure(CrawlUrl url, ConnectionPool.Key key, Throwable cause) {
        return switch (cause) {
            case BadResponseException bad -> failed(url, bad.failure(), LogText.sanitize(bad));
            case SSLException ssl ->
                    failed(url, FailureCause.TLS, LogText.sanitizeWithRootCause(ssl));
            case TimeoutException late -> {
                markAddressFailed(key);
                yield failed(url, FailureCause.TIMEOUT, LogText.sanitize(late));
            }
            default -> {
                markAddressFailed(key);
                yield failed(url, FailureCause.CONNECT, LogText.sanitize(cause));
            }
        };
    }

    private static boolean isClosed(Throwable cause) {
        return cause instanceof BadResponseException bad
                ? bad.failure() == FailureCause.DISCONNECT
                : cause instanceof IOException && !(cause instanceof SSLException);
    }

    private FetchResult result(
            CrawlUrl url,
            Connection connection,
            byte[] requestHead,
            PendingRequest pendingRequest,
            Timings timings)
            throws IOException {
        var reader = pendingRequest.reader;
        var truncated =
                reader.isTruncated()
                        ? Optional.of(Exchange.Truncation.LENGTH)
                        : Optional.<Exchange.Truncation>empty();
        var exchange =
                new Exchange(
                        url,
                        requestHead,
                        reader.head(),
                        reader.body(),
                        connection.key().address(),
                        timings,
                        truncated,
                        pendingRequest.isHttp2()
                                ? Exchange.HttpVersion.HTTP_2
                                : Exchange.HttpVersion.HTTP_1);
        var location = reader.head().field("location");
        return switch (exchange.status()) {
            case 304 -> new FetchResult.NotModified(exchange);
            case 301, 302, 303, 307, 308 ->
                    location.isPresent()
                            ? new FetchResult.Redirected(exchange, location.get())
                            : new FetchResult.Fetched(exchange);
            default -> new FetchResult.Fetched(exchange);
        };
    }

    private FetchResult failed(CrawlUrl url, FailureCause cause, String detail) {
        return new FetchResult.Failed(url, cause, detail, clock.instant());
    }

    @Override
    public Stats stats() {
        return new Stats(
                transport.openConnections(),
                requests.get(),
                transport.connectionsOpened(),
                transport.trafficCounter().sentBytes(),
                transport.trafficCounter().receivedBytes());
    }

    @Override
    public void close() {
        closed = true;
        pool.closeAll();
        addressResolver.close();
        transport.close();
    }
}
