package dev.orbweaver.internal.directory;

import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Seed;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.UrlLookup;
import dev.orbweaver.internal.frontier.WorkbenchFrontier;
import dev.orbweaver.internal.frontier.disk.CommittedLengthsFile;
import dev.orbweaver.internal.frontier.disk.DiskFrontier;
import dev.orbweaver.internal.frontier.disk.DiskSettings;
import dev.orbweaver.internal.frontier.disk.FingerprintKeyFile;
import dev.orbweaver.internal.frontier.disk.FrontierInspection;
import dev.orbweaver.internal.sink.Compaction;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The frontier of a crawl that has it on disk, by the crawl's directory. All methods but {@link
 * #open} only read, whether the crawl is running or not.
 */
public record DirectoryFrontier(Path directory, CrawlConfig config) {

    /**
     * Opens it for changes.
     *
     * @throws IOException also when the directory has output of which no frontier knows, or a crawl
     *     of other seeds
     */
    public WorkbenchFrontier open(Disk disk, Instant now) throws IOException {
        var place = directory.resolve(DirectoryLayout.FRONTIER);
        disk.createDirectory(place);
        if (FingerprintKeyFile.isUnused(disk, place)) {
            refuseForeignFiles(disk);
        }
        var keyed =
                config.withKey(
                        FingerprintKeyFile.read(disk, place).orElseGet(FingerprintKey::random));
        var frontier = DiskFrontier.open(disk, place, keyed.politeness(), diskSettings(keyed), now);
        try {
            // A compaction that died with its plan written is carried out before anything else.
            var _ =
                    Compaction.applyPlan(
                            disk, directory, marks -> commitLengths(frontier, marks, now));
        } catch (IOException | RuntimeException e) {
            frontier.close();
            throw e;
        }
        var seeds = frontier.job(FrontierLocation.OWN_JOB).seeds();
        if (!seeds.isEmpty()
                && !seeds.containsAll(keyed.seeds().stream().map(Seed::url).toList())) {
            frontier.close();
            throw new IOException(
                    directory + " holds a crawl of other seeds; choose another folder");
        }
        return frontier;
    }

    /**
     * Outputs that no frontier knows of would be taken for the rest of a crash and cut away. They
     * may belong to a user, or to a crawl whose frontier was deleted.
     */
    private void refuseForeignFiles(Disk disk) throws IOException {
        for (var name : List.of(DirectoryLayout.WARC, DirectoryLayout.TEMPORARY)) {
            if (Files.isDirectory(directory.resolve(name))
                    && !disk.list(directory.resolve(name)).isEmpty()) {
                refuse(name + "/ with files in it");
            }
        }
        if (disk.exists(directory.resolve(DirectoryLayout.PAGE_LOG))
                && disk.length(directory.resolve(DirectoryLayout.PAGE_LOG)) > 0) {
            refuse(DirectoryLayout.PAGE_LOG);
        }
    }

    private void refuse(String what) throws IOException {
        throw new IOException(
                "%s has a %s but no frontier that knows of it; choose another folder with --out, or move it away"
                        .formatted(directory, what));
    }

    /** Commits new lengths of output files and nothing else. */
    public static void commitLengths(
            WorkbenchFrontier frontier, List<CommittedLength> marks, Instant now)
            throws IOException {
        frontier.settle(new CommitBatch(List.of(), marks), now).requireStored();
    }

    /** The counts of the crawl. */
    public FrontierStats stats() throws IOException {
        var place = FrontierLocation.of(directory);
        return DiskFrontier.readStats(
                new RealDisk(),
                place.frontier(),
                config.politeness(),
                diskSettings(),
                place.job(),
                Instant.now());
    }

    /** Everything that is known of it. */
    public FrontierInspection inspect(FrontierInspection.InspectionOptions options)
            throws IOException {
        return DiskFrontier.inspect(
                new RealDisk(),
                FrontierLocation.of(directory).frontier(),
                config.politeness(),
                diskSettings(),
                options,
                Instant.now());
    }

    /**
     * Passes every dead letter of the crawl.
     *
     * @return how many were left out, because there are too many since the last snapshot
     */
    public long deadLetters(Consumer<DeadLetter> out) throws IOException {
        var place = FrontierLocation.of(directory);
        return DiskFrontier.readDeadLetters(
                new RealDisk(),
                place.frontier(),
                config.politeness(),
                diskSettings(),
                letter -> {
                    if (letter.job().equals(place.job())) {
                        out.accept(letter);
                    }
                });
    }

    /** What it knows of a URL, with the committed lengths of this crawl's files. */
    public UrlLookup lookUp(CrawlUrl url, Instant now) throws IOException {
        var place = FrontierLocation.of(directory);
        var whole =
                DiskFrontier.lookUp(
                        new RealDisk(),
                        place.frontier(),
                        config.politeness(),
                        diskSettings(),
                        place.job(),
                        url,
                        now);
        return new UrlLookup(
                whole.state(),
                whole.discovery(),
                whole.seeds(),
                place.ownLengths(whole.committedLengths()),
                whole.refused());
    }

    /** The lengths of the output files at the last commit; empty without a frontier. */
    public Optional<List<CommittedLength>> committedLengths() throws IOException {
        var place = FrontierLocation.of(directory);
        if (isFleetPart(directory)) {
            return Optional.of(CommittedLengthsFile.read(new RealDisk(), directory));
        }
        if (!Files.isDirectory(place.frontier())) {
            return Optional.empty();
        }
        // The plan is read first: once it is gone, the frontier has it.
        var planned = Compaction.plannedLengths(directory);
        var marks =
                new ArrayList<>(
                        place.ownLengths(
                                DiskFrontier.readCommittedLengths(
                                        new RealDisk(),
                                        place.frontier(),
                                        config.politeness(),
                                        diskSettings())));
        marks.addAll(planned);
        return Optional.of(marks);
    }

    /** What makes the URLs of the crawl, with the fingerprints that its frontier knows them by. */
    public CrawlUrls urls() throws IOException {
        var frontier = FrontierLocation.of(directory).frontier();
        return Files.isDirectory(frontier)
                ? FingerprintKeyFile.read(new RealDisk(), frontier)
                        .map(key -> new CrawlUrls(config.normalisation(), key))
                        .orElseGet(config::urls)
                : config.urls();
    }

    /** Whether a directory is a worker's part of a fleet's job; its frontier is in Redis. */
    public static boolean isFleetPart(Path crawl) {
        return Files.exists(crawl.resolve(CommittedLengthsFile.FILE));
    }

    public static DiskSettings diskSettings(CrawlConfig config) {
        return DiskSettings.of(config.urls()).with(config.durability());
    }

    private DiskSettings diskSettings() throws IOException {
        return DiskSettings.of(urls()).with(config.durability());
    }
}
