package dev.orbweaver.e2e;

import dev.orbweaver.fleet.FleetWorker;
import dev.orbweaver.fleet.WorkerSettings;
import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisProcess;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testkit.Hazard;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * How much faster several workers are than one on a web whose hosts take their time to answer. Each
 * worker has a few requests at the same time, so what bounds it is waiting and not the machine,
 * which all of them share here with the web itself.
 */
public final class FleetScaling implements AutoCloseable {

    private static final int HOSTS = 2_000;
    private static final int PAGES = 60_000;
    private static final int CONCURRENCY = 4;
    private static final String DELAY = "500ms";
    private static final int WARM_UP = 1_500;
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    private final Path directory;
    private final long seed;
    private final RedisProcess redis;

    /** Starts a Redis with a folder of its own. */
    public FleetScaling(Path directory, long seed) throws Exception {
        this.directory = directory;
        this.seed = seed;
        this.redis = RedisProcess.start(directory.resolve("redis"));
    }

    /** How many requests a second so many workers make. */
    public double rate(int workers, Duration window) throws Exception {
        var spec =
                WebSpec.light(seed, HOSTS, PAGES)
                        .withMeanPageBytes(1_000)
                        .with(Hazard.LATENCY)
                        .without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE);
        var name = "scaling" + workers;
        var joined = new ArrayList<FleetWorker>();
        try (var web = LoopbackWeb.serve(spec);
                var fleet = Fleet.open(FleetSettings.of(redis.uri(), name, "visitor"))) {
            for (var i = 0; i < workers; i++) {
                joined.add(join(name, "w" + i));
            }
            var config = web.config("delay=" + DELAY, "delay-ip=0");
            var _ =
                    fleet.submit(
                            "once",
                            YamlFile.write(config.settingValues()),
                            List.of(web.hub()),
                            Instant.now());
            await(web, WARM_UP);
            var from = System.nanoTime();
            var before = web.auditor().requests();
            LockSupport.parkNanos(window.toNanos());
            var count = web.auditor().requests() - before;
            var seconds = (System.nanoTime() - from) / 1e9;
            if (joined.stream().anyMatch(worker -> worker.status().isEmpty())) {
                throw new IllegalStateException("a worker has left the job while there was work");
            }
            return count / seconds;
        } finally {
            joined.forEach(FleetWorker::stop);
            for (var worker : joined) {
                worker.close();
            }
        }
    }

    private FleetWorker join(String fleet, String name) throws Exception {
        var settings = FleetSettings.of(redis.uri(), fleet, name);
        var worker =
                FleetWorker.join(
                        new WorkerSettings(
                                settings,
                                directory.resolve(fleet).resolve(name),
                                CONCURRENCY,
                                true));
        var _ =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    try {
                                        worker.run();
                                    } catch (InterruptedException e) {
                                        throw new IllegalStateException(e);
                                    }
                                });
        return worker;
    }

    private static void await(LoopbackWeb web, long requests) {
        Eventually.until(
                TIMEOUT, requests + " requests", () -> web.auditor().requests() >= requests);
    }

    @Override
    public void close() {
        redis.close();
    }
}
