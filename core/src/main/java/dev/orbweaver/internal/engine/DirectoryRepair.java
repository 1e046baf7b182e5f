package dev.orbweaver.internal.engine;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.directory.DirectoryFrontier;
import dev.orbweaver.internal.directory.FrontierLocation;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.repair.FrontierRepair;
import dev.orbweaver.internal.repair.RepairJob;
import dev.orbweaver.internal.repair.RepairReport;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Finds the parts of a directory that {@link FrontierRepair} builds a frontier from. */
public final class DirectoryRepair {

    private DirectoryRepair() {}

    /**
     * Rebuilds a damaged frontier of a crawl, or of all jobs of a service, that does not run.
     *
     * @param progress receives a short description of each step
     */
    public static RepairReport repair(Path directory, Settings table, Consumer<String> progress)
            throws ConfigException, IOException {
        var place = FrontierLocation.of(directory).frontier();
        if (!DirectoryFrontier.isFleetPart(directory)
                && !place.equals(directory.resolve(DirectoryLayout.FRONTIER))) {
            throw new IOException(
                    "%s shares its frontier with the other jobs of its service: name the service's directory, %s"
                            .formatted(directory, place.getParent()));
        }
        try (var _ = StoredCrawl.lock(directory)) {
            var disk = new RealDisk();
            if (DirectoryFrontier.isFleetPart(directory)) {
                return FrontierRepair.repairCommittedLengths(disk, directory);
            }
            var key = FrontierRepair.key(disk, directory);
            var repairJobs =
                    StoredCrawl.isService(directory)
                            ? repairParts(directory, table, key)
                            : List.of(repairPart(directory, directory, table, key));
            return FrontierRepair.run(
                    disk,
                    directory,
                    DirectoryFrontier.diskSettings(repairJobs.getFirst().config()),
                    repairJobs,
                    progress);
        }
    }

    /** The jobs that were begun; those that wait have nothing in the frontier yet. */
    private static List<RepairJob> repairParts(Path service, Settings table, FingerprintKey key)
            throws ConfigException, IOException {
        var repairJobs = new ArrayList<RepairJob>();
        try (var jobs = Files.list(service.resolve(DirectoryLayout.JOBS))) {
            for (var job : jobs.filter(StoredCrawl::isCrawl).sorted().toList()) {
                repairJobs.add(repairPart(service, job, table, key));
            }
        }
        if (repairJobs.isEmpty()) {
            throw new IOException(
                    "no job of %s was begun: move its frontier directory away".formatted(service));
        }
        return repairJobs;
    }

    private static RepairJob repairPart(
            Path owner, Path directory, Settings table, FingerprintKey key) throws ConfigException {
        var config = StoredCrawl.open(directory, table).config().withKey(key);
        var place =
                owner.equals(directory)
                        ? new FrontierLocation(directory, FrontierLocation.OWN_JOB, "")
                        : FrontierLocation.of(
                                owner,
                                new JobId(Integer.parseInt(directory.getFileName().toString())));
        return new RepairJob(
                place.job().number(),
                place.prefix(),
                directory,
                config,
                StoredCrawl.parsers(config, config.urls()));
    }
}
