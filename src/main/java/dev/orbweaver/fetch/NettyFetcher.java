package dev.orbweaver.fetch;

import dev.orbweaver.disk.SpillBuffer;
import dev.orbweaver.fetch.ConnectionPool.Way;
import dev.orbweaver.fetch.Pending.Step;
import dev.orbweaver.fetch.ResponseReader.BadResponse;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.Timings;

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
 * HTTP/1.1 on Netty, called from virtual threads that simply block.
 *
 * <p><b>One call, one request.</b> A kept connection that is known to be closed is passed over, but
 * once a byte of a request may have gone out the request is not repeated here, although RFC 9112
 * (section 9.3.1) would let us: the server may have seen it, and two requests on each other's heels
 * are what politeness forbids. The caller gets {@link FetchResult.Unanswered} and asks again in its
 * own time. Everything else that goes wrong is a {@link FetchResult.Failed} with its cause, and a
 * connection on which anything went wrong is not used again.
 */
public final class NettyFetcher implements Fetcher {

    private final FetchSettings settings;
    private final InstantSource clock;
    private final Transport transport;
    private final ConnectionPool pool;
    private final Names names;
    private final AtomicLong requests = new AtomicLong();
    private final Optional<CookieJar> cookies;
    private final RequestHeads heads;
    private volatile boolean closed;

    /** Opens an event loop; nothing is sent yet. */
    public NettyFetcher(FetchSettings settings, InstantSource clock) {
        this(settings, clock, AddressBook.EMPTY);
    }

    /** The same with addresses that others have found. */
    public NettyFetcher(FetchSettings settings, InstantSource clock, AddressBook book) {
        this.settings = settings;
        this.clock = clock;
        this.pool = new ConnectionPool(settings.connections());
        this.transport = new Transport(settings, pool);
        var oracle =
                new DnsOracle(
                        settings,
                        transport.group(),
                        transport.datagramChannel(),
                        Transport.socketChannel());
        this.cookies =
                settings.access().cookies() ? Optional.of(new CookieJar()) : Optional.empty();
        this.heads = new RequestHeads(settings, cookies);
        this.names = new Names(settings, new SharedOracle(book, oracle), System::nanoTime);
    }

    @Override
    public Resolution resolve(CrawlUrl url) {
        return names.resolve(url);
    }

    @Override
    public FetchResult fetch(CrawlUrl url, InetAddress address, Runnable sent) {
        return fetch(url, address, sent, HeadJudge.EVERYTHING);
    }

    @Override
    public FetchResult fetch(CrawlUrl url, InetAddress address, Runnable sent, HeadJudge judge) {
        if (closed) {
            return failed(url, FailureCause.CONNECT, "the fetcher is closed");
        }
        var key = new ConnectionPool.Key(address, url.port(), url.https() ? tlsName(url) : "");
        try {
            return over(url, sent, judge, key);
        } catch (TimeoutException noneFree) {
            // All connections are taken by others: nothing was sent, and no host is to blame.
            return new FetchResult.Unanswered(url, clock.instant());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return failed(url, FailureCause.TIMEOUT, "interrupted");
        }
    }

    private FetchResult over(CrawlUrl url, Runnable sent, HeadJudge judge, ConnectionPool.Key key)
            throws TimeoutException, InterruptedException {
        while (true) {
            var way = pool.acquire(key, System.nanoTime() + settings.times().total().toNanos());
            // The wait for a connection is our own, so the host's time begins only now.
            var turn = new Turn(url, sent, judge, clock.instant(), System.nanoTime());
            var result = request(turn, way);
            if (result.isPresent()) {
                return result.get();
            }
        }
    }

    /** The host as a certificate names it: without brackets, without the dot of the root. */
    private static String tlsName(CrawlUrl url) {
        var host = url.host();
        if (host.charAt(0) == '[') {
            return host.substring(1, host.length() - 1);
        }
        return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    }

    /** A URL and when its turn began; durations come from the monotonic clock. */
    private record Turn(
            CrawlUrl url, Runnable sent, HeadJudge judge, Instant started, long startedNanos) {

        Duration elapsed() {
            return Duration.ofNanos(System.nanoTime() - startedNanos);
        }
    }

    /** Behind a proxy it is not known whose fault it was. */
    private void addressFailed(ConnectionPool.Key key) {
        if (settings.access().proxy().isEmpty()) {
            names.failed(key.address());
        }
    }

    /**
     * One request on one connection. Empty when a kept connection was found closed before anything
     * was sent, so that another may be tried.
     */
    private Optional<FetchResult> request(Turn turn, Way way) {
        var url = turn.url();
        var head = heads.of(url, turn.started());
        try (var body = new SpillBuffer(settings.temporary())) {
            var reader =
                    new ResponseReader(
                            settings.headBytesMax(), settings.bodyBytesMax(), body, turn.judge());
            var pending =
                    new Pending(
                            head.sent(),
                            reader,
                            () -> sent(turn),
                            settings.times(),
                            turn.startedNanos());
            transport.began(pending);
            try {
                return answer(turn, way, pending, head.recorded());
            } finally {
                transport.over(pending);
            }
        } catch (IOException e) {
            return Optional.of(failed(url, FailureCause.INTERNAL, Text.harmless(e)));
        }
    }

