package dev.orbweaver.fleet.redis;

import static dev.orbweaver.internal.frontier.TestFrontier.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.EventLog;
import dev.orbweaver.internal.frontier.FailingLog;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.FrontierFailedException;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** A settlement that throws half way is never sent to Redis, neither then nor by closing. */
@Slow
class AbortedSettleTest {

    private static final Politeness POLITENESS =
            new Politeness(Duration.ZERO, Duration.ZERO, Duration.ZERO, 1, Duration.ofMinutes(5));
    private static final int LINKS = 6;

    @TempDir static Path directory;

    private static RedisProcess redis;

    private FailingLog log = new FailingLog(EventLog.NONE);

    @BeforeAll
    static void start() throws IOException {
        redis = RedisProcess.start(directory);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private RedisFrontier join(FleetSettings settings, Instant now) throws IOException {
        return RedisFrontier.open(
                settings,
                POLITENESS,
                Overflow.OverflowTimings.DEFAULT,
                _ -> {},
                inner -> {
                    log = new FailingLog(inner);
                    return log;
                },
                now);
    }

    private static List<Candidate> links() {
        return IntStream.range(0, LINKS)
                .mapToObj(i -> Fixture.link("http://h%d.example/found%d".formatted(i % 3, i)))
                .toList();
    }

    private static CommitBatch batch(Lease lease) {
        return new CommitBatch(
                List.of(
                        new Settlement(
                                lease,
                                new Outcome.Done(true, 10),
                                new HostSignal.Healthy(Fixture.START),
                                7,
                                links(),
                                Map.of(Refusal.SCOPE, 3),
                                true,
                                Optional.empty())),
                List.of(new CommittedLength("pages.log", 100, 1)));
    }

    /** Fails once, then another worker fetches the page again; the sums are those of one page. */
    private void isLeasedAgain(
            FleetSettings settings, RedisFrontier failed, Lease lease, long early)
            throws IOException {
        assertThatThrownBy(() -> failed.lease(1, Fixture.START))
                .isInstanceOf(FrontierFailedException.class)
                .hasMessageContaining("injected");
        assertThatThrownBy(() -> failed.settle(batch(lease), Fixture.START))
                .isInstanceOf(FrontierFailedException.class);
        assertThatThrownBy(() -> failed.heartbeat("", true, Fixture.START))
                .isInstanceOf(FrontierFailedException.class);
        failed.close();
        var later = Fixture.START.plus(settings.hostLease().multipliedBy(2));
        try (var next = join(settings.withWorker("w2"), later)) {
            var ledger = next.ledger();
            assertThat(ledger.balances()).isTrue();
            assertThat(ledger.done()).isZero();
            assertThat(ledger.accepted()).isEqualTo(1 + early);
            assertThat(next.committedLengths()).isEmpty();
            var urls = new ArrayList<String>();
            for (var again : next.lease(99, later)) {
                urls.add(again.url().text());
                if (again.url().equals(lease.url())) {
                    durable(next.settle(batch(again), later));
                }
            }
            assertThat(urls).contains(lease.url().text());
            assertThat(next.ledger().done()).isEqualTo(1);
            assertThat(next.ledger().accepted()).isEqualTo(1 + LINKS);
            assertThat(next.stats().refusedByReason()).containsEntry(Refusal.SCOPE, 3L);
            assertThat(next.ledger().balances()).isTrue();
        }
    }

    @Test
    void aSettlementThatThrowsAtAnEventIsNotSent() throws IOException {
        for (var at = 1; ; at++) {
            var settings = FleetFixtures.settings(redis.uri());
            var frontier = join(settings, Fixture.START);
            durable(
                    frontier.offer(
                            TestFrontier.JOB,
                            List.of(Fixture.link("http://a.example/")),
                            Fixture.START));
            var lease = frontier.lease(1, Fixture.START).getFirst();
            log.failAt(at);
            try {
                durable(frontier.settle(batch(lease), Fixture.START));
                assertThat(at).isGreaterThan(2);
                frontier.close();
                return;
            } catch (FrontierFailedException e) {
                assertThat(e).hasMessageContaining("injected");
            }
            // The links are sent first, as when a process is killed at this point.
            isLeasedAgain(settings, frontier, lease, LINKS);
        }
    }

    @Test
    void aSettlementThatThrowsAtALinkIsNotSent() throws IOException {
        for (var at = 1; at <= LINKS; at++) {
            var settings = FleetFixtures.settings(redis.uri());
            var frontier = join(settings, Fixture.START);
            durable(
                    frontier.offer(
                            TestFrontier.JOB,
                            List.of(Fixture.link("http://a.example/")),
                            Fixture.START));
            var lease = frontier.lease(1, Fixture.START).getFirst();
            var left = new int[] {at};
            new TestFrontier(frontier)
                    .setAdmissionHook(
                            TestFrontier.JOB,
                            (_, _, _) -> {
                                if (--left[0] == 0) {
                                    throw new OutOfMemoryError("injected");
                                }
                                return 0;
                            });
            assertThatThrownBy(() -> frontier.settle(batch(lease), Fixture.START))
                    .isInstanceOf(FrontierFailedException.class)
                    .hasMessageContaining("injected");
            isLeasedAgain(settings, frontier, lease, 0);
        }
    }
}
