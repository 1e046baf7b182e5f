package dev.orbweaver.lab;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The web as one server offers it: requests routed, answers kept, repeated asking remembered. */
final class LabSite {

    /**
     * Where a request leads.
     *
     * @param host the number of the host, or -1 for a name that is none of the web's
     * @param page the number of the page, or -1 for what is no page
     * @param target path and query as requested
     * @param label what stands before the host's name where all names below it exist, else empty
     */
    record Route(int host, int page, String target, String label) {

        Route(int host, int page, String target) {
            this(host, page, target, "");
        }

        SimulatedWeb.Place place() {
            return new SimulatedWeb.Place(host, label);
        }
    }

    private final SimulatedWeb web;
    private final int port;
    private final Auditor auditor;
    private final AnswerCache cache;
    private final HiddenLimits limits;
    private final long started;
    private volatile Duration skipped = Duration.ZERO;
    private final ConcurrentHashMap<Integer, AtomicInteger> attempts = new ConcurrentHashMap<>();

    LabSite(SimulatedWeb web, int port, Auditor auditor, long cacheBytesMax) {
        this.web = web;
        this.port = port;
        this.auditor = auditor;
        limits = new HiddenLimits(web);
        started = auditor.now();
        cache = new AnswerCache(web, port, cacheBytesMax);
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
        var place = found.get();
        var page =
                place.label().isEmpty()
                        ? web.pages().find(place.host(), target)
                        : OptionalInt.empty();
        return new Route(place.host(), page.orElse(-1), target, place.label());
    }

    AnswerCache.Ready answer(Route route, RequestReader.Request request) {
        if (route.host < 0) {
            return AnswerCache.Ready.of(Answer.error(421));
        }
        var now = now();
        var refusal = SimulatedWeb.refusal(route.place(), now, limits);
        if (refusal.isPresent()) {
            return AnswerCache.Ready.of(refusal.get());
        }
        if (route.page < 0) {
            return AnswerCache.Ready.of(web.answer(route.place(), route.target, port));
        }
        if (web.remembers(route.page)) {
            var before = attempts.computeIfAbsent(route.page, page -> new AtomicInteger());
            var ask =
                    new Ask(
                            "",
                            route.target,
                            before.getAndIncrement(),
                            now,
                            request.gzip(),
                            request.ifNoneMatch(),
                            request.ifModifiedSince());
            return AnswerCache.Ready.of(web.answer(route.page, port, ask));
        }
        return request.gzip()
                ? cache.of(route.page)
                : AnswerCache.Ready.of(web.answer(route.page, port, 0, false));
    }

    /** The time since the web's first day began: that is when the server started. */
    private Duration now() {
        // The clock is the wall's, which may be set back.
        return Duration.ofNanos(Math.max(0, auditor.now() - started)).plus(skipped);
    }

    /** Lets days pass at once, so that pages change. */
    void skip(Duration time) {
        skipped = skipped.plus(time);
    }

    /** Makes every page's answer now, as far as the cache's budget goes. */
    void prebuild() {
        for (var page = 0; page < web.pageCount(); page++) {
            if (!web.remembers(page) && !cache.prebuild(page)) {
                return;
            }
        }
    }

    /** Gives the kept answers' memory back. */
    void close() {
        cache.release();
    }
}
