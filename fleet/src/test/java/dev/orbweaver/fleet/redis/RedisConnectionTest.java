package dev.orbweaver.fleet.redis;

import static dev.orbweaver.internal.frontier.TestFrontier.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.FrontierFixtures;
import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Connections to Redis other than a plain one to a single server. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Slow
class RedisConnectionTest {

    private static final int URLS = 300;
    private static final int HOSTS = 20;

    @TempDir Path directory;

    private Instant now = Fixture.START;
    private final Set<String> settled = new HashSet<>();

    private static void offer(RedisFrontier frontier, Instant now) {
        durable(
                frontier.offer(
                        TestFrontier.JOB,
                        IntStream.range(0, URLS)
                                .mapToObj(
                                        i ->
                                                Fixture.link(
                                                        "http://h%d.test/%d"
                                                                .formatted(i % HOSTS, i)))
                                .toList(),
                        now));
    }

    /** Works until this many pages are settled; failed calls are retried. */
    private void work(RedisFrontier frontier, int until) {
        while (!frontier.flush().isStored() || frontier.ledger().done() < until) {
            now = now.plusSeconds(1);
            try {
                for (var lease : frontier.lease(HOSTS, now)) {
                    settled.add(lease.url().text());
                    var _ = frontier.settle(new CommitBatch(List.of(page(lease)), List.of()), now);
                }
            } catch (FrontierUnavailableException e) {
                RedisProcess.pause(50);
            }
        }
    }

    private Settlement page(Lease lease) {
        return new Settlement(
                lease,
                new Outcome.Done(true, 10),
                new HostSignal.Healthy(now),
                settled.size(),
                List.of(),
                Map.of());
    }

    @Test
    void whenAReplicaTakesOverNothingIsLost() throws Exception {
        try (var master = RedisProcess.start(directory.resolve("master"), "--appendonly", "yes");
                var replica =
                        RedisProcess.start(
                                directory.resolve("replica"),
                                "--appendonly",
                                "yes",
                                "--replicaof",
                                "127.0.0.1 " + master.port);
                var sentinel = sentinel(master.port)) {
            var uri =
                    "redis-sentinel://127.0.0.1:%d/?sentinelMasterId=main".formatted(sentinel.port);
            while (!replica.command("INFO", "replication").contains("master_link_status:up")
                    || !sentinel.command("SENTINEL", "REPLICAS", "main")
                            .contains(Integer.toString(replica.port))) {
                RedisProcess.pause(50);
            }
            try (var frontier = RedisFrontier.open(brisk(uri), FrontierFixtures.PLAIN, now)) {
                offer(frontier, now);
                work(frontier, URLS / 3);
                master.kill();
                work(frontier, URLS);
                assertThat(settled).hasSize(URLS);
                assertThat(frontier.ledger().balances()).isTrue();
                assertThat(frontier.ledger().queued()).isZero();
                assertThat(replica.command("INFO", "replication")).contains("role:master");
            }
        }
    }

    @Test
    void whenAReplicaTakesOverWithinAClusterNothingIsLost() throws Exception {
        try (var cluster = RedisCluster.start(directory, Duration.ofMillis(1_500))) {
            var master = cluster.nodes.get(1);
            var replica = cluster.replicaOf(master, directory.resolve("replica"));
            var settings = brisk(cluster.nodes.getFirst().uri());
            try (var frontier = RedisFrontier.open(settings, FrontierFixtures.PLAIN, now)) {
                offer(frontier, now);
                work(frontier, URLS / 3);
                master.kill();
                work(frontier, URLS);
                assertThat(settled).hasSize(URLS);
                assertThat(frontier.ledger().balances()).isTrue();
                assertThat(frontier.ledger().queued()).isZero();
                assertThat(replica.command("INFO", "replication")).contains("role:master");
            }
        }
    }

    /** The timeout for a dead server is shorter than that for a slow one in other tests. */
    private static FleetSettings brisk(String uri) {
        return FleetFixtures.settings(uri)
                .withShards(8)
                .withTimes(Duration.ofSeconds(30), Duration.ofMinutes(10), Duration.ofSeconds(5));
    }

    private RedisProcess sentinel(int master) throws IOException {
        var home = Files.createDirectories(directory.resolve("sentinel"));
        var file =
                Files.writeString(
                        home.resolve("sentinel.conf"),
                        """
                        sentinel monitor main 127.0.0.1 %d 1
                        sentinel down-after-milliseconds main 500
                        sentinel failover-timeout main 3000
                        """
                                .formatted(master));
        return RedisProcess.startSentinel(home, file);
    }

