package dev.orbweaver;

import dev.orbweaver.disk.Disk;
import dev.orbweaver.disk.WholeFile;
import dev.orbweaver.model.JobId;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The folders of jobs, with what is kept of each. */
final class JobFolder {

    static final String FILE = FrontierPlace.JOB_FILE;
    static final String NEXT = FrontierPlace.NEXT_JOB_FILE;

    private final Disk disk;
    private final Path data;

    JobFolder(Disk disk, Path data) {
        this.disk = disk;
        this.data = data;
    }

    Path of(JobId job) {
        return data.resolve(FrontierPlace.JOBS).resolve(Integer.toString(job.number()));
    }

    /** A number that no job has or had. It is kept before it is used. */
    JobId next() throws IOException {
        var file = data.resolve(NEXT);
        var number = Files.exists(file) ? Integer.parseInt(WholeFile.read(disk, file).strip()) : 1;
        WholeFile.write(disk, file, (number + 1) + "\n");
        return new JobId(number);
    }

    void keep(JobRecord job) throws IOException {
        Files.createDirectories(of(job.id()));
        WholeFile.writePrivate(disk, of(job.id()).resolve(FILE), job.json());
    }

    /** Every job that is there, by number. */
    List<JobRecord> all() throws IOException {
        var jobs = new ArrayList<JobRecord>();
        var folder = data.resolve(FrontierPlace.JOBS);
        if (!Files.isDirectory(folder)) {
            return jobs;
        }
        try (var folders = Files.list(folder)) {
            for (var each : folders.toList()) {
                read(each.resolve(FILE)).ifPresent(jobs::add);
            }
        }
        jobs.sort((a, b) -> Integer.compare(a.id().number(), b.id().number()));
        return jobs;
    }

    /** A folder without the file is one whose sender was never answered. */
    private Optional<JobRecord> read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(JobRecord.read(WholeFile.read(disk, file)));
        } catch (JacksonException | IllegalArgumentException | DateTimeException e) {
            throw new IOException(file + " is damaged: restore it, or move its folder away", e);
        }
    }

    /** Deletes everything of a job. What is not there any more was deleted before. */
    void delete(JobId job) throws IOException {
        var folder = of(job);
        if (!Files.isDirectory(folder)) {
            return;
        }
        try {
            Files.walkFileTree(
                    folder,
                    new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                                throws IOException {
                            if (!file.equals(folder.resolve(FILE))) {
                                Files.delete(file);
                            }
                            return FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult postVisitDirectory(
                                Path each, @Nullable IOException error) throws IOException {
                            if (error != null) {
                                throw error;
                            }
                            if (!each.equals(folder)) {
                                Files.delete(each);
                            }
                            return FileVisitResult.CONTINUE;
                        }
                    });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        Files.deleteIfExists(folder.resolve(FILE)); // Last: until then it says what is going on.
        Files.delete(folder);
    }
}
