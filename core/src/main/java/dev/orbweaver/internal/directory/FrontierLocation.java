package dev.orbweaver.internal.directory;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.frontier.SharedFrontier;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.JobId;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Where the frontier of a crawl is: in its directory or, of a job that shares one, two directories
 * above, where the job has a number and its files the prefix {@code jobs/N/}.
 */
public record FrontierLocation(Path frontier, JobId job, String prefix) {

    /** The number under which the frontier of a single crawl knows its job. */
    public static final JobId OWN_JOB = new JobId(0);

    public static FrontierLocation of(Path directory) {
        var own = directory.resolve(DirectoryLayout.FRONTIER);
        var jobs = directory.toAbsolutePath().normalize().getParent();
        if (Files.isDirectory(own) || jobs == null || jobs.getParent() == null) {
            return new FrontierLocation(own, OWN_JOB, "");
        }
        var name = directory.toAbsolutePath().normalize().getFileName().toString();
        var shared = jobs.getParent().resolve(DirectoryLayout.FRONTIER);
        return jobs.endsWith(DirectoryLayout.JOBS)
                        && name.matches("[1-9]\\d{0,8}")
                        && Files.isDirectory(shared)
                ? of(shared, new JobId(Integer.parseInt(name)))
                : new FrontierLocation(own, OWN_JOB, "");
    }

    public static FrontierLocation of(Path shared, JobId job) {
        return new FrontierLocation(shared, job, SharedFrontier.directoryOf(job));
    }

    /** The committed lengths of this crawl's files, by their own names. */
    public List<CommittedLength> ownLengths(List<CommittedLength> marks) {
        return marks.stream()
                .filter(mark -> mark.name().startsWith(prefix))
                .map(mark -> mark.withName(mark.name().substring(prefix.length())))
                .toList();
    }
}
