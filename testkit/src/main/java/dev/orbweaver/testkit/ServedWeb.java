package dev.orbweaver.testkit;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** The state of a served web: routes, cached responses, attempts per URL. */
final class ServedWeb {

    /**
     * @param host the number of the host, or -1 for an unknown name
     * @param page the number of the page, or -1 if the target is not a page
     * @param target path and query as requested
     * @param label the subdomain label of a host with wildcard names; otherwise empty
     */
    record Route(int host, int page, String target, String label) {

        Route(int host, int page, String target) {
            this(host, page, target, "");
        }

        SimulatedWeb.ResolvedHost resolvedHost() {
            return new SimulatedWeb.ResolvedHost(host, label);
        }
    }

    private final SimulatedWeb web;
    private final int port;
    private final Auditor auditor;
    private final ResponseCache cache;
    private final HiddenRateLimits limits;
    private final long started;
    private final LongAdder bytesSent = new LongAdder();
    private final LongAdder bodyBytesSent = new LongAdder();
    private volatile boolean isTimeHeld;
    private volatile Duration advanced = Duration.ZERO;
    private final ConcurrentHashMap<Integer, AtomicInteger> attempts = new ConcurrentHashMap<>();

    ServedWeb(SimulatedWeb web, int port, Auditor auditor, long cacheBytesMax) {
        this.web = web;
        this.port = port;
        this.auditor = auditor;
        limits = new HiddenRateLimits(web);
        started = auditor.now();
        cache = new ResponseCache(web, port, cacheBytesMax);
    }

    Auditor auditor() {
        return auditor;
    }

    Route route(String authority, String target) {
        var colon = authority.indexOf(':');
        var found = web.locate(colon < 0 ? authority : authority.substring(0, colon));
        if (found.isEmpty()) {
            return new Route(-1, -1, authority + " " + target);
        }
        var resolvedHost = found.get();
        var page =
                resolvedHost.label().isEmpty()
                        ? web.pages().find(resolvedHost.host(), target)
                        : OptionalInt.empty();
        return new Route(resolvedHost.host(), page.orElse(-1), target, resolvedHost.label());
    }

    ResponseCache.EncodedResponse response(Route route, RequestReader.Request request) {
        if (route.host < 0) {
            return ResponseCache.EncodedResponse.of(WireResponse.error(421));
        }
        var now = now();
        var refusal = SimulatedWeb.refusal(route.resolvedHost(), now, limits);
        if (refusal.isPresent()) {
            return ResponseCache.EncodedResponse.of(refusal.get());
        }
        if (route.page < 0) {
            return ResponseCache.EncodedResponse.of(
                    web.response(route.resolvedHost(), route.target, port, now));
        }
        if (web.isStateful(route.page)) {
            var before = attempts.computeIfAbsent(route.page, page -> new AtomicInteger());
            var simulatedRequest =
                    new SimulatedRequest(
                            "",
                            route.target,
                            before.getAndIncrement(),
                            now,
                            request.gzip(),
                            request.ifNoneMatch(),
                            request.ifModifiedSince());
            return ResponseCache.EncodedResponse.of(
                    web.response(route.page, port, simulatedRequest));
        }
        return request.gzip()
                ? cache.get(route.page)
                : ResponseCache.EncodedResponse.of(web.response(route.page, port, 0, false));
    }

    /** Returns the time since the server started, which is the web's first day. */
    Duration now() {
        // The wall clock may be set back.
        var elapsed = isTimeHeld ? 0 : Math.max(0, auditor.now() - started);
        return Duration.ofNanos(elapsed).plus(advanced);
    }

    /** Stops the web's clock: from now on only {@link #advanceTime} changes it. */
    void holdTime() {
        advanced = now();
        isTimeHeld = true;
    }

    /** Advances the web's clock, so that pages change. */
    void advanceTime(Duration time) {
        advanced = advanced.plus(time);
    }

    /** Counts a response that was sent. */
    void countBytes(ResponseCache.EncodedResponse response) {
        var bytes = response.bytes().readableBytes();
        bytesSent.add(bytes);
        bodyBytesSent.add(bytes - response.head().bytes().readableBytes());
    }

    long bytesSent() {
        return bytesSent.sum();
    }

    long bodyBytesSent() {
        return bodyBytesSent.sum();
    }

    void prebuild() {
        for (var page = 0; page < web.pageCount(); page++) {
            if (!web.isStateful(page) && !cache.prebuild(page)) {
                return;
            }
        }
    }

    void close() {
        cache.release();
    }
}
