package dev.orbweaver.frontier.disk;

import dev.orbweaver.disk.Disk;
import dev.orbweaver.frontier.Census;
import dev.orbweaver.frontier.DeadLetter;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.FrontierStats;
import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.frontier.Whereabouts;
import dev.orbweaver.frontier.Workbench;
import dev.orbweaver.frontier.WorkbenchFrontier;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FileMark;
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

/** Opens a frontier that lives in a folder. */
public final class DiskFrontier {

    private static final int PEEKS = 3;

    /** Some hundred thousand dead letters since the last snapshot. */
    private static final int LETTER_BYTES_MAX = 64 << 20;

    private DiskFrontier() {}

    /**
     * The figures of a folder's frontier, whether or not somebody is working on it; nothing is
     * changed.
     */
    public static FrontierStats peek(
            Disk disk, Path folder, Politeness politeness, DiskSettings settings, Instant now)
            throws IOException {
        try (var look = look(disk, folder, politeness, settings, 0)) {
            return WorkbenchFrontier.stats(look.bench, now);
        }
    }

    /** The figures of one job, likewise; hosts, which jobs share, are those of all. */
    public static FrontierStats peek(
            Disk disk,
            Path folder,
            Politeness politeness,
            DiskSettings settings,
            JobId job,
            Instant now)
            throws IOException {
        try (var look = look(disk, folder, politeness, settings, 0)) {
            return WorkbenchFrontier.stats(look.bench, job, now);
        }
    }

    /**
     * The output files of a folder's frontier as long as they were at its last commit, likewise.
     */
    public static List<FileMark> marks(
            Disk disk, Path folder, Politeness politeness, DiskSettings settings)
            throws IOException {
        try (var look = look(disk, folder, politeness, settings, 0)) {
            return WorkbenchFrontier.marks(look.bench);
        }
    }

    /** All there is to tell of it, likewise. */
    public static Inspection inspect(
            Disk disk,
            Path folder,
            Politeness politeness,
            DiskSettings settings,
            Inspection.Wish wish,
            Instant now)
            throws IOException {
        try (var look = look(disk, folder, politeness, settings, LETTER_BYTES_MAX)) {
            return new Inspection(
                    Census.of(look.bench, wish.hosts(), now, wish.live()),
                    samples(look.store, wish.letters()),
                    look.number,
                    Math.max(0, look.journalBytes - Frames.HEADER),
                    Frames.VERSION,
                    FrontierFile.list(disk, folder));
        }
    }

    private static SortedMap<FailureCause, List<DeadLetter>> samples(PeekStore store, int max) {
        var samples = new TreeMap<FailureCause, List<DeadLetter>>();
        store.dead(
                (url, cause) -> {
                    var some = samples.computeIfAbsent(cause, _ -> new ArrayList<>());
                    if (some.size() < max) {
                        some.add(DeadLetter.of(url, cause));
                    }
                });
        return samples;
    }

    /**
     * Hands on every dead letter of a folder's frontier, likewise, the oldest first.
     *
     * @return how many were left out, because there are too many since the last snapshot
     */
    public static long dead(
            Disk disk,
            Path folder,
            Politeness politeness,
            DiskSettings settings,
            Consumer<DeadLetter> out)
            throws IOException {
        try (var look = look(disk, folder, politeness, settings, LETTER_BYTES_MAX)) {
            look.store.dead((url, cause) -> out.accept(DeadLetter.of(url, cause)));
            return look.store.unkept();
        }
    }

    /** Where one URL stands, likewise. */
    public static Whereabouts whereabouts(
            Disk disk,
            Path folder,
            Politeness politeness,
            DiskSettings settings,
            JobId job,
            CrawlUrl url,
            Instant now)
            throws IOException {
        try (var look = look(disk, folder, politeness, settings, LETTER_BYTES_MAX)) {
            return Whereabouts.of(look.bench, job, url, now);
        }
    }

    /** A frontier as it was at one moment. */
    private record Look(Workbench bench, PeekStore store, long number, long journalBytes)
            implements AutoCloseable {
        @Override
        public void close() {
            store.close();
        }
    }

    private static Look look(
            Disk disk, Path folder, Politeness politeness, DiskSettings settings, int letterBytes)
            throws IOException {
        for (var left = PEEKS; ; left--) {
            var store = new PeekStore(disk, folder, settings, letterBytes);
            try {
                var bench = new Workbench(politeness, store);
                var number = Journal.newest(disk, folder);
                var journalBytes = Journal.read(disk, folder, number, bench, store);
                if (Journal.newest(disk, folder) == number || left == 0) {
                    return new Look(bench, store, number, journalBytes);
                }
                store.close();
            } catch (IOException | UncheckedIOException rotated) {
                store.close();
                // The files belong to a running crawl, which has gone on to others meanwhile.
                if (left == 0) {
                    throw rotated;
                }
            }
        }
    }

    /** Goes on where the folder's frontier stood; begins a new one in an empty folder. */
    public static Frontier open(Disk disk, Path folder, Politeness politeness, Instant now)
            throws IOException {
        return open(disk, folder, politeness, DiskSettings.DEFAULT, now);
    }

    /** The same with settings of one's own. */
    public static Frontier open(
            Disk disk, Path folder, Politeness politeness, DiskSettings settings, Instant now)
            throws IOException {
        var store = new DiskStore(disk, folder, settings);
        try {
            var bench = new Workbench(politeness, store);
            var journal = Journal.open(disk, folder, settings, store, bench);
            return new WorkbenchFrontier(politeness, bench, journal, now);
        } catch (UncheckedIOException e) {
            store.close();
            throw new IOException(e.getMessage(), e);
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        }
    }
}
