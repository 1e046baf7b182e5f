package dev.orbweaver.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.fleet.redis.CuttingProxy;
import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisProcess;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A request through a gate that limits the requests in flight ends with the gate's lease. */
@Timeout(60)
@Slow
class FleetGateTest {

    /** Gates are leased for a third of it. */
    private static final Duration HOST_LEASE = Duration.ofSeconds(3);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path data;

    private HttpServer site;
    private RedisProcess redis;
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final CountDownLatch slow = new CountDownLatch(1);

    @BeforeEach
    void start() throws IOException {
        redis = RedisProcess.start(data.resolve("redis"));
        site = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        site.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        site.createContext(
                "/",
                exchange -> {
                    requests.incrementAndGet();
                    inFlight.incrementAndGet();
                    await(slow);
                    inFlight.decrementAndGet();
                    var body = "the end".getBytes(UTF_8);
                    exchange.getResponseHeaders().add("Content-Type", "text/html");
                    exchange.sendResponseHeaders(200, body.length);
                    try (var out = exchange.getResponseBody()) {
                        out.write(body);
                    }
                });
        site.start();
    }

    private static void await(CountDownLatch latch) {
        try {
            var _ = latch.await(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @AfterEach
    void stop() {
        site.stop(0);
        redis.close();
    }

    private static FleetSettings settings(String uri, String worker) {
        return FleetSettings.of(uri, "gates", worker)
                .withShards(4)
                .withTimes(HOST_LEASE, Duration.ofMinutes(10), Duration.ofSeconds(5));
    }

    private FleetWorker join(String uri, String name) throws IOException {
        var worker =
                FleetWorker.join(
                        new WorkerSettings(settings(uri, name), data.resolve(name), 2, true));
        var _ =
                Thread.ofPlatform()
                        .name(name)
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

    private JobId submit(Fleet fleet) throws Exception {
        var seeds = List.of("http://127.0.0.1:" + site.getAddress().getPort() + "/");
        var config =
                CrawlConfig.read(
                        new SettingValues()
                                .put(Settings.SEEDS, seeds)
                                .putPairs(
                                        List.of(
                                                "delay=1ms",
                                                "delay-ip=0",
                                                "robots=ignore",
                                                "allow-private=true",
                                                "max-disk-wait=1m",
                                                "min-free-disk=0",
                                                "rate-group=127.0.0.0/8 0 concurrency=1")));
        return fleet.submit("once", YamlFile.write(config.settingValues()), seeds, Instant.now());
    }

    private static void awaitEnd(Fleet fleet, JobId job) throws IOException {
        var _ =
                Eventually.value(
                        Eventually.LIMIT,
                        "the job finishes",
                        () -> fleet.job(job).orElseThrow().state(),
                        state -> state == FleetJob.State.FINISHED);
    }

    @Test
    void aRequestIsAbortedBeforeItsGateCanBeLentToAnother() throws Exception {
        try (var proxy = new CuttingProxy(redis.port);
                var fleet = Fleet.open(settings(redis.uri(), "visitor"));
                var _ = join(proxy.uri(), "one")) {
            var job = submit(fleet);
            Eventually.until("a first request", () -> requests.get() > 0);
            proxy.shut(true);
            LockSupport.parkNanos(HOST_LEASE.toNanos() * 2 / 3);
            proxy.shut(false);
            while (requests.get() == 1) {
                LockSupport.parkNanos(10_000_000);
            }
            assertThat(inFlight)
                    .as("requests that the site has not answered")
                    .hasValueGreaterThan(1);
            slow.countDown();
            awaitEnd(fleet, job);
            assertThat(fleet.ledger(job, Instant.now()).pages()).isEqualTo(1);
        }
    }
}