    @Test
    void aConnectionThatIsResetMeansThatRedisIsUnreachable() throws Exception {
        try (var redis = RedisProcess.start(directory.resolve("redis"));
                var proxy = new CuttingProxy(redis.port);
                var connection = RedisConnection.open(proxy.uri(), Duration.ofSeconds(30))) {
            var resetting =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            while (!redis.command("CLIENT", "LIST")
                                                    .contains("cmd=blpop")) {
                                                RedisProcess.pause(10);
                                            }
                                            proxy.reset();
                                        } catch (IOException e) {
                                            throw new UncheckedIOException(e);
                                        }
                                    });
            assertThatThrownBy(
                            () ->
                                    connection.execute(
                                            commands ->
                                                    commands.blpop(20, "none".getBytes(US_ASCII))))
                    .isInstanceOf(RedisUnavailableException.class)
                    .hasMessageStartingWith("Redis is unreachable: ")
                    .hasMessageNotContaining("(..)");
            resetting.join();
        }
    }

    @Test
    void aNameAndAPasswordAreGivenAndWrongOnesAreRefusedAtOnce() throws Exception {
        try (var redis =
                RedisProcess.start(directory.resolve("redis"), "--requirepass", "se cret/1")) {
            var place = "@127.0.0.1:" + redis.port;
            var right =
                    FleetFixtures.settings("redis://default:se%20cret%2F1" + place).withShards(4);
            try (var frontier = RedisFrontier.open(right, FrontierFixtures.PLAIN, now)) {
                offer(frontier, now);
                assertThat(frontier.ledger().queued()).isEqualTo(URLS);
            }
            for (var wrong : List.of("redis://default:mistaken" + place, redis.uri())) {
                assertThatThrownBy(
                                () ->
                                        RedisFrontier.open(
                                                FleetFixtures.settings(wrong),
                                                FrontierFixtures.PLAIN,
                                                now))
                        .isInstanceOf(IOException.class)
                        .isNotInstanceOf(RedisUnavailableException.class)
                        .hasMessageContaining("Redis requires a password")
                        .hasMessageNotContaining("mistaken");
            }
        }
    }

    @Test
    void aConnectionIsEncryptedAndItsServerMustBeTrusted() throws Exception {
        certificate();
        var port = RedisProcess.freePort();
        try (var _ = withTls(port)) {
            var uri = "rediss://127.0.0.1:" + port;
            var trusting = FleetFixtures.settings(uri + "?verifyPeer=NONE").withShards(4);
            try (var frontier = RedisFrontier.open(trusting, FrontierFixtures.PLAIN, now)) {
                offer(frontier, now);
                work(frontier, URLS);
                assertThat(frontier.ledger().done()).isEqualTo(URLS);
            }
            assertThatThrownBy(
                            () ->
                                    RedisFrontier.open(
                                            FleetFixtures.settings(uri),
                                            FrontierFixtures.PLAIN,
                                            now))
                    .hasMessageContaining("certification path");
        }
    }

    /** Skips the test if the only available Redis was built without TLS. */
    private RedisProcess withTls(int port) {
        try {
            return RedisProcess.start(
                    directory.resolve("redis"),
                    "--tls-port",
                    Integer.toString(port),
                    "--tls-cert-file",
                    directory.resolve("certificate.pem").toString(),
                    "--tls-key-file",
                    directory.resolve("key.pem").toString(),
                    "--tls-auth-clients",
                    "no");
        } catch (IOException e) {
            return abort("the Redis at hand knows no TLS: " + e.getMessage());
        }
    }

    /** A key and a self-signed certificate, as OpenSSL writes them. */
    private void certificate() throws Exception {
        var store = directory.resolve("keys.p12");
        var keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        var made =
                new ProcessBuilder(
                                keytool.toString(),
                                "-genkeypair",
                                "-alias",
                                "redis",
                                "-keyalg",
                                "EC",
                                "-dname",
                                "CN=127.0.0.1",
                                "-ext",
                                "san=ip:127.0.0.1",
                                "-storetype",
                                "PKCS12",
                                "-keystore",
                                store.toString(),
                                "-storepass",
                                "password")
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("keytool.out").toFile())
                        .start();
        assertThat(made.waitFor()).isZero();
        var keys = KeyStore.getInstance(store.toFile(), "password".toCharArray());
        var key = keys.getKey("redis", "password".toCharArray());
        pem("certificate.pem", "CERTIFICATE", keys.getCertificate("redis").getEncoded());
        pem("key.pem", "PRIVATE KEY", bytes(key));
    }

    private static byte[] bytes(Key key) {
        return key.getEncoded();
    }

    private void pem(String name, String what, byte[] bytes) throws IOException {
        var text = Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(bytes);
        Files.writeString(
                directory.resolve(name),
                "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(what, text, what));
    }
}
