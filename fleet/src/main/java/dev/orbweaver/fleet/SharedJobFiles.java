package dev.orbweaver.fleet;

import dev.orbweaver.fleet.redis.JobLines;
import dev.orbweaver.fleet.redis.JobLines.Topic;
import dev.orbweaver.internal.config.ExclusionList;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.seeds.RemovedSeeds;
import dev.orbweaver.model.HostPattern;
import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Copies what applies to a job on all workers from Redis to files of its directory here. The crawl
 * of a job reads its files, so it works as on one machine.
 */
final class SharedJobFiles {

    private final JobLines lines;

    /** How many lines of a job are in its files. */
    private record Copied(long excludedHosts, long removedUrls) {}

    private final Map<JobId, Copied> copied = new HashMap<>();

    SharedJobFiles(JobLines lines) {
        this.lines = lines;
    }

    /** Brings the files of a job up to date. */
    void update(JobId job, Path directory) throws IOException {
        var before = copied.getOrDefault(job, new Copied(0, 0));
        var excluded = lines.count(job, Topic.EXCLUDED_HOSTS);
        if (excluded != before.excludedHosts) {
            var hosts = new HashSet<HostPattern>();
            for (var line : lines.all(job, Topic.EXCLUDED_HOSTS)) {
                ExclusionList.pattern(line).ifPresent(hosts::add);
            }
            ExclusionList.change(
                    directory.resolve(DirectoryLayout.EXCLUDED_HOSTS), hosts, Set.of());
        }
        var removed = lines.count(job, Topic.REMOVED_URLS);
        if (removed != before.removedUrls) {
            RemovedSeeds.replace(directory, lines.all(job, Topic.REMOVED_URLS));
        }
        copied.put(job, new Copied(excluded, removed));
    }

    void retain(Set<JobId> jobs) {
        copied.keySet().retainAll(jobs);
    }
}
