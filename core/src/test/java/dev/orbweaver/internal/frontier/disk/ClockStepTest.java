package dev.orbweaver.internal.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;

/**
 * The wall clock is set back and forward by hours, while a frontier runs and between two processes.
 * By true time, which only the test knows: no host is requested before its delay has passed, the
 * maximum number of leases is never exceeded, and every host gets its turn as soon as it may.
 *
 * <p>A clock set forward under a running frontier cannot be distinguished from time that passes,
 * which is why a crawl reads a steady clock; in that case only the number of leases is checked.
 */
class ClockStepTest {

    private static final int STEPS = 1500;
    private static final int HOSTS = 9;
    private static final long DELAY = 1000;
    private static final int PASSES_MAX = 400;
    private static final long LIFE_GAP_MAX = 20_000;

    @ParameterizedTest(name = "{0} a host")
    @ValueSource(ints = {1, 3})
    void aFrontierInMemoryIsNotMovedByItsClock(int perHost) throws IOException {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        run(seed, () -> new Run(seed, perHost, false).run());
    }

    @ParameterizedTest(name = "{0} a host")
    @ValueSource(ints = {1, 3})
    void aFrontierOnDiskIsNotEitherNorBetweenItsLives(int perHost) throws IOException {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        run(seed, () -> new Run(seed, perHost, true).run());
    }

    private interface Attempt {
        void run() throws IOException;
    }

    private static void run(long seed, Attempt attempt) throws IOException {
        try {
            attempt.run();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("with seed " + seed + ": " + e.getMessage(), e);
        }
    }

    private static final class Run {
        private final Random random;
        private final Politeness politeness;
        private final boolean onDisk;
        private SimulatedDisk disk = new SimulatedDisk();
        private TestFrontier frontier;

        /** True time, and the offset of the clock, in milliseconds. */
        private long time;

        private long shown = Fixture.START.toEpochMilli();
        private final List<Lease> out = new ArrayList<>();
        private final long[] notBefore = new long[HOSTS];
        private final long[] notAfter = new long[HOSTS];
        private int urls;

        Run(long seed, int perHost, boolean onDisk) throws IOException {
            this.random = new Random(seed);
            this.onDisk = onDisk;
            this.politeness =
                    new Politeness(
                            Duration.ofMillis(DELAY),
                            Duration.ZERO,
                            Duration.ZERO,
                            perHost,
                            Duration.ofHours(10_000));
            this.frontier = open();
        }

        private TestFrontier open() throws IOException {
            if (!onDisk) {
                return TestFrontier.inMemory(politeness, now());
            }
            disk = disk.afterCrash();
            return TestFrontier.open(
                    disk,
                    FrontierDirectory.DIRECTORY,
                    politeness,
                    DiskSettings.DEFAULT.withSmallFiles(4000),
                    now());
        }

        private Instant now() {
            return Instant.ofEpochMilli(shown + time);
        }

        private long hours() {
            return Duration.ofMinutes(61 + random.nextInt(600)).toMillis();
        }

        void run() throws IOException {
            for (var i = 0; i < 60; i++) {
                offer();
            }
            for (var step = 0; step < STEPS; step++) {
                time += random.nextInt(PASSES_MAX);
                switch (random.nextInt(60)) {
                    case 0, 1 -> setBack();
                    case 2 -> setForward();
                    case 3 -> {
                        if (onDisk) {
                            dieAndOpen();
                        }
                    }
                    default -> {}
                }
                offer(); // The frontier gets the time at every step.
                lease();
                settleSome();
            }
            assertThat(frontier.ledger().balances()).isTrue();
        }

        private void setBack() {
            shown -= hours();
            // The frontier does not know the time since the last call, so it waits that much
            // longer.
            for (var host = 0; host < HOSTS; host++) {
                notAfter[host] += PASSES_MAX;
            }
        }

        private void setForward() {
            shown += hours();
            Arrays.setAll(notBefore, host -> Math.min(notBefore[host], time));
        }

        private void dieAndOpen() throws IOException {
            var gap = random.nextLong(random.nextBoolean() ? 300 : LIFE_GAP_MAX);
            time += gap;
            shown += (random.nextInt(3) - 1) * hours();
            frontier = open();
            for (var host = 0; host < HOSTS; host++) {
                notAfter[host] += gap + PASSES_MAX;
            }
            for (var lease : out) {
                ended(lease); // It may have been requested just now.
            }
            out.clear();
        }

        private void offer() {
            var found = new ArrayList<Candidate>();
            for (var host = 0; host < HOSTS; host++) {
                found.add(Fixture.link("http://h" + host + ".example/" + ++urls));
            }
            frontier.offer(TestFrontier.JOB, found, now());
        }

        private static int host(Lease lease) {
            return lease.url().host().charAt(1) - '0';
        }

        private long outOf(int host) {
            return out.stream().filter(lease -> host(lease) == host).count();
        }

        private void lease() {
            var before = new HashSet<Integer>();
            for (var host = 0; host < HOSTS; host++) {
                if (outOf(host) == 0 && notAfter[host] <= time) {
                    before.add(host);
                }
            }
            for (var lease : frontier.lease(100, now())) {
                var host = host(lease);
                before.remove(host);
                if (politeness.concurrencyPerHost() == 1) {
                    assertThat(notBefore[host])
                            .as("true time from which host %d may be asked", host)
                            .isLessThanOrEqualTo(time);
                }
                out.add(lease);
                assertThat(outOf(host))
                        .as("leases out")
                        .isLessThanOrEqualTo(politeness.concurrencyPerHost());
                if (politeness.concurrencyPerHost() > 1) {
                    notAfter[host] = time + DELAY; // Counted from start to start.
                }
            }
            assertThat(before).as("hosts that wait for nothing and got nothing").isEmpty();
        }

        private void settleSome() {
            for (var lease : List.copyOf(out)) {
                if (random.nextInt(3) == 0) {
                    out.remove(lease);
                    var done = new Outcome.Done(true, 1);
                    var settlement = Settlement.of(lease, done, new HostSignal.Healthy(now()));
                    var commitBatch = new CommitBatch(List.of(settlement), List.of());
                    assertThat(frontier.settle(commitBatch, now())).as("refused").isZero();
                    ended(lease);
                }
            }
        }

        private void ended(Lease lease) {
            notBefore[host(lease)] = time + DELAY;
            notAfter[host(lease)] = Math.max(notAfter[host(lease)], time + DELAY);
        }
    }
}
