package dev.orbweaver.server;

import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRecord.Change;

import java.util.List;

/**
 * The ids of a job's events. They rise by one with every line of the page log and with every change
 * of state, in their order: a line's id is its number plus the changes before it, a change's id is
 * the number of changes plus the number of the line before it. So they need not be stored, and
 * continue after a restart.
 */
record EventIds(List<Change> changes, long dropped) {

    static EventIds of(JobRecord job) {
        return new EventIds(job.changes(), job.dropped());
    }

    long ofLine(long seq) {
        return seq + dropped + changes.stream().filter(change -> change.seq() < seq).count();
    }

    /** The id of the change with this index among those that are kept. */
    long ofChange(int index) {
        return changes.get(index).seq() + dropped + index + 1;
    }

    /** The id of the last event, when the log ends with this line. */
    long lastId(long seq) {
        return seq + dropped + changes.size();
    }

    /**
     * Where to continue for a client that has received everything up to an event.
     *
     * @param seq the last line
     * @param changes how many of the kept changes; -1 if some before those are missing too
     */
    record ReplayStart(long seq, int changes) {}

    ReplayStart replayStart(long id) {
        // Between which lines the dropped changes were is unknown.
        if (dropped > 0 && (changes.isEmpty() || id < ofChange(0) - 1)) {
            return new ReplayStart(0, -1);
        }
        var seen = 0;
        while (seen < changes.size() && ofChange(seen) <= id) {
            seen++;
        }
        var seq = id - dropped - seen;
        return seq < 0 ? new ReplayStart(0, -1) : new ReplayStart(seq, seen);
    }
}
