package dev.orbweaver.server;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How a job went, for charts. The longer it runs the further apart the points: when there are too
 * many, every other one goes.
 */
final class JobHistory {

    private static final int POINTS_MAX = 600;
    private static final int RATE_SECONDS = 10;

    /** A moment. */
    record Point(
            Instant time,
            long pages,
            long failed,
            long queued,
            long bytes,
            double rate,
            int p50,
            int p95,
            int connections) {

        Map<String, Object> toJson() {
            var json = new LinkedHashMap<String, Object>();
            json.put("time", time.toString());
            json.put("pages", pages);
            json.put("failed", failed);
            json.put("queued", queued);
            json.put("bytes", bytes);
            json.put("rate", Math.round(rate * 100) / 100.0);
            json.put("p50", p50 < 0 ? null : p50);
            json.put("p95", p95 < 0 ? null : p95);
            json.put("connections", connections);
            return json;
        }
    }

    private final List<Point> points = new ArrayList<>();
    private final List<Point> recent = new ArrayList<>();
    private int interval = 1;
    private int skipped;

    /** Pages a second over the last ten, were there so many pages now. */
    synchronized double rate(long pages, Instant now) {
        if (recent.isEmpty()) {
            return 0;
        }
        var first = recent.getFirst();
        var seconds = Duration.between(first.time, now).toMillis() / 1000.0;
        return seconds <= 0 ? 0 : Math.max(0, (pages - first.pages) / seconds);
    }

    /** Called about once a second. */
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

    /** The rate was as it is; now nothing is crawled. */
    synchronized void clearRate() {
        recent.clear();
    }

    synchronized Map<String, Object> toJson() {
        return Map.of(
                "everyMs", interval * 1000, "points", points.stream().map(Point::toJson).toList());
    }
}
