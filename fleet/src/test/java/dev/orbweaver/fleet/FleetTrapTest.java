package dev.orbweaver.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.fleet.redis.CuttingProxy;
import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisFrontier;
import dev.orbweaver.fleet.redis.RedisProcess;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/** Pages that a fleet fetches again are not mistaken for a trap, and a real trap is found. */
@Slow
class FleetTrapTest {

    private static final int ITEMS = 200;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path data;

    private HttpServer site;
    private RedisProcess redis;
    private final Set<String> requested = ConcurrentHashMap.newKeySet();

    @BeforeEach
    void start() throws IOException {
        redis =
                RedisProcess.start(
                        data.resolve("redis"), "--appendonly", "yes", "--appendfsync", "everysec");
        site = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        site.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        site.createContext(
                "/",
                exchange -> {
                    var path = exchange.getRequestURI().getPath();
                    requested.add(path);
                    LockSupport.parkNanos(20_000_000);
                    var body = page(path).getBytes(UTF_8);
                    exchange.getResponseHeaders().add("Content-Type", "text/html");
                    exchange.sendResponseHeaders(body.length == 0 ? 404 : 200, body.length);
                    try (var out = exchange.getResponseBody()) {
                        out.write(body);
                    }
                });
        site.start();
    }

    @AfterEach
    void stop() {
        site.stop(0);
        redis.close();
    }

    /** Items are a tree, each with its own text; below /day/ is an endless calendar. */
    private static String page(String path) {
        var number = path.replaceAll("\\D", "");
        if (path.startsWith("/day/")) {
            return "<title>Day %s</title><p>No events on this day. <a href=/day/%d>next</a>"
                    .formatted(number, Long.parseLong(number) + 1);
        }
        if (!path.equals("/") && !path.startsWith("/item/")) {
            return "";
        }
        var at = number.isEmpty() ? 0 : Integer.parseInt(number);
        var text = new StringBuilder("<title>Item</title><a href=/day/1>calendar</a>");
        var random = new Random(at);
        for (var i = 0; i < 200; i++) {
            text.append(Integer.toString(random.nextInt(1 << 20), 36)).append(' ');
        }
        for (var below = 8 * at + 1; below <= 8 * at + 8 && below < ITEMS; below++) {
            text.append("<a href=/item/").append(below).append(">item</a> ");
        }
        return text.toString();
    }

    private static FleetSettings settings(String uri, String worker) {
        return FleetSettings.of(uri, "traps", worker)
                .withShards(4)
                .withTimes(Duration.ofSeconds(1), Duration.ofMinutes(10), Duration.ofMillis(700));
    }

    private FleetWorker join(String uri, String name) throws IOException {
        var worker =
                FleetWorker.join(
                        new WorkerSettings(settings(uri, name), data.resolve(name), 48, true));
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
        var seed = "http://127.0.0.1:" + site.getAddress().getPort() + "/";
        var config =
                CrawlConfig.read(
                        new SettingValues()
                                .put(Settings.SEEDS, List.of(seed))
                                .put("concurrency-per-host", "48")
                                .put("delay", "0")
                                .put("delay-ip", "0")
                                .put("retry-delay", "100ms")
                                .put("max-disk-wait", "1m")
                                .put("allow-private", "true")
                                .put("min-free-disk", "0"));
        return fleet.submit(
                "once", YamlFile.write(config.settingValues()), List.of(seed), Instant.now());
    }

    private void awaitRequests(int count) {
        Eventually.until(count + " requests", () -> requested.size() >= count);
    }

    @Test
    void afterRedisPausesAndKillsOnlyTheTrapIsAbandoned() throws Exception {
        try (var one = new CuttingProxy(redis.port);
                var two = new CuttingProxy(redis.port);
                var fleet = Fleet.open(settings(redis.uri(), "visitor"));
                var _ = join(one.uri(), "one");
                var _ = join(two.uri(), "two")) {
            var job = submit(fleet);
            awaitRequests(60);
            loseHostsOf(job, one, two);
            awaitRequests(110);
            loseHostsOf(job, one, two);
            awaitRequests(160);
            redis.kill();
            redis.restart();
            awaitEnd(job);
            var items = requested.stream().filter(path -> path.startsWith("/item/")).count();
            var days = requested.stream().filter(path -> path.startsWith("/day/")).count();
            assertThat(items).as("items requested").isEqualTo(ITEMS - 1);
            assertThat(days).as("days requested").isBetween(2L, 80L);
            var stats = fleet.stats(job, Instant.now());
            assertThat(stats.ledger().pages()).isEqualTo(ITEMS + days);
            assertThat(stats.deadByCause()).isEqualTo(Map.of(FailureCause.TRAP, 1L));
        }
    }

    /**
     * Redis is unreachable for both workers until their leases have ended, and a third worker
     * claims the hosts; then the first worker returns before the other, and fetches again what it
     * had fetched and could not settle.
     */
    private void loseHostsOf(JobId job, CuttingProxy first, CuttingProxy other) throws Exception {
        first.shut(true);
        other.shut(true);
        LockSupport.parkNanos(1_300_000_000);
        var third = settings(redis.uri(), "third");
        try (var frontier = RedisFrontier.open(third, Politeness.DEFAULT, Instant.now())) {
            var _ =
                    Eventually.value(
                            Eventually.LIMIT,
                            "a third worker takes the host over",
                            () -> frontier.lease(1, Map.of(job, 1), Instant.now()),
                            leases -> !leases.isEmpty());
        }
        first.shut(false);
        LockSupport.parkNanos(400_000_000);
        other.shut(false);
    }

    private void awaitEnd(JobId job) throws Exception {
        try (var fleet = Fleet.open(settings(redis.uri(), "visitor"))) {
            var _ =
                    Eventually.value(
                            Eventually.LIMIT,
                            "the job finishes",
                            () -> fleet.job(job).orElseThrow().state(),
                            state -> state == FleetJob.State.FINISHED);
        }
    }
}
