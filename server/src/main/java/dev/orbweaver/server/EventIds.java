package dev.orbweaver.server;

import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRecord.Change;

import java.util.List;

/**
 * Computes the ids of a job's events. Ids increase by one with every page log line and every state
 * change, in their order: the id of a line is its number plus the number of changes before it, the
 * id of a change is its ordinal plus the number of the line before it. So ids are not stored, and
 * they continue after a restart.
 */
record EventIds(List<Change> changes, long dropped) {

    static EventIds of(JobRecord job) {
        return new EventIds(job.changes(), job.dropped());
    }

    long ofLine(long seq) {
        return seq + dropped + changes.stream().filter(change -> change.seq() < seq).count();
    }

    /** Returns the id of the change with this index in the kept changes. */
    long ofChange(int index) {
        return changes.get(index).seq() + dropped + index + 1;
    }

    /** Returns the id of the last event of a log that ends with this line. */
    long lastId(long seq) {
        return seq + dropped + changes.size();
    }

    /**
     * The position from which events are replayed to a client.
     *
     * @param seq the last line that the client has received
     * @param changes the number of kept changes that it has received; -1 if it also lacks dropped
     *     changes
     */
    record ReplayStart(long seq, int changes) {}

    ReplayStart replayStart(long id) {
        // The positions of dropped changes are unknown.
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
