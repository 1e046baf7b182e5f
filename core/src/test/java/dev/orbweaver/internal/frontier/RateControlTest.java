package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.FailureCause;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A host with an unannounced rate limit is requested almost as often as it allows, and rarely more
 * often. The frontier is the real one; the host and the time are simulated.
 */
@Slow
class RateControlTest {

    private static final Duration RESPONSE = Duration.ofMillis(40);

    /** How a host limits requests. */
    enum Limit {
        /** A request per interval. */
        FIXED(1, 1, false),
        /** The same, with a burst of ten requests. */
        BURSTY(10, 1, false),
        /** Four times as strict in every second period. */
        CHANGING(1, 4, false),
        /** A request per interval, and 429 has a Retry-After. */
        POLITE(1, 1, true);

        private final int burst;
        private final int stricter;
        private final boolean says;

        Limit(int burst, int stricter, boolean says) {
            this.burst = burst;
            this.stricter = stricter;
            this.says = says;
        }
    }

    /** A simulated host that counts requests. */
    private static final class Host {
        private final Limit limit;
        private final long base;
        private double tokens;
        private long filledAt;
        private double allowed;
        private long taken;
        private long refused;

        Host(Limit limit, long base) {
            this.limit = limit;
            this.base = base;
            this.tokens = limit.burst;
        }

        /** How long the conditions stay the same: about twenty thousand requests. */
        long period() {
            return 20_000 * base;
        }

        private long interval(long now) {
            return now / period() % 2 == 0 ? base : base * limit.stricter;
        }

        /**
         * Counts requests, except in the first sixth of each period, in which the delay settles.
         */
        boolean accepts(long now) {
            var counted = now % period() > period() / 6;
            var filled = (double) (now - filledAt) / interval(now);
            filledAt = now;
            tokens = Math.min(limit.burst, tokens + filled);
            var takes = tokens >= 1 - 1e-9;
            tokens -= takes ? 1 : 0;
            if (counted) {
                allowed += filled;
                taken += takes ? 1 : 0;
                refused += takes ? 0 : 1;
            }
            return takes;
        }

        void check() {
            var share = taken / allowed;
            var refusals = (double) refused / (taken + refused);
            var name = "%s, one in %d ms".formatted(limit, base);
            System.out.printf(
                    "rate control: %s: %.1f %% of it used, %.2f %% refused%n",
                    name, 100 * share, 100 * refusals);
            assertThat(share).as("share of %s that is used", name).isGreaterThan(.9);
            assertThat(refusals).as("share that %s refuses", name).isLessThan(.01);
        }
    }

    @ParameterizedTest
    @EnumSource(Limit.class)
    void atLeastNineTenthsOfAHiddenLimitAreUsedWithLessThanOneRefusalInAHundred(Limit limit) {
        for (var base : List.of(100L, 200L, 1_500L)) {
            var host = crawl(limit, base, 1, 4);
            host.check();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 8})
    void theSameHoldsWithSeveralRequestsAtOnce(int perHost) {
        var host = crawl(Limit.FIXED, 200, perHost, 2);
        host.check();
    }

    /** A request in flight, and its result. */
    private record Request(Lease lease, Instant ended, boolean taken) {}

    private static Host crawl(Limit limit, long base, int perHost, int periods) {
        var politeness =
                new Politeness(
                                Duration.ofMillis(20),
                                Duration.ZERO,
                                Duration.ZERO,
                                perHost,
                                Duration.ofMinutes(10))
                        .with(new AdaptiveDelaySettings(.1, Duration.ofSeconds(60)));
        var fixture = new Fixture(TestFrontier.inMemory(politeness, Fixture.START));
        var host = new Host(limit, base);
        var underWay = new ArrayDeque<Request>();
        var offered = 0;
        while (since(fixture.now) < periods * host.period()) {
            if (fixture.frontier.ledger().queued() < 100) {
                offer(fixture, offered);
                offered += 1000;
            }
            for (var lease : fixture.frontier.lease(perHost, fixture.now)) {
                var taken = host.accepts(since(fixture.now));
                underWay.add(new Request(lease, fixture.now.plus(RESPONSE), taken));
            }
            var due = fixture.frontier.nextWork(fixture.now).nextDue().orElse(Instant.MAX);
            var ends = underWay.isEmpty() ? Instant.MAX : underWay.element().ended;
            fixture.now = due.isBefore(ends) ? due : ends;
            if (!ends.isAfter(fixture.now)) {
                end(fixture, underWay.remove(), limit);
            }
        }
        return host;
    }

    private static void offer(Fixture fixture, int from) {
        var urls =
                IntStream.range(from, from + 1000)
                        .mapToObj(i -> Fixture.link("http://a.example/" + i))
                        .toList();
        fixture.frontier.offer(TestFrontier.JOB, urls, fixture.now);
    }

    private static void end(Fixture fixture, Request request, Limit limit) {
        var ended = request.ended;
        if (request.taken) {
            var signal = new HostSignal.Healthy(ended, RESPONSE);
            fixture.settle(request.lease, new Outcome.Done(true, 1), signal);
        } else {
            var until = ended.plusSeconds(limit.says ? 1 : 5);
            fixture.settle(
                    request.lease,
                    new Outcome.Retry(until, FailureCause.SERVER_ERROR),
                    new HostSignal.RateLimited(ended, until, limit.says));
        }
    }

    private static long since(Instant now) {
        return Duration.between(Fixture.START, now).toMillis();
    }
}
