package dev.orbweaver.bench;

import dev.orbweaver.e2e.FleetKills;
import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;

/** The long version of the fleet's kill test. */
final class FleetKillsBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "fleetkills",
                    "a fleet whose workers and Redis are killed and stopped; compares pages and"
                        + " audits requests [--worker-kills 200 --redis-kills 50 --stops 20 --cuts"
                        + " 50 --workers 4 --hosts 400 --pages 200000 --redis-megabytes 12 --seed"
                        + " N]",
                    options -> new FleetKillsBenchmark().run(options));

    private Map<String, Object> run(Options options) throws Exception {
        var seed = options.number("seed", (int) (System.nanoTime() & 0xFFFF));
        var spec =
                WebSpec.light(seed, options.number("hosts", 400), options.number("pages", 200_000))
                        .withMeanPageBytes(1_000)
                        .without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE);
        var plan =
                new FleetKills.Plan(
                        options.number("workers", 4),
                        options.number("worker-kills", 200),
                        options.number("redis-kills", 50),
                        options.number("stops", 20),
                        options.number("cuts", 50),
                        options.number("redis-megabytes", 12));
        var directory = Files.createTempDirectory("orbweaver-bench");
        try (var web = LoopbackWeb.serve(spec);
                var kills =
                        new FleetKills(
                                directory,
                                web,
                                seed,
                                plan,
                                line -> System.err.println("bench: " + line))) {
            var outcome = kills.run();
            if (!outcome.exact() || !outcome.polite(plan.stops())) {
                System.err.println("bench: missing " + outcome.missing());
                System.err.println("bench: extra " + outcome.extra());
                System.err.println("bench: " + outcome.audit().json());
            }
            var figures = new LinkedHashMap<>(outcome.figures());
            figures.put("seed", seed);
            return figures;
        } finally {
            CrawlProcess.delete(directory);
        }
    }
}
