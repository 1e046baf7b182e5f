package dev.orbweaver.fleet.redis;

import static dev.orbweaver.internal.frontier.TestFrontier.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.frontier.AdmissionHook;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.CrawlHooks;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.FrontierFixtures;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.RateGroup;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.model.HostPattern;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** A group of hosts that may have one request in flight, with two workers and in real time. */
@Timeout(60)
@Slow
class GateLeaseRenewerTest {

    /** Gates are leased for a third of it. */
    private static final Duration HOST_LEASE = Duration.ofSeconds(3);

    private static final Duration LOAN = HOST_LEASE.dividedBy(3);

    private static final Politeness POLITENESS =
            FrontierFixtures.PLAIN.with(
                    List.of(),
                    List.of(
                            new RateGroup(
                                    new RateGroup.Members.Hosts(HostPattern.of("*.shop.example")),
                                    Duration.ofMillis(10),
                                    1)));

    @TempDir private static Path directory;
    private static RedisProcess redis;

    @BeforeAll
    static void start() throws IOException {
        redis = RedisProcess.start(directory);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private static FleetSettings settings() {
        var usual = FleetFixtures.settings(redis.uri()).withShards(4);
        return usual.withTimes(HOST_LEASE, usual.workerTimeout(), usual.timeout());
    }

    private static RedisFrontier join(FleetSettings settings) throws IOException {
        return RedisFrontier.open(settings, POLITENESS, InstantSource.system());
    }

    private static Lease lease(RedisFrontier frontier, String url) {
        durable(frontier.offer(TestFrontier.JOB, List.of(Fixture.link(url)), Instant.now()));
        return frontier.lease(1, Instant.now()).getFirst();
    }

    private static boolean passes(RedisFrontier frontier, Lease lease) throws IOException {
        var _ = frontier.nextWork(Instant.now()); // Keeps the host.
        var address = InetAddress.ofLiteral("198.51.100.1");
        return frontier.passGates(lease, lease.url(), address, Instant.now()).isEmpty();
    }

    @Test
    void theGateStaysWithAWorkerUntilItsResponseEnds() throws IOException {
        var settings = settings();
        try (var one = join(settings);
                var two = join(settings.withWorker("w2"))) {
            var first = lease(one, "http://a.shop.example/");
            var second = lease(two, "http://b.shop.example/");
            assertThat(passes(one, first)).isTrue();
            one.sent(first, Instant.now());
            for (var end = Instant.now().plus(LOAN.multipliedBy(2));
                    Instant.now().isBefore(end); ) {
                assertThat(passes(two, second)).as("two requests in flight").isFalse();
                var _ = one.nextWork(Instant.now());
                LockSupport.parkNanos(50_000_000);
            }
            var done =
                    Settlement.of(
                            first,
                            new Outcome.Done(true, 1),
                            new HostSignal.Healthy(Instant.now()));
            durable(one.settle(new CommitBatch(List.of(done), List.of()), Instant.now()));
            while (!passes(two, second)) {
                LockSupport.parkNanos(50_000_000);
            }
        }
    }

    @Test
    void aRequestIsAbortedBeforeAnotherWorkerCanHaveItsGate() throws IOException {
        var settings = settings();
        var aborted = new AtomicBoolean();
        try (var proxy = new CuttingProxy(redis.port);
                var two = join(settings.withWorker("w2"));
                var one =
                        join(
                                FleetSettings.of(proxy.uri(), settings.fleet(), "w1")
                                        .withShards(4)
                                        .withHostLease(HOST_LEASE))) {
            var first = lease(one, "http://a.shop.example/");
            var second = lease(two, "http://b.shop.example/");
            one.attach(
                    TestFrontier.JOB,
                    new CrawlHooks(
                            AdmissionHook.NONE,
                            lease -> aborted.set(lease.token() == first.token()),
                            Long.MAX_VALUE));
            assertThat(passes(one, first)).isTrue();
            proxy.shut(true);
            assertThat(aborted).isFalse();
            while (!passes(two, second)) {
                LockSupport.parkNanos(10_000_000);
            }
            assertThat(aborted).as("aborted before the other passed").isTrue();
        }
    }
}
