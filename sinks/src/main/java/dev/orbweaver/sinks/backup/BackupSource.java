package dev.orbweaver.sinks.backup;

import dev.orbweaver.internal.archive.CrawlArchive;
import dev.orbweaver.internal.directory.DirectoryFrontier;
import dev.orbweaver.internal.directory.FrontierLocation;
import dev.orbweaver.internal.disk.DirectoryLayout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a backup contains: a crawl, or a service with all its jobs, which share a frontier.
 *
 * @param root the directory that has the frontier
 * @param crawls the directories of the crawls: the root itself, or those of the jobs
 */
record BackupSource(Path root, List<Path> crawls) {

    /**
     * Settings, summary, lists. The log of the program, caches and indexes are not copied: they can
     * be rebuilt. Files that begin with a dot may have secrets.
     */
    private static final Pattern SMALL_FILES =
            Pattern.compile(
                    "(?!progress\\.json)[^.].*\\.(yaml|json|tsv|cdxj)|excluded-hosts\\.txt|next-job|next-schedule");

    private static final Pattern SEED_FILES = Pattern.compile(".*\\.(list|ref|tsv|txt)");
    private static final Pattern DEPENDENTS = Pattern.compile(".*\\.txt");
    private static final Pattern SINK_FILES = Pattern.compile("job|.*\\.position");

    static BackupSource of(Path directory) throws IOException {
        var jobs = directory.resolve(DirectoryLayout.JOBS);
        var hasFrontier = Files.isDirectory(directory.resolve(DirectoryLayout.FRONTIER));
        var isCrawl = Files.exists(directory.resolve(DirectoryLayout.SETTINGS));
        if (isCrawl && hasFrontier) {
            return new BackupSource(directory, List.of(directory));
        }
        if (Files.isDirectory(jobs) && hasFrontier) {
            try (var each = Files.list(jobs)) {
                return new BackupSource(
                        directory, each.filter(Files::isDirectory).sorted().toList());
            }
        }
        throw new IOException(problem(directory, isCrawl, Files.isDirectory(jobs)));
    }

    private static String problem(Path directory, boolean isCrawl, boolean hasJobs) {
        if (DirectoryFrontier.isFleetPart(directory) || (hasJobs && !isCrawl)) {
            return "%s is the directory of a fleet's worker, whose frontier is in Redis; back up Redis and this directory with their own tools"
                    .formatted(directory);
        }
        var shared = FrontierLocation.of(directory).frontier();
        if (isCrawl && Files.isDirectory(shared)) {
            return "%s is a job of a service, which shares its frontier with other jobs; back up the directory of the service, %s"
                    .formatted(directory, shared.getParent());
        }
        return isCrawl
                ? directory + " has no frontier: the crawl was not started yet"
                : "there is no crawl in " + directory;
    }

    /** Returns the small files by their names below the root. */
    List<String> smallFiles() throws IOException {
        var names = new ArrayList<String>();
        add(root, SMALL_FILES, names);
        add(root.resolve(DirectoryLayout.SINKS), SINK_FILES, names);
        add(root.resolve(DirectoryLayout.DEPENDENTS), DEPENDENTS, names);
        add(root.resolve(DirectoryLayout.SCHEDULES), SMALL_FILES, names);
        for (var crawl : crawls) {
            if (!crawl.equals(root)) {
                add(crawl, SMALL_FILES, names);
                add(crawl.resolve(DirectoryLayout.SINKS), SINK_FILES, names);
                add(crawl.resolve(DirectoryLayout.DEPENDENTS), DEPENDENTS, names);
            }
        }
        return names;
    }

    /**
     * Returns the seed lists and their notes. The frontier has positions in them, so they are
     * listed after its files were linked.
     */
    List<String> seedFiles() throws IOException {
        var names = new ArrayList<String>();
        for (var crawl : crawls) {
            add(crawl.resolve(DirectoryLayout.SEEDS), SEED_FILES, names);
        }
        return names;
    }

    private void add(Path directory, Pattern pattern, List<String> names) throws IOException {
        if (Files.isDirectory(directory)) {
            try (var files = Files.list(directory)) {
                files.filter(Files::isRegularFile)
                        .filter(file -> pattern.matcher(file.getFileName().toString()).matches())
                        .map(file -> root.relativize(file).toString())
                        .sorted()
                        .forEach(names::add);
            }
        }
    }

    /**
     * Returns keys of the page logs, which change when a compaction replaces one.
     *
     * @throws IOException also if a compaction is running or was interrupted
     */
    List<Optional<Object>> logIdentities() throws IOException {
        var identities = new ArrayList<Optional<Object>>();
        for (var crawl : crawls) {
            if (Files.exists(crawl.resolve(DirectoryLayout.COMPACTION_PLAN))) {
                throw new IOException(
                        "%s is being compacted; run the command again when 'orbweaver compact %s' has ended"
                                .formatted(crawl, crawl));
            }
            identities.add(CrawlArchive.logIdentity(crawl));
        }
        return identities;
    }
}
