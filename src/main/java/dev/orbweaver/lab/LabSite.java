package dev.orbweaver.lab;

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
     */
    record Route(int host, int page, String target) {}

    private final SimulatedWeb web;
    private final int port;
    private final Auditor auditor;
    private final AnswerCache cache;
    private final ConcurrentHashMap<Integer, AtomicInteger> attempts = new ConcurrentHashMap<>();

    LabSite(SimulatedWeb web, int port, Auditor auditor, long cacheBytesMax) {
        this.web = web;
        this.port = port;
        this.auditor = auditor;
        cache = new AnswerCache(web, port, cacheBytesMax);
    }

    Auditor auditor() {
        return auditor;
    }

    Route route(String authority, String target) {
        var colon = authority.indexOf(':');
        var host = web.hosts().find(colon < 0 ? authority : authority.substring(0, colon));
        if (host.isEmpty()) {
            return new Route(-1, -1, authority + " " + target);
        }
        var page = web.pages().find(host.getAsInt(), target);
        return new Route(host.getAsInt(), page.orElse(-1), target);
    }

    AnswerCache.Ready answer(Route route, boolean gzipAccepted) {
        if (route.host < 0) {
            return AnswerCache.Ready.of(Answer.error(421));
        }
        if (route.page < 0) {
            return AnswerCache.Ready.of(web.answer(route.host, route.target, port));
        }
        if (web.remembers(route.page)) {
            var before = attempts.computeIfAbsent(route.page, page -> new AtomicInteger());
            return AnswerCache.Ready.of(
                    web.answer(route.page, port, before.getAndIncrement(), gzipAccepted));
        }
        return gzipAccepted
                ? cache.of(route.page)
                : AnswerCache.Ready.of(web.answer(route.page, port, 0, false));
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
