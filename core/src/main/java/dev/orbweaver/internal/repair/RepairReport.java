package dev.orbweaver.internal.repair;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The result of a repair.
 *
 * @param problems the damage found, as sentences; empty if nothing was done
 * @param movedTo the new location of the old frontier
 * @param lines of the page log
 * @param unreadableLines of the page log
 * @param fromFrontier URLs queued because the old frontier has them
 * @param fromPages URLs queued because a stored capture links to them
 * @param unreadableCaptures captures whose links could not be read
 * @param lostBytes of the old frontier that could not be read, by file
 */
public record RepairReport(
        List<String> problems,
        Path movedTo,
        long lines,
        long unreadableLines,
        long done,
        long dead,
        long fromFrontier,
        long fromPages,
        long unreadableCaptures,
        Map<String, Long> lostBytes) {

    RepairReport plus(RepairReport other) {
        var lost = new TreeMap<>(lostBytes);
        lost.putAll(other.lostBytes);
        return new RepairReport(
                problems,
                movedTo,
                lines + other.lines,
                unreadableLines + other.unreadableLines,
                done + other.done,
                dead + other.dead,
                fromFrontier + other.fromFrontier,
                fromPages + other.fromPages,
                unreadableCaptures + other.unreadableCaptures,
                lost);
    }

    static RepairReport undamaged(Path directory) {
        return new RepairReport(List.of(), directory, 0, 0, 0, 0, 0, 0, 0, Map.of());
    }
}
