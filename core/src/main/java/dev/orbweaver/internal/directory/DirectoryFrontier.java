package dev.orbweaver.internal.directory;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.InvalidArgumentException;
import dev.orbweaver.internal.config.Seed;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.UrlLookup;
import dev.orbweaver.internal.frontier.Workbench;
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
import dev.orbweaver.model.Fingerprint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The on-disk frontier of a crawl, found by the crawl's directory. All methods except {@link #open}
 * only read and work whether the crawl is running or not.
 */
public record DirectoryFrontier(Path directory, CrawlConfig config) {

    /**
     * Opens the frontier for changes.
     *
     * @throws IOException also if the directory has output without a frontier, or a crawl with
     *     other seeds
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
            // If a compaction crashed after it wrote its plan, complete it first.
            var _ =
                    Compaction.applyPlan(
                            disk, directory, marks -> commitLengths(frontier, marks, now));
        } catch (IOException | RuntimeException e) {
            frontier.close();
            throw e;
        }
        if (isOfOtherSeeds(frontier, keyed)) {
            frontier.close();
            throw new InvalidArgumentException(
                    directory + " contains a crawl with other seeds; choose another directory");
        }
        return frontier;
    }

    /**
     * Returns whether a crawl began with other seeds. Of more seeds than the frontier returns, it
     * is known only whether the crawl has accepted them.
     */
    private static boolean isOfOtherSeeds(WorkbenchFrontier frontier, CrawlConfig config) {
        var known = new HashSet<Fingerprint>();
        frontier.job(FrontierLocation.OWN_JOB).seeds().forEach(seed -> known.add(seed.key()));
        return !known.isEmpty()
                && !config.seeds().stream()
                        .map(Seed::url)
                        .allMatch(
                                url ->
                                        known.contains(url.key())
                                                || (known.size() >= Workbench.SEEDS_KEPT_MAX
                                                        && frontier.hasAccepted(
                                                                FrontierLocation.OWN_JOB, url)));
    }

    /**
     * Rejects a directory with output but without a frontier. Recovery would treat that output as
     * uncommitted and truncate it. It may belong to the user, or to a crawl whose frontier was
     * deleted.
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
        throw new InvalidArgumentException(
                "%s has a %s but no frontier; choose another directory, or move it away"
                        .formatted(directory, what));
    }

    /** Commits new lengths of output files without any other change. */
    public static void commitLengths(
            WorkbenchFrontier frontier, List<CommittedLength> marks, Instant now)
            throws IOException {
        frontier.settle(new CommitBatch(List.of(), marks), now).requireStored();
    }

    /** Returns the counts of the crawl. */
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

    /** Returns the complete state of the frontier, for inspection. */
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
     * Passes every dead letter of the crawl to a consumer.
     *
     * @return how many were omitted because there are too many since the last snapshot
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

    /** Returns the state of a URL, with the committed lengths of this crawl's files. */
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
        return whole.withCommittedLengths(place.ownLengths(whole.committedLengths()));
    }

    /**
     * Returns the lengths of the output files at the last commit; empty if there is no frontier.
     */
    public Optional<List<CommittedLength>> committedLengths() throws IOException {
        var place = FrontierLocation.of(directory);
        if (isFleetPart(directory)) {
            return Optional.of(CommittedLengthsFile.read(new RealDisk(), directory));
        }
        if (!Files.isDirectory(place.frontier())) {
            return Optional.empty();
        }
        // The plan is read before the frontier: once the plan is deleted, the frontier has its
        // lengths.
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

    /**
     * Returns the URL factory of the crawl, which computes fingerprints with its frontier's key.
     */
    public CrawlUrls urls() throws IOException {
        var frontier = FrontierLocation.of(directory).frontier();
        return Files.isDirectory(frontier)
                ? FingerprintKeyFile.read(new RealDisk(), frontier)
                        .map(key -> new CrawlUrls(config.normalisation(), key))
                        .orElseGet(config::urls)
                : config.urls();
    }

    /**
     * Returns whether a directory is a worker's part of a fleet job, whose frontier is in Redis.
     */
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
