package dev.orbweaver.server;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Statistics of a job over time, for charts. When there are too many points, every second one is
 * dropped.
 */
final class JobHistory {

    private static final int POINTS_MAX = 600;
    private static final int RATE_SECONDS = 10;

    record Chart(int intervalMs, List<Point> points) {}

    record Point(
            Instant time,
            long pages,
            long failed,
            long queued,
            long bytes,
            double rate,
            Optional<Integer> p50,
            Optional<Integer> p95,
            int connections) {}

    private final List<Point> points = new ArrayList<>();
    private final List<Point> recent = new ArrayList<>();
    private int interval = 1;
    private int skipped;

    /** Returns the pages per second over the last ten seconds, given the current page count. */
    synchronized double rate(long pages, Instant now) {
        if (recent.isEmpty()) {
            return 0;
        }
        var first = recent.getFirst();
        var seconds = Duration.between(first.time, now).toMillis() / 1000.0;
        var rate = seconds <= 0 ? 0 : Math.max(0, (pages - first.pages) / seconds);
        return Math.round(rate * 100) / 100.0;
    }

    /** Adds a point. Called about once a second. */
    synchronized void add(Point point) {
        recent.add(point);
        if (recent.size() > RATE_SECONDS) {
            recent.removeFirst();
        }
        if (++skipped < interval) {
            return;
        }
        skipped = 0;
        points.add(point);
        if (points.size() > POINTS_MAX) {
            var half = new ArrayList<Point>();
            for (var i = 1; i < points.size(); i += 2) {
                half.add(points.get(i));
            }
            points.clear();
            points.addAll(half);
            interval *= 2;
        }
    }

    /** Resets the rate to 0 after a crawl has ended. */
    synchronized void clearRate() {
        recent.clear();
    }

    synchronized Chart chart() {
        return new Chart(interval * 1000, List.copyOf(points));
    }
}
