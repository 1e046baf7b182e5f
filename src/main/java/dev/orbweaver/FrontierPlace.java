package dev.orbweaver;

import dev.orbweaver.frontier.SharedFrontier;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.JobId;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Where the frontier of a crawl's folder lies: in the folder, or, of a job that shares one with
 * others, two folders above, where it knows the job by its number and its files by {@code jobs/N/}.
 *
 * @param prefix goes before the names of this crawl's output files there
 */
record FrontierPlace(Path frontier, JobId job, String prefix) {

    /** Its name in a folder. */
    static final String FRONTIER = "frontier";

    /** Where the folders of jobs lie beside the frontier that they share. */
    static final String JOBS = "jobs";

    /** The file in a job's directory that describes it. */
    static final String JOB_FILE = "job.json";

    /** The file with the number of the next job. */
    static final String NEXT_JOB_FILE = "next-job";

    /** Says which fleet's jobs are in a directory. */
    static final String FLEET_FILE = "fleet";

    static FrontierPlace of(Path folder) {
        var own = folder.resolve(FRONTIER);
        var jobs = folder.toAbsolutePath().normalize().getParent();
        if (Files.isDirectory(own) || jobs == null || jobs.getParent() == null) {
            return new FrontierPlace(own, JobId.ONLY, "");
        }
        var name = folder.toAbsolutePath().normalize().getFileName().toString();
        var shared = jobs.getParent().resolve(FRONTIER);
        return jobs.endsWith(JOBS) && name.matches("[1-9]\\d{0,8}") && Files.isDirectory(shared)
                ? of(shared, new JobId(Integer.parseInt(name)))
                : new FrontierPlace(own, JobId.ONLY, "");
    }

    /** The place of a job in a frontier that it shares. */
    static FrontierPlace of(Path shared, JobId job) {
        return new FrontierPlace(shared, job, SharedFrontier.folderOf(job));
    }

    /** Of all marks those of this crawl, as it names its files itself. */
    List<FileMark> own(List<FileMark> marks) {
        return marks.stream()
                .filter(mark -> mark.name().startsWith(prefix))
                .map(mark -> mark.named(mark.name().substring(prefix.length())))
                .toList();
    }
}
