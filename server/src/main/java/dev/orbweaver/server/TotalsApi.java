package dev.orbweaver.server;

import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.internal.jobs.Jobs;

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
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Serves figures of all jobs together. */
final class TotalsApi {

    private static final Logger LOG = LoggerFactory.getLogger(TotalsApi.class);

    /** The disk is measured at most this often, because all files of all jobs are visited. */
    private static final Duration DISK_INTERVAL = Duration.ofSeconds(30);

    private static final Duration DAY = Duration.ofDays(1);

    private final Jobs jobs;
    private final JobEventFeeds jobEventFeeds;
    private final Path data;
    private Disk disk = new Disk(Instant.EPOCH, 0, 0);

    /**
     * @param pagesPerSecond of all jobs together, over the last ten seconds
     * @param pages stored pages of all jobs
     * @param startedToday jobs that were started within the last 24 hours
     * @param pagesToday their stored pages
     */
    private record Totals(
            Map<String, Integer> jobs,
            double pagesPerSecond,
            long pages,
            int startedToday,
            long pagesToday,
            Disk disk) {}

    /**
     * @param usedBytes of the jobs' directories
     * @param freeBytes of the file system
     */
    private record Disk(Instant measured, long usedBytes, long freeBytes) {}

    TotalsApi(Jobs jobs, JobEventFeeds jobEventFeeds, Path data) {
        this.jobs = jobs;
        this.jobEventFeeds = jobEventFeeds;
        this.data = data;
    }

    void get(ApiCall apiCall) throws IOException {
        var states = new LinkedHashMap<String, Integer>();
        for (var state : State.values()) {
            if (state != State.DELETED) {
                states.put(state.name().toLowerCase(Locale.ROOT), 0);
            }
        }
        var now = Instant.now();
        var rate = 0.0;
        var pages = 0L;
        var startedToday = 0;
        var pagesToday = 0L;
        for (var job : jobs.all()) {
            if (job.state() == State.DELETED) {
                continue;
            }
            states.merge(job.state().name().toLowerCase(Locale.ROOT), 1, Integer::sum);
            var stored = pages(job);
            pages += stored;
            if (job.started().filter(begun -> begun.plus(DAY).isAfter(now)).isPresent()) {
                startedToday++;
                pagesToday += stored;
            }
            if (job.state() == State.RUNNING) {
                rate +=
                        jobEventFeeds
                                .open(job.id())
                                .map(feed -> feed.history().rate(stored, now))
                                .orElse(0.0);
            }
        }
        apiCall.json(
                new Totals(
                        states,
                        Math.round(100 * rate) / 100.0,
                        pages,
                        startedToday,
                        pagesToday,
                        disk(now)));
    }

    private long pages(JobRecord job) {
        return jobs.status(job.id())
                .filter(_ -> job.state().isOpen())
                .map(each -> each.frontier())
                .orElseGet(() -> jobs.stats(job.id()))
                .ledger()
                .pages();
    }

    private synchronized Disk disk(Instant now) throws IOException {
        if (disk.measured.plus(DISK_INTERVAL).isBefore(now)) {
            disk = new Disk(now, size(data), Files.getFileStore(data).getUsableSpace());
        }
        return disk;
    }

    /** Returns the size of all files below a directory; files that vanish meanwhile count as 0. */
    private static long size(Path directory) throws IOException {
        var sum = new long[1];
        var _ =
                Files.walkFileTree(
                        directory,
                        new SimpleFileVisitor<>() {
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
}
