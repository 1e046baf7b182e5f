package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.internal.frontier.EventLog;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.internal.frontier.Workbench;
import dev.orbweaver.internal.frontier.WorkbenchFrontier;
import dev.orbweaver.internal.frontier.WorkbenchInspector;
import dev.orbweaver.model.Fingerprint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/** A frontier in a directory whose state a test can inspect. */
final class FrontierDirectory {

    static final Path DIRECTORY = Path.of("frontier");

    private final Workbench bench;
    private final TestFrontier frontier;

    FrontierDirectory(SimulatedDisk disk, Politeness politeness, Instant now, long rotateFrom) {
        this(disk, politeness, now, DiskSettings.DEFAULT.withSmallFiles(rotateFrom));
    }

    FrontierDirectory(
            SimulatedDisk disk, Politeness politeness, Instant now, DiskSettings settings) {
        this(disk, politeness, now, settings, UnaryOperator.identity());
    }

    /** Opens it with a wrapper between the frontier and its journal. */
    FrontierDirectory(
            SimulatedDisk disk,
            Politeness politeness,
            Instant now,
            DiskSettings settings,
            UnaryOperator<EventLog> log) {
        try {
            var store = new DiskStore(disk, DIRECTORY, settings);
            bench = new Workbench(politeness, store);
            var journal = Journal.open(disk, DIRECTORY, settings, store, bench);
            frontier =
                    new TestFrontier(
                            new WorkbenchFrontier(politeness, bench, log.apply(journal), now));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    TestFrontier frontier() {
        return frontier;
    }

    /** Returns the state in memory. */
    List<FrontierEvent> state() {
        return stateOf(bench);
    }

    /** Returns the state on disk. */
    static List<FrontierEvent> saved(SimulatedDisk disk, Politeness politeness) throws IOException {
        // On a copy, because opening truncates bytes beyond the committed lengths.
        var copy = disk.afterCrash();
        var settings = DiskSettings.DEFAULT.withSmallFiles(Long.MAX_VALUE / 8);
        var store = new DiskStore(copy, DIRECTORY, settings);
        var bench = new Workbench(politeness, store);
        var _ = Journal.open(copy, DIRECTORY, settings, store, bench);
        return stateOf(bench);
    }

    /**
     * Returns a state as events; the keys of a job, which have no order, as one event and sorted.
     */
    static List<FrontierEvent> stateOf(Workbench bench) {
        var order = Comparator.comparingLong(Fingerprint::high).thenComparingInt(Fingerprint::low);
        var keys = new TreeMap<Integer, TreeSet<Fingerprint>>();
        var events = new ArrayList<FrontierEvent>();
        WorkbenchInspector.describe(
                bench,
                event -> {
                    if (event instanceof FrontierEvent.Seen(var job, var some)) {
                        keys.computeIfAbsent(job, _ -> new TreeSet<>(order)).addAll(some);
                    } else {
                        events.add(event);
                    }
                });
        keys.forEach((job, all) -> events.add(new FrontierEvent.Seen(job, List.copyOf(all))));
        return events;
    }
}
