package dev.orbweaver;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.Settings;
import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.model.JobId;
import dev.orbweaver.url.FingerprintKey;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Finds the parts of a directory that {@link Repair} builds a frontier from. */
public final class Repairs {

    private Repairs() {}

    /**
     * Builds the frontier of a crawl, or of all jobs of a service, again if it is damaged. Neither
     * may be running.
     *
     * @param progress is told what is being done, as a few words
     */
    public static Repair.Report repair(Path folder, Settings table, Consumer<String> progress)
            throws ConfigException, IOException {
        var place = FrontierPlace.of(folder).frontier();
        if (!CrawlDirectory.ofFleet(folder)
                && !place.equals(folder.resolve(FrontierPlace.FRONTIER))) {
            throw new IOException(
                    "%s shares its frontier with the other jobs of its service: name the service's directory, %s"
                            .formatted(folder, place.getParent()));
        }
        try (var _ = CrawlDirectory.lock(folder)) {
            var disk = new RealDisk();
            if (CrawlDirectory.ofFleet(folder)) {
                return Repair.marks(disk, folder);
            }
            var key = Repair.key(disk, folder);
            var parts =
                    CrawlDirectory.isService(folder)
                            ? jobsOf(folder, table, key)
                            : List.of(repairPart(folder, folder, table, key));
            return Repair.run(
                    disk,
                    folder,
                    CrawlDirectory.diskSettings(parts.getFirst().config()),
                    parts,
                    progress);
        }
    }

    /** The jobs that were begun; those that wait have nothing in the frontier yet. */
    private static List<Repair.Part> jobsOf(Path service, Settings table, FingerprintKey key)
            throws ConfigException, IOException {
        var parts = new ArrayList<Repair.Part>();
        try (var jobs = Files.list(service.resolve(FrontierPlace.JOBS))) {
            for (var job : jobs.filter(CrawlDirectory::isCrawl).sorted().toList()) {
                parts.add(repairPart(service, job, table, key));
            }
        }
        if (parts.isEmpty()) {
            throw new IOException(
                    "no job of %s was begun: move its frontier directory away".formatted(service));
        }
        return parts;
    }

    private static Repair.Part repairPart(
            Path owner, Path folder, Settings table, FingerprintKey key) throws ConfigException {
        var config = CrawlDirectory.open(folder, table).config().keyed(key);
        var place =
                owner.equals(folder)
                        ? new FrontierPlace(folder, JobId.ONLY, "")
                        : FrontierPlace.of(
                                owner,
                                new JobId(Integer.parseInt(folder.getFileName().toString())));
        return new Repair.Part(
                place.job().number(),
                place.prefix(),
                folder,
                config,
                CrawlDirectory.parsers(config, config.urls()));
    }
}