    private Optional<FetchResult> answer(Turn turn, Way way, Pending pending, byte[] recorded)
            throws IOException {
        var url = turn.url();
        Connection connection;
        try {
            connection = start(way, pending);
        } catch (NoSocketException e) {
            // Nothing was sent, and no host is to blame: the URL keeps its tries.
            var problem = Optional.ofNullable(e.getMessage());
            return Optional.of(new FetchResult.Unanswered(url, clock.instant(), problem));
        } catch (TimeoutException | IOException e) {
            return Optional.of(notConnected(url, way.key(), e));
        }
        try {
            pending.finished.get();
            return Optional.of(finished(turn, connection, pending, recorded));
        } catch (ExecutionException e) {
            connection.close();
            return failure(url, way, pending, Text.rootOf(e));
        } catch (InterruptedException e) {
            connection.close();
            Thread.currentThread().interrupt();
            return Optional.of(failed(url, FailureCause.TIMEOUT, "interrupted"));
        } catch (IOException | RuntimeException e) {
            connection.close(); // Or its place would be taken for ever.
            throw e;
        }
    }

    private Connection start(Way way, Pending pending) throws IOException, TimeoutException {
        return switch (way) {
            case Way.Dial(var slot) -> transport.dial(slot, pending);
            case Way.Kept(var connection) -> {
                connection.send(pending);
                yield connection;
            }
        };
    }

    private FetchResult finished(Turn turn, Connection connection, Pending pending, byte[] recorded)
            throws IOException {
        var url = turn.url();
        var reader = pending.reader;
        cookies.ifPresent(jar -> jar.take(url, reader.head().fields("set-cookie"), turn.started()));
        if (reader.objection().isPresent()) {
            return new FetchResult.Refused(url, reader.objection().get());
        }
        var timings =
                new Timings(
                        turn.started(),
                        names.claimLookup(url.host()),
                        pending.took(Step.CONNECT),
                        pending.took(Step.TLS),
                        pending.took(Step.FIRST_BYTE),
                        turn.elapsed());
        var result = result(url, connection, recorded, reader, timings);
        if (reader.reusable()) {
            pool.give(connection, System.nanoTime());
        }
        return result;
    }

    private void sent(Turn turn) {
        requests.incrementAndGet();
        turn.sent().run();
    }

    /** What comes of a request without an answer; empty if another connection may be tried. */
    private Optional<FetchResult> failure(CrawlUrl url, Way way, Pending pending, Throwable cause) {
        var kept = way instanceof Way.Kept;
        if (!pending.begun()) {
            return kept ? Optional.empty() : Optional.of(notConnected(url, way.key(), cause));
        }
        if (kept && !pending.reader.begun() && isClosed(cause)) {
            pool.distrust(way.key(), System.nanoTime());
            return Optional.of(new FetchResult.Unanswered(url, clock.instant()));
        }
        return Optional.of(
                switch (cause) {
                    case BadResponse bad -> failed(url, bad.failure(), Text.harmless(bad));
                    case SSLException ssl ->
                            failed(url, FailureCause.TLS, Text.harmlessWithRoot(ssl));
                    case IOException broken ->
                            failed(url, FailureCause.DISCONNECT, Text.harmless(broken));
                    case TimeoutException late ->
                            failed(url, FailureCause.TIMEOUT, Text.harmless(late));
                    default -> failed(url, FailureCause.INTERNAL, cause.getClass().getName());
                });
    }

    private FetchResult notConnected(CrawlUrl url, ConnectionPool.Key key, Throwable cause) {
        return switch (cause) {
            case BadResponse bad -> failed(url, bad.failure(), Text.harmless(bad));
            case SSLException ssl -> failed(url, FailureCause.TLS, Text.harmlessWithRoot(ssl));
            case TimeoutException late -> {
                addressFailed(key);
                yield failed(url, FailureCause.TIMEOUT, Text.harmless(late));
            }
            default -> {
                addressFailed(key);
                yield failed(url, FailureCause.CONNECT, Text.harmless(cause));
            }
        };
    }

    private static boolean isClosed(Throwable cause) {
        return cause instanceof BadResponse bad
                ? bad.failure() == FailureCause.DISCONNECT
                : cause instanceof IOException && !(cause instanceof SSLException);
    }

    private FetchResult result(
            CrawlUrl url,
            Connection connection,
            byte[] requestHead,
            ResponseReader reader,
            Timings timings)
            throws IOException {
        var truncated =
                reader.cut()
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
                        truncated);
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
                transport.connectionsMade(),
                transport.meter().sent(),
                transport.meter().received());
    }

    @Override
    public void close() {
        closed = true;
        pool.closeAll();
        names.close();
        transport.close();
    }
}
