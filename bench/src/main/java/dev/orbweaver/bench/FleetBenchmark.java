package dev.orbweaver.bench;

import dev.orbweaver.frontier.redis.FleetLoad;

import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a fleet's frontier costs Redis. */
final class FleetBenchmark implements Benchmark {

    @Override
    public String name() {
        return "fleet";
    }

    @Override
    public String help() {
        return "Redis's memory for each URL seen, its CPU and round trips for each page"
                + " [--urls 20000000 --shards 256 --pages 200000 --hosts 5000 --seed N]";
    }

    @Override
    public Map<String, Object> run(Options options) throws Exception {
        var seed = options.number("seed", (int) (System.nanoTime() & 0xFFFF));
        var figures = new LinkedHashMap<String, Object>();
        var folder = Files.createTempDirectory("orbweaver-bench");
        try (var load = new FleetLoad(folder, seed)) {
            var pages =
                    load.pages(options.number("pages", 200_000), options.number("hosts", 5_000));
            figures.put("pages", pages.pages());
            figures.put("pagesPerRedisCpuSecond", pages.pages() / pages.redisSeconds());
            figures.put("roundTripsPerPage", (double) pages.roundTrips() / pages.pages());
        } finally {
            CrawlProcess.delete(folder);
        }
        var other = Files.createTempDirectory("orbweaver-bench");
        try (var load = new FleetLoad(other, seed)) {
            var seen = load.seen(options.number("urls", 20_000_000), options.number("shards", 256));
            figures.put("urls", seen.urls());
            figures.put("seenBytesPerUrl", (double) seen.bytes() / seen.urls());
            figures.put("urlsPerRedisCpuSecond", seen.urls() / seen.redisSeconds());
            figures.put("wrong", seen.wrong());
            figures.put("seed", seed);
            return figures;
        } finally {
            CrawlProcess.delete(other);
        }
    }
}
