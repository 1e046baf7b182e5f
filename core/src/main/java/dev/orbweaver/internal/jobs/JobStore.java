package dev.orbweaver.internal.jobs;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.model.JobId;

import tools.jackson.core.JacksonException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Stores the directories of jobs, with their records. */
public final class JobStore {

    private final Disk disk;
    private final Path data;

    public JobStore(Disk disk, Path data) {
        this.disk = disk;
        this.data = data;
    }

    public Path directoryOf(JobId job) {
        return data.resolve(DirectoryLayout.JOBS).resolve(Integer.toString(job.number()));
    }

    /** Returns a number that no job has or had. It is stored before it is used. */
    public JobId nextId() throws IOException {
        var file = data.resolve(DirectoryLayout.NEXT_JOB);
        var number = Files.exists(file) ? Integer.parseInt(AtomicFile.read(disk, file).strip()) : 1;
        AtomicFile.write(disk, file, (number + 1) + "\n");
        return new JobId(number);
    }

    public void save(JobRecord job) throws IOException {
        Files.createDirectories(directoryOf(job.id()));
        AtomicFile.writePrivate(
                disk, directoryOf(job.id()).resolve(DirectoryLayout.JOB), job.toJson());
    }

    /** Returns all records, by number. */
    public List<JobRecord> all() throws IOException {
        var jobs = new ArrayList<JobRecord>();
        var directory = data.resolve(DirectoryLayout.JOBS);
        if (!Files.isDirectory(directory)) {
            return jobs;
        }
        try (var directories = Files.list(directory)) {
            for (var each : directories.toList()) {
                read(each.resolve(DirectoryLayout.JOB)).ifPresent(jobs::add);
            }
        }
        jobs.sort((a, b) -> Integer.compare(a.id().number(), b.id().number()));
        return jobs;
    }

    /**
     * Reads a record. A directory without one belongs to a job whose submission was never
     * confirmed.
     */
    private Optional<JobRecord> read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(JobRecord.fromJson(AtomicFile.read(disk, file)));
        } catch (JacksonException e) {
            throw new IOException(file + " is damaged: restore it, or move its directory away", e);
        }
    }

    /** Deletes all files of a job, if there are any. */
    public void delete(JobId job) throws IOException {
        var directory = directoryOf(job);
        if (!Files.isDirectory(directory)) {
            return;
        }
        var record = directory.resolve(DirectoryLayout.JOB);
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                if (!file.equals(directory) && !file.equals(record)) {
                    Files.delete(file);
                }
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        Files.deleteIfExists(record); // Last, so that an interrupted deletion is resumed.
        Files.delete(directory);
    }
}
