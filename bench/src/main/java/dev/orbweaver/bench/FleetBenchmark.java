package dev.orbweaver.bench;

import dev.orbweaver.e2e.FleetScaling;
import dev.orbweaver.fleet.FleetCost;
import dev.orbweaver.fleet.redis.FleetLoad;
import dev.orbweaver.fleet.redis.OverflowLoad;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Measures the cost of a fleet's frontier in Redis, its scaling, and overflow to disk. */
final class FleetBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "fleet",
                    "Redis memory per URL seen, CPU and round trips per page, idle workers, small"
                        + " polite crawls, pages per worker, 2 and 4 workers versus 1, and more"
                        + " URLs than fit into Redis [--balance-seconds 15 --urls 20000000 --shards"
                        + " 256 --pages 200000 --hosts 5000 --seconds 30 --overflow-urls 20000000"
                        + " --overflow-hosts 200000 --redis-megabytes 512 --seed N; 0 skips a"
                        + " part]",
                    options -> new FleetBenchmark().run(options));

    private interface Part {
        void run(Path directory) throws Exception;
    }

    private Map<String, Object> run(Options options) throws Exception {
        var seed = options.number("seed", (int) (System.nanoTime() & 0xFFFF));
        var figures = new LinkedHashMap<String, Object>();
        if (options.number("pages", 200_000) > 0) {
            in(directory -> pages(directory, options, seed, figures));
        }
        if (options.number("balance-seconds", 15) > 0) {
            in(directory -> cost(directory, options, figures));
        }
        if (options.number("urls", 20_000_000) > 0) {
            in(directory -> seen(directory, options, seed, figures));
        }
        if (options.number("seconds", 30) > 0) {
            in(directory -> scaling(directory, options, seed, figures));
        }
        if (options.number("overflow-urls", 20_000_000) > 0) {
            in(directory -> overflow(directory, options, figures));
        }
        figures.put("seed", seed);
        return figures;
    }

    private static void in(Part part) throws Exception {
        var directory = Files.createTempDirectory("orbweaver-bench");
        try {
            part.run(directory);
        } finally {
            CrawlProcess.delete(directory);
        }
    }

    private static void pages(
            Path directory, Options options, int seed, Map<String, Object> figures)
            throws Exception {
        try (var load = new FleetLoad(directory, seed)) {
            var pages =
                    load.pages(options.number("pages", 200_000), options.number("hosts", 5_000));
            figures.put("pages", pages.pages());
            figures.put("pagesPerRedisCpuSecond", pages.pages() / pages.redisSeconds());
            figures.put("roundTripsPerPage", (double) pages.roundTrips() / pages.pages());
        }
    }

    private static void cost(Path directory, Options options, Map<String, Object> figures)
            throws Exception {
        try (var cost = new FleetCost(directory)) {
            var idle = Duration.ofSeconds(20);
            figures.put("idleCommandsPerSecondAndWorker", cost.idle(2, idle));
            figures.put("idleInAJobCommandsPerSecondAndWorker", cost.idleInAJob(idle));
            figures.put("wakeUpMillis", cost.wakeUp().toMillis());
            for (var workers : new int[] {1, 2, 4}) {
                var crawl = cost.polite(workers, 8, 21, Duration.ofSeconds(1));
                figures.put("politeRoundTripsPerPage" + workers, crawl.roundTripsPerPage());
                figures.put("politeCommandsPerPage" + workers, crawl.commandsPerPage());
            }
            var window = Duration.ofSeconds(options.number("balance-seconds", 15));
            for (var workers : new int[] {2, 4, 8}) {
                var balance = cost.balance(workers, 0, 8, Duration.ofMillis(250), window);
                figures.put("pagesOfWorkers" + workers, balance.pages());
                figures.put("maxToMean" + workers, balance.maxToMean());
            }
            var late = cost.balance(2, 1, 8, Duration.ofMillis(250), window);
            figures.put("pagesWithLateJoiner", late.pages());
            figures.put("maxToMeanWithLateJoiner", late.maxToMean());
        }
    }

    private static void seen(Path directory, Options options, int seed, Map<String, Object> figures)
            throws Exception {
        try (var load = new FleetLoad(directory, seed)) {
            var seen = load.seen(options.number("urls", 20_000_000), options.number("shards", 256));
            figures.put("urls", seen.urls());
            figures.put("seenBytesPerUrl", (double) seen.bytes() / seen.urls());
            figures.put("urlsPerRedisCpuSecond", seen.urls() / seen.redisSeconds());
            figures.put("wrong", seen.wrong());
        }
    }

    private static void scaling(
            Path directory, Options options, int seed, Map<String, Object> figures)
            throws Exception {
        var window = Duration.ofSeconds(options.number("seconds", 30));
        try (var scaling = new FleetScaling(directory, seed)) {
            var one = scaling.rate(1, window);
            figures.put("requestsPerSecondOfOneWorker", one);
            figures.put("scaling2", scaling.rate(2, window) / one);
            figures.put("scaling4", scaling.rate(4, window) / one);
        }
    }

    private static void overflow(Path directory, Options options, Map<String, Object> figures)
            throws Exception {
        try (var load =
                new OverflowLoad(
                        directory,
                        options.number("redis-megabytes", 512),
                        options.number("shards", 256),
                        options.number("overflow-hosts", 200_000),
                        line -> System.err.println("bench: " + line))) {
            var result = load.run(options.number("overflow-urls", 20_000_000), 20_000);
            figures.put("queuedUrls", result.urls());
            figures.put("queuedInFiles", result.cold());
            figures.put("redisPeakBytes", result.peakBytes());
            figures.put("refused", result.refused());
            figures.put("evicted", result.evicted());
            figures.put("lost", result.lost());
            figures.put("doubled", result.doubled());
            figures.put("fileBytes", result.fileBytes());
        }
    }
}
