package dev.orbweaver.cli;

import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Capture.Kind;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * Keeps the last URLs that failed, for display. The first failures of seeds are reported at once:
 * the URL may be mistyped, and retries would hide that for a while.
 */
final class RecentErrors implements CrawlListener {

    private static final int ERRORS_MAX = 3;
    private static final int SEEDS_REPORTED_MAX = 10;

    private final CrawlListener next;
    private final Consumer<String> warnings;
    private final Deque<String> lines = new ArrayDeque<>();
    private int seedsReported;

    /**
     * @param warnings receives a sentence for each seed that fails, up to a limit
     */
    RecentErrors(CrawlListener next, Consumer<String> warnings) {
        this.next = next;
        this.warnings = warnings;
    }

    @Override
    public void captured(Capture capture) {
        next.captured(capture);
        if (capture.kind() == Kind.ERROR || capture.kind() == Kind.FAILED) {
            add(error(capture) + "  " + capture.url().text());
        }
        if (capture.kind() == Kind.FAILED && isFirstOfSeed(capture)) {
            report(capture, "");
        }
    }

    @Override
    public void retried(Capture capture) {
        next.retried(capture);
        if (isFirstOfSeed(capture)) {
            add(error(capture) + "  " + capture.url().text());
            report(capture, "; retrying");
        }
    }

    private static boolean isFirstOfSeed(Capture capture) {
        return capture.hop().isSeed() && capture.attempts() == 0;
    }

    private static String error(Capture capture) {
        return capture.kind() == Kind.ERROR
                ? capture.exchange()
                        .map(exchange -> Integer.toString(exchange.head().status()))
                        .orElse(capture.cause())
                : capture.cause();
    }

    private synchronized void add(String line) {
        lines.addFirst(line);
        if (lines.size() > ERRORS_MAX) {
            lines.removeLast();
        }
    }

    private synchronized void report(Capture capture, String consequence) {
        if (seedsReported < SEEDS_REPORTED_MAX) {
            seedsReported++;
            warnings.accept(
                    "seed %s failed: %s: %s%s"
                            .formatted(
                                    capture.url(), capture.cause(), capture.detail(), consequence));
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
