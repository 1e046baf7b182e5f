package dev.orbweaver.server;

import com.fasterxml.jackson.annotation.JsonInclude;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Statistics of a job over time, for charts. They are kept in the job's directory as long as the
 * job exists.
 *
 * <p>The last {@link #POINTS_MAX} points stand for a second each. Of the time before there are at
 * most as many; when there are more, each two are merged, and from then on a point stands for twice
 * the time. The file is written every {@link #SAVE_INTERVAL} while the job runs, without waiting
 * for the disk: a kill loses the last seconds of the charts.
 */
final class JobHistory {

    private static final Logger LOG = LoggerFactory.getLogger(JobHistory.class);
    static final int POINTS_MAX = 600;
    private static final int RATE_SECONDS = 10;
    private static final Duration SAVE_INTERVAL = Duration.ofSeconds(20);

    /**
     * @param intervalMs what a point stands for, before the last {@link #POINTS_MAX} ones
     */
    record Chart(int intervalMs, List<Point> points) {}

    /**
     * The file.
     *
     * @param recent the points of a second each; files of earlier versions do not have them
     */
    private record Stored(
            int intervalMs, double progress, List<Point> points, Optional<List<Point>> recent) {}

    /**
     * Responses since the point before, by class of their status code.
     *
     * @param failed requests without a response
     */
    record Responses(long ok, long redirects, long clientErrors, long serverErrors, long failed) {

        static final Responses NONE = new Responses(0, 0, 0, 0, 0);

        /** Returns one response; a status outside of 200 to 599 is none. */
        static Responses of(int status) {
            return switch (status / 100) {
                case 2 -> new Responses(1, 0, 0, 0, 0);
                case 3 -> new Responses(0, 1, 0, 0, 0);
                case 4 -> new Responses(0, 0, 1, 0, 0);
                case 5 -> new Responses(0, 0, 0, 1, 0);
                default -> new Responses(0, 0, 0, 0, 1);
            };
        }

        Responses plus(Responses other) {
            return new Responses(
                    ok + other.ok,
                    redirects + other.redirects,
                    clientErrors + other.clientErrors,
                    serverErrors + other.serverErrors,
                    failed + other.failed);
        }
    }

    /**
     * The state at the end of an interval, and what happened in it.
     *
     * @param rate pages per second, on average
     * @param p50 the median response time, in milliseconds
     * @param connections open at most
     */
    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    record Point(
            Instant time,
            long pages,
            long failed,
            long queued,
            long bytes,
            double rate,
            Optional<Integer> p50,
            Optional<Integer> p95,
            int connections,
            Responses responses) {

        /** Merges this point, which stands for some seconds, with a later one. */
        private Point plus(int seconds, Point later, int laterSeconds) {
            var sum = rate * seconds + later.rate * laterSeconds;
            return new Point(
                    later.time,
                    later.pages,
                    later.failed,
                    later.queued,
                    later.bytes,
                    round(sum / (seconds + laterSeconds)),
                    later.p50.or(() -> p50),
                    later.p95.or(() -> p95).map(worst -> Math.max(worst, p95.orElse(worst))),
                    Math.max(connections, later.connections),
                    responses.plus(later.responses));
        }
    }

    private final Path file;
    private final List<Point> points = new ArrayList<>();
    private final Deque<Point> recent = new ArrayDeque<>();
    private final Deque<Point> lastSeconds = new ArrayDeque<>();
    private Responses responses = Responses.NONE;
    private Optional<Point> pending = Optional.empty();
    private int pendingSeconds;
    private int interval = 1;
    private double progress;
    private boolean changed;
    private Instant savedAt = Instant.EPOCH;

    /**
     * Reads the history of a job; one that cannot be read is logged and begins again.
     *
     * @param directory of the job
     */
    JobHistory(Path directory) {
        this.file = directory.resolve(DirectoryLayout.HISTORY);
        if (!Files.exists(file)) {
            return;
        }
        try {
            var stored =
                    JsonMapper.shared()
                            .readValue(AtomicFile.read(new RealDisk(), file), Stored.class);
            points.addAll(stored.points);
            stored.recent.ifPresent(recent::addAll);
            interval = Math.max(1, stored.intervalMs / 1000);
            progress = stored.progress;
        } catch (IOException | JacksonException e) {
            LOG.warn("could not read {}; the charts begin again: {}", file, e.getMessage());
        }
    }

    /** Returns the pages per second over the last ten seconds, given the current page count. */
    synchronized double rate(long pages, Instant now) {
        if (lastSeconds.isEmpty()) {
            return 0;
        }
        var first = lastSeconds.getFirst();
        var seconds = Duration.between(first.time, now).toMillis() / 1000.0;
        return seconds <= 0 ? 0 : round(Math.max(0, (pages - first.pages) / seconds));
    }

    private static double round(double rate) {
        return Math.round(rate * 100) / 100.0;
    }

    /** Counts a response; a status of 0 is a request without one. */
    synchronized void count(int status) {
        responses = responses.plus(Responses.of(status));
    }

    /** Returns the responses since this was last called. */
    synchronized Responses takeResponses() {
        var taken = responses;
        responses = Responses.NONE;
        return taken;
    }

    /** Returns the highest progress of the job's current run; it never decreases. */
    synchronized double highest(double value) {
        progress = Math.max(progress, value);
        return progress;
    }

    /** Adds a point. Called about once a second while the job runs. */
    synchronized void add(Point point) {
        lastSeconds.add(point);
        if (lastSeconds.size() > RATE_SECONDS) {
            lastSeconds.removeFirst();
        }
        recent.add(point);
        if (recent.size() > POINTS_MAX) {
            addOlder(recent.removeFirst());
        }
        changed = true;
        if (!point.time.isBefore(savedAt.plus(SAVE_INTERVAL))) {
            save(point.time);
        }
    }

    private void addOlder(Point point) {
        pending = Optional.of(pending.map(old -> old.plus(pendingSeconds, point, 1)).orElse(point));
        pendingSeconds++;
        if (pendingSeconds >= interval) {
            addPending();
        }
    }

    private void addPending() {
        pending.ifPresent(points::add);
        pending = Optional.empty();
        pendingSeconds = 0;
        if (points.size() > POINTS_MAX) {
            var merged = new ArrayList<Point>();
            for (var i = 0; i + 1 < points.size(); i += 2) {
                merged.add(points.get(i).plus(interval, points.get(i + 1), interval));
            }
            if (points.size() % 2 == 1) {
                pending = Optional.of(points.getLast());
                pendingSeconds = interval;
            }
            points.clear();
            points.addAll(merged);
            interval *= 2;
        }
    }

    /** Ends the current run: the rate is 0, and what was not written is written. */
    synchronized void endRun(boolean isOver) {
        lastSeconds.clear();
        if (isOver && progress > 0) {
            progress = 0;
            changed = true;
        }
        if (changed) {
            save(Instant.now());
        }
    }

    /** Replaces the file, so that a kill leaves either the old or the new one. */
    private void save(Instant now) {
        savedAt = now;
        var next = file.resolveSibling(DirectoryLayout.HISTORY + ".new");
        var stored =
                new Stored(
                        interval * 1000, progress, olderPoints(), Optional.of(List.copyOf(recent)));
        var json = JsonMapper.shared().writeValueAsString(stored);
        try {
            Files.writeString(next, AtomicFile.withChecksum(json + "\n"));
            Files.move(
                    next,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            changed = false;
        } catch (IOException e) {
            LOG.warn("could not write {}; retrying: {}", file, e.getMessage());
        }
    }

    synchronized Chart chart() {
        var all = olderPoints();
        all.addAll(recent);
        return new Chart(interval * 1000, all);
    }

    private List<Point> olderPoints() {
        var older = new ArrayList<>(points);
        pending.ifPresent(older::add);
        return older;
    }
}
