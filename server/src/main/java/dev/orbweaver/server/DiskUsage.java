package dev.orbweaver.server;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.model.JobId;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Measures the files of jobs in the background, so that no call waits for it. The directory of a
 * job that has ended is measured again only now and then.
 */
final class DiskUsage implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DiskUsage.class);
    static final Duration INTERVAL = Duration.ofSeconds(30);

    /** How often jobs that have ended are measured: exports and repairs may change them. */
    static final Duration ENDED_INTERVAL = Duration.ofMinutes(10);

    /**
     * The use of the disk.
     *
     * @param usedBytes of all files of the service
     * @param freeBytes of the file system
     */
    record Total(Instant measured, long usedBytes, long freeBytes) {}

    private record Measured(Instant at, long bytes) {}

    private final Jobs jobs;
    private final Path data;
    private final Duration interval;
    private final Thread thread;
    private volatile Map<JobId, Measured> byJob = Map.of();
    private volatile Optional<Total> total = Optional.empty();

    DiskUsage(Jobs jobs, Path data, Duration interval) {
        this.jobs = jobs;
        this.data = data;
        this.interval = interval;
        this.thread = Thread.ofVirtual().name("disk usage").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Returns the bytes of a job's files; empty until they are measured for the first time. */
    Optional<Long> bytes(JobId job) {
        return Optional.ofNullable(byJob.get(job)).map(Measured::bytes);
    }

    /** Returns the use by all jobs; empty until it is measured for the first time. */
    Optional<Total> total() {
        return total;
    }

    private void run() {
        while (true) {
            try {
                measure(Instant.now());
            } catch (IOException | RuntimeException e) {
                LOG.warn("could not measure the disk use of jobs; retrying", e);
            }
            try {
                Thread.sleep(interval);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void measure(Instant now) throws IOException {
        var found = new HashMap<JobId, Measured>();
        for (var job : jobs.all()) {
            if (job.state() != JobRecord.State.DELETED) {
                var before = byJob.get(job.id());
                found.put(
                        job.id(),
                        before != null && isCurrent(job, before, now)
                                ? before
                                : new Measured(now, size(jobs.directory(job.id()), false)));
            }
        }
        byJob = Map.copyOf(found);
        var used = size(data, true) + found.values().stream().mapToLong(Measured::bytes).sum();
        total = Optional.of(new Total(now, used, Files.getFileStore(data).getUsableSpace()));
    }

    private static boolean isCurrent(JobRecord job, Measured before, Instant now) {
        // The files of a crawl are closed soon after its end.
        return job.ended().filter(end -> end.plus(INTERVAL).isBefore(before.at)).isPresent()
                && before.at.plus(ENDED_INTERVAL).isAfter(now);
    }

    /**
     * Returns the size of all files below a directory; those that vanish meanwhile count as 0.
     *
     * @param withoutJobs whether directories of jobs are left out
     */
    private long size(Path directory, boolean withoutJobs) throws IOException {
        if (!Files.isDirectory(directory)) {
            return 0; // In a fleet: nothing of the job is stored here yet.
        }
        var ofJobs = data.resolve(DirectoryLayout.JOBS);
        var sum = new long[1];
        var _ =
                Files.walkFileTree(
                        directory,
                        new SimpleFileVisitor<>() {
                            @Override
                            public FileVisitResult preVisitDirectory(
                                    Path visited, BasicFileAttributes found) {
                                return withoutJobs && visited.equals(ofJobs)
                                        ? FileVisitResult.SKIP_SUBTREE
                                        : FileVisitResult.CONTINUE;
                            }

                            @Override
                            public FileVisitResult visitFile(Path file, BasicFileAttributes found) {
                                sum[0] += found.size();
                                return FileVisitResult.CONTINUE;
                            }

                            @Override
                            public FileVisitResult visitFileFailed(Path file, IOException e) {
                                LOG.debug("could not measure {}", file, e);
                                return FileVisitResult.CONTINUE;
                            }

                            @Override
                            public FileVisitResult postVisitDirectory(
                                    Path visited, @Nullable IOException e) {
                                return FileVisitResult.CONTINUE;
                            }
                        });
        return sum[0];
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
