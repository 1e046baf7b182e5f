package dev.orbweaver.internal.directory;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.frontier.SharedFrontier;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.JobId;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The location of a crawl's frontier. It is in the crawl's directory or, if jobs share a frontier,
 * two directories above; there the job has a number and its files have the prefix {@code jobs/N/}.
 */
public record FrontierLocation(Path frontier, JobId job, String prefix) {

    /** The number of the only job in the frontier of a single crawl. */
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

    /** Returns the committed lengths of this crawl's files, by their names without the prefix. */
    public List<CommittedLength> ownLengths(List<CommittedLength> marks) {
        return marks.stream()
                .filter(mark -> mark.name().startsWith(prefix))
                .map(mark -> mark.withName(mark.name().substring(prefix.length())))
                .toList();
    }
}
