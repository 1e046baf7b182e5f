package dev.orbweaver.bench;

import dev.orbweaver.internal.crawl.LongSimulation;
import dev.orbweaver.testkit.WebSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Checks politeness independently of the crawler. In virtual time the simulation's checker throws
 * at the first early or forbidden request. Over loopback the auditor of a separate server process
 * checks requests, while the crawler is repeatedly killed with SIGKILL and resumed.
 */
final class AuditBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "audit",
                    "politeness violations, simulated and over loopback with restarts [--simulated"
                        + " 10000000 --loopback 200000 --life 2 --seed N]; a run lasts at least"
                        + " that many seconds and at most four times that, then longer with each"
                        + " restart",
                    options -> new AuditBenchmark().run(options));

    private static final List<String> KINDS =
            List.of("earlyOnHost", "earlyOnIp", "earlyOnDomain", "forbidden", "beforeRobots");
    private static final int DELAY_MILLIS = 20;
    private static final int PAGES_PER_WEB = 40_000;
    private static final int LONGER_MILLIS = 500;
    private static final int SIMULATED_PAGES = 1_000_000;

    private Map<String, Object> run(Options options) throws Exception {
        var seed = options.number("seed", (int) (System.nanoTime() & 0xFFFF));
        var figures = new LinkedHashMap<String, Object>();
        figures.put("simulatedRequests", simulate(options.number("simulated", 10_000_000), seed));
        figures.put("loopbackRequests", 0L);
        figures.put("restarts", 0L);
        figures.put("unsure", 0L);
        figures.put("violations", 0L);
        KINDS.forEach(kind -> figures.put(kind, 0L));
        var wanted = options.number("loopback", 200_000);
        for (var web = 0; (long) figures.get("loopbackRequests") < wanted; web++) {
            overLoopback(figures, seed + web, wanted, options.number("life", 2));
        }
        figures.put("seed", seed);
        return figures;
    }

    private static long simulate(long wanted, int seed) throws IOException {
        var done = 0L;
        for (var round = 0; done < wanted; round++) {
            var pages = Math.clamp(wanted - done, 2_000, SIMULATED_PAGES);
            var before = done;
            var progress = new Progress("simulated");
            // Alternates between both frontiers.
            done +=
                    LongSimulation.of(seed + round, 1_000, pages, 30, round % 2 == 0)
                            .run(count -> progress.accept(before + count))
                            .requests();
        }
        return done;
    }

    private static void overLoopback(
            Map<String, Object> figures, int seed, int wanted, int lifeSeconds) throws Exception {
        var random = new Random(seed);
        var left = wanted - (long) figures.get("loopbackRequests");
        var pages = Math.clamp(left, 1_000, PAGES_PER_WEB);
        var spec = WebSpec.light(seed, 400, pages).withMeanPageBytes(1_000);
        var directory = Files.createTempDirectory("orbweaver-bench").resolve("crawl");
        var delay = Integer.toString(DELAY_MILLIS);
        try (var web =
                WebProcess.start(spec, "--delay-millis", delay, "--delay-ip-millis", delay)) {
            var crawl =
                    new CrawlProcess(
                            web,
                            directory,
                            "512m",
                            "--delay %1$sms --delay-ip %1$sms --error-backoff 10ms --retry-delay 100ms --max-idle-wait 3s"
                                    .formatted(delay));
            var restarts = crawlWithRestarts(crawl, random, 1000 * lifeSeconds);
            var audit = web.audit();
            add(figures, "restarts", restarts);
            add(figures, "loopbackRequests", count(audit, "requests"));
            add(figures, "unsure", count(audit, "unsure"));
            for (var kind : KINDS) {
                add(figures, kind, count(audit, kind));
                add(figures, "violations", count(audit, kind));
            }
            System.err.println("bench: " + restarts + " restarts, " + audit);
        } finally {
            CrawlProcess.delete(directory.getParent());
        }
    }

    /** Kills the crawler after a few seconds, longer each time, until it finishes. */
    private static long crawlWithRestarts(CrawlProcess crawl, Random random, int least)
            throws Exception {
        for (var restarts = 0L; ; restarts++) {
            var process = crawl.start();
            var lifeMillis = least + random.nextInt(3 * least) + LONGER_MILLIS * restarts;
            if (process.waitFor(lifeMillis, TimeUnit.MILLISECONDS)) {
                return restarts;
            }
            process.destroyForcibly().waitFor();
        }
    }

    private static void add(Map<String, Object> figures, String name, long count) {
        figures.merge(name, count, (a, b) -> (long) a + (long) b);
    }

    private static long count(String audit, String name) {
        var matcher = Pattern.compile("\"" + name + "\":(\\d+)").matcher(audit);
        if (!matcher.find()) {
            throw new IllegalStateException("no " + name + " in " + audit);
        }
        return Long.parseLong(matcher.group(1));
    }
}
