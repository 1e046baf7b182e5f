package dev.orbweaver.server;

import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRecord.Change;

import java.util.List;

/**
 * The numbers of a job's events. They rise by one with every line of the page log and with every
 * change of state, in the order in which those came: a line's is its own number and how many
 * changes were before it, a change's is how many there were and the number of the line before it.
 * So they need not be kept, and go on after a restart where they stopped.
 */
record EventIds(List<Change> changes, long dropped) {

    static EventIds of(JobRecord job) {
        return new EventIds(job.changes(), job.dropped());
    }

    /** Of a line. */
    long ofLine(long seq) {
        return seq + dropped + changes.stream().filter(change -> change.seq() < seq).count();
    }

    /** Of the change with that place among those that are kept. */
    long ofChange(int index) {
        return changes.get(index).seq() + dropped + index + 1;
    }

    /** Of what came last, when the log ends with this line. */
    long lastId(long seq) {
        return seq + dropped + changes.size();
    }

    /**
     * What somebody knows who has seen everything up to an event.
     *
     * @param seq the last line
     * @param changes how many of the changes that are kept; -1 when not even those
     */
    record ReplayStart(long seq, int changes) {}

    ReplayStart replayStart(long id) {
        // Between which lines the changes lie that were dropped nobody knows any more.
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
