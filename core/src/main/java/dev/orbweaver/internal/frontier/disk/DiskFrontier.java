package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.FrontierDamagedException;
import dev.orbweaver.internal.frontier.FrontierOverview;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.UrlLookup;
import dev.orbweaver.internal.frontier.Workbench;
import dev.orbweaver.internal.frontier.WorkbenchFrontier;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Opens and reads frontiers in directories. The methods that read change nothing and work while
 * another process uses the frontier.
 */
public final class DiskFrontier {

    private static final int READ_RETRIES = 3;

    /** Enough for some hundred thousand dead letters since the last snapshot. */
    private static final int DEAD_LETTER_BYTES_MAX = 64 << 20;

    private DiskFrontier() {}

    public static FrontierStats readStats(
            Disk disk, Path directory, Politeness politeness, DiskSettings settings, Instant now)
            throws IOException {
        try (var readOnlyView = openReadOnly(disk, directory, politeness, settings, 0)) {
            return FrontierStats.of(readOnlyView.bench, now);
        }
    }

    /**
     * Returns the statistics of one job; hosts are shared between jobs, so they count for all jobs.
     */
    public static FrontierStats readStats(
            Disk disk,
            Path directory,
            Politeness politeness,
            DiskSettings settings,
            JobId job,
            Instant now)
            throws IOException {
        try (var readOnlyView = openReadOnly(disk, directory, politeness, settings, 0)) {
            return FrontierStats.of(readOnlyView.bench, job, now);
        }
    }

    /** Returns the lengths of the output files at the last commit. */
    public static List<CommittedLength> readCommittedLengths(
            Disk disk, Path directory, Politeness politeness, DiskSettings settings)
            throws IOException {
        try (var readOnlyView = openReadOnly(disk, directory, politeness, settings, 0)) {
            return WorkbenchFrontier.committedLengths(readOnlyView.bench);
        }
    }

    public static FrontierInspection inspect(
            Disk disk,
            Path directory,
            Politeness politeness,
            DiskSettings settings,
            FrontierInspection.InspectionOptions inspectionOptions,
            Instant now)
            throws IOException {
        try (var readOnlyView =
                openReadOnly(disk, directory, politeness, settings, DEAD_LETTER_BYTES_MAX)) {
            return new FrontierInspection(
                    FrontierOverview.of(
                            readOnlyView.bench,
                            inspectionOptions.hosts(),
                            now,
                            inspectionOptions.live()),
                    samples(readOnlyView.store, inspectionOptions.deadLetters()),
                    readOnlyView.number,
                    Math.max(0, readOnlyView.journalBytes - Frames.HEADER),
                    Frames.VERSION,
                    FrontierFile.list(disk, directory));
        }
    }

    private static SortedMap<FailureCause, List<DeadLetter>> samples(ReadOnlyStore store, int max) {
        var samples = new TreeMap<FailureCause, List<DeadLetter>>();
        store.forEachDeadLetter(
                (url, cause) -> {
                    var some = samples.computeIfAbsent(cause, _ -> new ArrayList<>());
                    if (some.size() < max) {
                        some.add(DeadLetter.of(url, cause));
                    }
                });
        return samples;
    }

    /**
     * Passes every dead letter, the oldest first.
     *
     * @return how many were omitted because there are too many since the last snapshot
     */
    public static long readDeadLetters(
            Disk disk,
            Path directory,
            Politeness politeness,
            DiskSettings settings,
            Consumer<DeadLetter> out)
            throws IOException {
        try (var readOnlyView =
                openReadOnly(disk, directory, politeness, settings, DEAD_LETTER_BYTES_MAX)) {
            readOnlyView.store.forEachDeadLetter(
                    (url, cause) -> out.accept(DeadLetter.of(url, cause)));
            return readOnlyView.store.omitted();
        }
    }

    public static UrlLookup lookUp(
            Disk disk,
            Path directory,
            Politeness politeness,
            DiskSettings settings,
            JobId job,
            CrawlUrl url,
            Instant now)
            throws IOException {
        try (var readOnlyView =
                openReadOnly(disk, directory, politeness, settings, DEAD_LETTER_BYTES_MAX)) {
            return UrlLookup.of(readOnlyView.bench, job, url, now);
        }
    }

    private record ReadOnlyView(
            Workbench bench, ReadOnlyStore store, long number, long journalBytes)
            implements AutoCloseable {
        @Override
        public void close() {
            store.close();
        }
    }

    private static ReadOnlyView openReadOnly(
            Disk disk,
            Path directory,
            Politeness politeness,
            DiskSettings settings,
            int letterBytes)
            throws IOException {
        for (var left = READ_RETRIES; ; left--) {
            var store = new ReadOnlyStore(disk, directory, settings, letterBytes);
            try {
                var bench = new Workbench(politeness, store);
                var number = Journal.newestNumber(disk, directory);
                var journalBytes =
                        Journal.read(disk, directory, number, bench, store).validLength();
                if (Journal.newestNumber(disk, directory) == number || left == 0) {
                    return new ReadOnlyView(bench, store, number, journalBytes);
                }
                store.close();
            } catch (IOException | UncheckedIOException rotated) {
                store.close();
                // The files belong to a running crawl, which has replaced them in the meantime.
                if (left == 0) {
                    throw rotated;
                }
            }
        }
    }

    /** Opens the frontier of a directory; creates one in an empty directory. */
    public static WorkbenchFrontier open(
            Disk disk, Path directory, Politeness politeness, Instant now) throws IOException {
        return open(disk, directory, politeness, DiskSettings.DEFAULT, now);
    }

    public static WorkbenchFrontier open(
            Disk disk, Path directory, Politeness politeness, DiskSettings settings, Instant now)
            throws IOException {
        var store = new DiskStore(disk, directory, settings);
        try {
            var bench = new Workbench(politeness, store);
            var journal = Journal.open(disk, directory, settings, store, bench);
            var frontier = new WorkbenchFrontier(politeness, bench, journal, now);
            frontier.flush().requireStored(); // Opening ends earlier leases.
            return frontier;
        } catch (UncheckedIOException e) {
            store.close();
            throw e.getCause() instanceof FrontierDamagedException damage
                    ? damage
                    : new IOException(e.getMessage(), e);
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        }
    }
}
