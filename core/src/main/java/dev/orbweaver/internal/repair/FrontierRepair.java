package dev.orbweaver.internal.repair;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.frontier.FrontierDamagedException;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.disk.CommittedLengthsFile;
import dev.orbweaver.internal.frontier.disk.DiskFrontier;
import dev.orbweaver.internal.frontier.disk.DiskSettings;
import dev.orbweaver.internal.frontier.disk.FingerprintKeyFile;
import dev.orbweaver.internal.frontier.disk.FrontierBuilder;
import dev.orbweaver.internal.frontier.disk.Salvage;
import dev.orbweaver.internal.sink.OutputScan;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.internal.url.Normalisation;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Rebuilds the frontier of a crawl whose files are damaged.
 *
 * <p>The page log has the settled URLs, the stored pages have the links, and the readable parts of
 * the old frontier have other queued URLs. So no settled URL is fetched again, and every URL known
 * from any source is queued. The new frontier is built beside the old one, which is then renamed
 * and kept.
 */
public final class FrontierRepair {

    private static final Logger LOG = LoggerFactory.getLogger(FrontierRepair.class);
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    private FrontierRepair() {}

    /** Repairs the frontier in a directory that is locked; does nothing if it is not damaged. */
    public static RepairReport run(
            Disk disk,
            Path directory,
            DiskSettings settings,
            List<RepairJob> repairJobs,
            Consumer<String> progress)
            throws IOException {
        var now = Instant.now();
        progress.accept("checking the frontier");
        var frontier = directory.resolve(DirectoryLayout.FRONTIER);
        var politeness = repairJobs.getFirst().config().politeness();
        var problems =
                !Files.isDirectory(frontier) || disk.list(frontier).isEmpty()
                        ? List.of(frontier + " is missing")
                        : new ArrayList<>(
                                Salvage.problems(disk, frontier, politeness, settings, now));
        if (problems.isEmpty()) {
            var marks = DiskFrontier.readCommittedLengths(disk, frontier, politeness, settings);
            for (var repairJob : repairJobs) {
                problems.addAll(
                        OutputScan.truncatedFiles(
                                disk, repairJob.directory(), repairJob.ownLengths(marks)));
            }
        }
        if (problems.isEmpty()) {
            return RepairReport.undamaged(directory);
        }
        problems.forEach(problem -> LOG.warn("repair: {}", problem));
        var aside = directory.resolve(DirectoryLayout.FRONTIER + ".damaged-" + STAMP.format(now));
        var report = new RepairReport(problems, aside, 0, 0, 0, 0, 0, 0, 0, Map.of());
        var fresh = directory.resolve(DirectoryLayout.FRONTIER_REPAIRING);
        createEmpty(disk, fresh);
        try (var builder = FrontierBuilder.begin(disk, fresh, politeness, settings)) {
            builder.addHostStates(hostEvents(disk, frontier));
            for (var repairJob : repairJobs) {
                report =
                        report.plus(
                                new JobRepair(disk, repairJob, builder, progress, now)
                                        .run(frontier));
            }
        }
        if (disk.exists(frontier)) {
            disk.moveAtomically(frontier, aside);
        }
        disk.moveAtomically(fresh, frontier);
        disk.syncDirectory(directory);
        return report;
    }

    /** Returns the key of the frontier in a directory; a new one if it is missing or damaged. */
    public static FingerprintKey key(Disk disk, Path directory) throws IOException {
        var frontier = directory.resolve(DirectoryLayout.FRONTIER);
        try {
            return disk.exists(frontier)
                    ? FingerprintKeyFile.read(disk, frontier).orElseGet(FingerprintKey::random)
                    : FingerprintKey.random();
        } catch (FrontierDamagedException e) {
            return FingerprintKey.random();
        }
    }

    private static Collection<FrontierEvent> hostEvents(Disk disk, Path frontier)
            throws IOException {
        var hosts = new LinkedHashMap<String, FrontierEvent>();
        if (Files.isDirectory(frontier)) {
            var _ =
                    Salvage.read(
                            disk,
                            frontier,
                            new CrawlUrls(Normalisation.DEFAULT),
                            event -> {
                                if (event instanceof FrontierEvent.HostState it) {
                                    hosts.put("state " + it.host(), it);
                                } else if (event instanceof FrontierEvent.CrawlDelaySet it) {
                                    hosts.put("delay " + it.host(), it);
                                } else if (event instanceof FrontierEvent.RequestedElsewhere it) {
                                    hosts.put("request " + it.host(), it);
                                }
                            });
        }
        return hosts.values();
    }

    /** Creates an empty directory; deletes the files of an interrupted repair. */
    private static void createEmpty(Disk disk, Path fresh) throws IOException {
        disk.createDirectory(fresh);
        for (var file : disk.list(fresh)) {
            disk.delete(file);
        }
    }

    /** Repairs the committed lengths of a worker's part of a fleet job in a locked directory. */
    public static RepairReport repairCommittedLengths(Disk disk, Path directory)
            throws IOException {
        try {
            var _ = CommittedLengthsFile.read(disk, directory);
            return RepairReport.undamaged(directory);
        } catch (FrontierDamagedException e) {
            var aside =
                    directory.resolve(
                            CommittedLengthsFile.FILE + ".damaged-" + STAMP.format(Instant.now()));
            var known = CommittedLengthsFile.salvage(disk, directory);
            var scan = OutputScan.read(directory, _ -> {});
            var problems = List.of(e.problem());
            disk.moveAtomically(directory.resolve(CommittedLengthsFile.FILE), aside);
            CommittedLengthsFile.write(disk, directory, scan.committedLengths(disk, known));
            return new RepairReport(
                    problems, aside, scan.lines(), scan.unreadable(), 0, 0, 0, 0, 0, Map.of());
        }
    }
}
