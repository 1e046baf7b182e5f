package dev.orbweaver.fleet;

import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisProcess;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Eventually;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * What real workers cost Redis, and how they share the hosts of a polite crawl; for tests and
 * benchmarks.
 */
public final class FleetCost implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    /** The time in which workers divide hosts before their pages are counted. */
    private static final Duration SETTLING = Duration.ofSeconds(10);

    /**
     * The cost of a whole crawl.
     *
     * @param roundTrips of all connections of all workers, from the submission of the job to its
     *     end
     * @param commands that Redis counted meanwhile, those within scripts included
     */
    public record CrawlCost(int pages, long roundTrips, long commands, Duration shortestGap) {

        public double roundTripsPerPage() {
            return (double) roundTrips / pages;
        }

        public double commandsPerPage() {
            return (double) commands / pages;
        }
    }

    /**
     * The pages of each worker.
     *
     * @param shortestGap between the requests for two pages of one host
     */
    public record Balance(List<Integer> pages, Duration shortestGap) {

        /** The pages of the busiest worker, relative to the mean. */
        public double maxToMean() {
            var sum = pages.stream().mapToInt(Integer::intValue).sum();
            var max = pages.stream().mapToInt(Integer::intValue).max().orElse(0);
            return (double) max * pages.size() / sum;
        }
    }

    private final RedisProcess redis;
    private final Path directory;
    private final List<FleetWorker> workers = new ArrayList<>();
    private String fleetName = "";
    private static final AtomicInteger FLEETS = new AtomicInteger();

    public FleetCost(Path directory) throws IOException {
        this.directory = directory;
        this.redis = RedisProcess.start(directory.resolve("redis"));
        newFleet();
    }

    private void newFleet() throws IOException {
        for (var worker : workers) {
            worker.close();
        }
        workers.clear();
        fleetName = "cost" + FLEETS.incrementAndGet();
    }

    private FleetSettings settings(String worker) {
        return FleetSettings.of(redis.uri(), fleetName, worker);
    }

    private void join(int count) throws IOException {
        for (var i = 0; i < count; i++) {
            var name = "w" + workers.size();
            var data = directory.resolve(fleetName).resolve(name);
            var worker = FleetWorker.join(new WorkerSettings(settings(name), data, 100, true));
            workers.add(worker);
            var _ =
                    Thread.ofPlatform()
                            .daemon()
                            .name(name)
                            .start(
                                    () -> {
                                        try {
                                            worker.run();
                                        } catch (InterruptedException e) {
                                            Thread.currentThread().interrupt();
                                        }
                                    });
        }
    }

    private static JobId submit(Fleet fleet, PoliteHosts web, Duration delay) throws Exception {
        var config = web.config(delay);
        var seeds = config.seeds().stream().map(seed -> seed.url().text()).toList();
        return fleet.submit("once", YamlFile.write(config.settingValues()), seeds, Instant.now());
    }

    private long commands() throws IOException {
        return Long.parseLong(
                redis.command("INFO", "stats")
                        .lines()
                        .filter(line -> line.startsWith("total_commands_processed:"))
                        .findFirst()
                        .orElseThrow()
                        .substring("total_commands_processed:".length())
                        .strip());
    }

    /** Commands a second that Redis counts for each worker of a fleet without jobs. */
    public double idle(int count, Duration window) throws Exception {
        newFleet();
        join(count);
        pause(Duration.ofSeconds(3));
        return commandsPerSecond(window) / count;
    }

    /**
     * Commands a second that Redis counts for a worker of a job of which another worker has the
     * only host, which was requested to wait; that worker counts too.
     */
    public double idleInAJob(Duration window) throws Exception {
        newFleet();
        try (var web = new PoliteHosts(1, 100);
                var fleet = Fleet.open(settings("visitor"))) {
            join(2);
            var _ = submit(fleet, web, Duration.ofMinutes(10));
            Eventually.until(TIMEOUT, "the first request", () -> web.requests() > 0);
            pause(Duration.ofSeconds(8));
            return commandsPerSecond(window) / 2;
        }
    }

    private double commandsPerSecond(Duration window) throws IOException {
        var before = commands();
        var from = System.nanoTime();
        pause(window);
        return (commands() - before - 1) / ((System.nanoTime() - from) / 1e9);
    }

    /** How long an idle worker takes from the submission of a job to its first request. */
    public Duration wakeUp() throws Exception {
        newFleet();
        try (var web = new PoliteHosts(1, 1);
                var fleet = Fleet.open(settings("visitor"))) {
            join(1);
            pause(Duration.ofSeconds(3));
            var from = System.nanoTime();
            var _ = submit(fleet, web, Duration.ofMillis(100));
            Eventually.until(TIMEOUT, "the first request", () -> web.requests() > 0);
            return Duration.ofNanos(System.nanoTime() - from);
        }
    }

    /** Crawls small hosts politely to the end. */
    public CrawlCost polite(int count, int hosts, int pages, Duration delay) throws Exception {
        newFleet();
        try (var web = new PoliteHosts(hosts, pages);
                var fleet = Fleet.open(settings("visitor"))) {
            join(count);
            pause(Duration.ofSeconds(2));
            var trips = roundTrips();
            var before = commands();
            var job = submit(fleet, web, delay);
            Eventually.until(TIMEOUT, "all pages", () -> web.served() >= hosts * pages);
            while (fleet.job(job).orElseThrow().state() != FleetJob.State.FINISHED) {
                pause(Duration.ofMillis(500));
            }
            return new CrawlCost(
                    web.served(), roundTrips() - trips, commands() - before, web.shortestGap());
        }
    }

    private long roundTrips() {
        return workers.stream().mapToLong(FleetWorker::roundTrips).sum();
    }

    /** Crawls for a while with some workers, of which some join later. */
    public Balance balance(int count, int late, int hosts, Duration delay, Duration window)
            throws Exception {
        newFleet();
        try (var web = new PoliteHosts(hosts, 100_000);
                var fleet = Fleet.open(settings("visitor"))) {
            join(count - late);
            pause(Duration.ofSeconds(2));
            var job = submit(fleet, web, delay);
            Eventually.until(TIMEOUT, "some pages", () -> web.served() >= 4 * hosts);
            join(late);
            pause(SETTLING);
            var before = pages(job);
            pause(window);
            for (var worker : workers) {
                worker.stop();
            }
            for (var worker : List.copyOf(workers)) {
                worker.close();
            }
            var after = pages(job);
            workers.clear();
            var each = new ArrayList<Integer>();
            for (var i = 0; i < after.size(); i++) {
                each.add(after.get(i) - before.get(i));
            }
            return new Balance(each, web.shortestGap());
        }
    }

    private List<Integer> pages(JobId job) throws IOException {
        var pages = new ArrayList<Integer>();
        for (var i = 0; i < workers.size(); i++) {
            var log =
                    directory
                            .resolve(fleetName)
                            .resolve("w" + i)
                            .resolve(DirectoryLayout.JOBS)
                            .resolve(Integer.toString(job.number()))
                            .resolve(DirectoryLayout.PAGE_LOG);
            var count = new AtomicInteger();
            if (Files.exists(log)) {
                PageLog.read(
                        log,
                        entry -> {
                            if (entry.kind() == Kind.PAGE) {
                                count.incrementAndGet();
                            }
                        });
            }
            pages.add(count.get());
        }
        return pages;
    }

    private static void pause(Duration time) {
        LockSupport.parkNanos(time.toNanos());
    }

    @Override
    public void close() throws IOException {
        newFleet();
        redis.close();
    }
}
