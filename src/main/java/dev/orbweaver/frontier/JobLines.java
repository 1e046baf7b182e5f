package dev.orbweaver.frontier;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A line of ready queues for each job, and whose line is served next.
 *
 * <p>Turns are dealt by stride scheduling (Waldspurger and Weihl, 1995): a job that is served moves
 * on by a stride of one over its weight, and the job that has come least far is next. One that had
 * nothing to do for a while begins where the others are: it does not make up for its idleness. One
 * that wants no turn just now keeps a single one.
 */
final class JobLines {

    private static final int WEIGHT_DEFAULT = 1;
    private static final long STRIDE = 1L << 32;

    private static final class Line {
        private @Nullable UrlQueue first;
        private @Nullable UrlQueue last;
        private int weight = WEIGHT_DEFAULT;
        private long pass;

        private long stride() {
            return STRIDE / weight;
        }
    }

    private final Map<Integer, Line> lines = new TreeMap<>();
    private long reached;

    /** Puts a queue at the end of its job's line, unless it stands there already. */
    void join(UrlQueue queue) {
        if (queue.inLine) {
            return;
        }
        var line = line(queue.job);
        if (line.first == null) {
            line.first = queue;
            line.pass = Math.max(line.pass, reached);
        } else {
            queue.before = line.last;
            tail(line).after = queue;
        }
        line.last = queue;
        queue.inLine = true;
    }

    private static UrlQueue tail(Line line) {
        if (line.last == null) {
            throw new IllegalStateException("a line with a first has a last");
        }
        return line.last;
    }

    void leave(UrlQueue queue) {
        if (!queue.inLine) {
            return;
        }
        var line = line(queue.job);
        if (queue.before == null) {
            line.first = queue.after;
        } else {
            queue.before.after = queue.after;
        }
        if (queue.after == null) {
            line.last = queue.before;
        } else {
            queue.after.before = queue.before;
        }
        queue.before = null;
        queue.after = null;
        queue.inLine = false;
    }

    /** The first queue of the job whose turn it is among those that want one; it stays in line. */
    Optional<UrlQueue> next(Demand demand) {
        Line next = null;
        for (var each : lines.entrySet()) {
            var line = each.getValue();
            if (line.first == null) {
                continue;
            }
            if (!demand.wants(each.getKey())) {
                line.pass = Math.max(line.pass, reached - line.stride());
            } else if (next == null || line.pass < next.pass) {
                next = line;
            }
        }
        if (next == null) {
            return Optional.empty();
        }
        reached = next.pass;
        return Optional.ofNullable(next.first);
    }

    /** A job was given what its turn was for. */
    void served(int job) {
        var line = line(job);
        line.pass += line.stride();
    }

    boolean anyReady() {
        for (var line : lines.values()) {
            if (line.first != null) {
                return true;
            }
        }
        return false;
    }

    void weigh(int job, int weight) {
        if (weight < 1) {
            throw new IllegalArgumentException("a job's weight is at least 1, not " + weight);
        }
        line(job).weight = weight;
    }

    void forget(int job) {
        var line = lines.remove(job);
        for (var queue = line == null ? null : line.first; queue != null; ) {
            var next = queue.after;
            queue.before = null;
            queue.after = null;
            queue.inLine = false;
            queue = next;
        }
    }

    private Line line(int job) {
        return lines.computeIfAbsent(job, _ -> new Line());
    }
}
