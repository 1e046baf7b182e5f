package dev.orbweaver.cli;

import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Capture.Kind;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Keeps the last URLs that failed, for display. */
final class RecentErrors implements CrawlListener {

    private static final int ERRORS_MAX = 3;

    private final CrawlListener next;
    private final Deque<String> lines = new ArrayDeque<>();

    RecentErrors(CrawlListener next) {
        this.next = next;
    }

    @Override
    public void captured(Capture capture) {
        next.captured(capture);
        if (capture.kind() == Kind.ERROR || capture.kind() == Kind.FAILED) {
            var error =
                    capture.kind() == Kind.FAILED
                            ? capture.cause()
                            : capture.exchange()
                                    .map(exchange -> Integer.toString(exchange.head().status()))
                                    .orElse(capture.cause());
            synchronized (this) {
                lines.addFirst(error + "  " + capture.url().text());
                if (lines.size() > ERRORS_MAX) {
                    lines.removeLast();
                }
            }
        }
    }

    @Override
    public void committed() {
        next.committed();
    }

    /** Returns the errors, the newest first. */
    synchronized List<String> lines() {
        return List.copyOf(lines);
    }
}
