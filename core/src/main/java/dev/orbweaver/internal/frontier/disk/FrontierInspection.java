package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.FrontierOverview;
import dev.orbweaver.model.FailureCause;

import java.util.List;
import java.util.SortedMap;

/**
 * The inspected state of a frontier's directory.
 *
 * @param deadLetters some dead letters of each cause, the oldest first
 * @param snapshot the number of the last snapshot, 0 before the first
 * @param journalBytes the valid length of the journal since then
 * @param version of the format of journal and snapshots
 */
public record FrontierInspection(
        FrontierOverview frontierOverview,
        SortedMap<FailureCause, List<DeadLetter>> deadLetters,
        long snapshot,
        long journalBytes,
        int version,
        List<FrontierFile> files) {

    /**
     * Selects what is shown.
     *
     * @param hosts how many hosts are listed
     * @param deadLetters how many are listed of each cause
     * @param live whether a process is using the frontier
     */
    public record InspectionOptions(int hosts, int deadLetters, boolean live) {}
}
