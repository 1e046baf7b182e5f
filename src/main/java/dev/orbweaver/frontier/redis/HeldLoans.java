package dev.orbweaver.frontier.redis;

import dev.orbweaver.frontier.Lease;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Keeps the loans of gates that limit the requests in flight until the responses have ended.
 *
 * <p>One thread renews loans. Another one, which never waits for Redis, aborts the requests through
 * a gate whose loan is about to end: another worker may send a request when it has.
 */
final class HeldLoans implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HeldLoans.class);

    /** How often within a loan's time loans are looked at. */
    private static final int RENEWALS_LOOKED_AT = 40;

    private static final int CHECKS = 100;

    /** The part of a loan's time before its end in which requests are aborted. */
    private static final int MARGIN = 20;

    /** Renews a loan. */
    interface Renewal {

        /**
         * Renews the loan of a gate.
         *
         * @return its new end; 0 when another worker has the gate
         */
        long renew(FleetGates.Gate gate, long now) throws IOException;
    }

    private record Flight(Lease lease, List<FleetGates.Gate> gates) {}

    private final long loanMillis;
    private final InstantSource clock;
    private final Renewal renewal;
    private final Consumer<Lease> abort;
    private final Map<Long, Flight> flights = new ConcurrentHashMap<>();
    private final Map<String, Long> endsAt = new ConcurrentHashMap<>();
    private @Nullable ScheduledExecutorService threads;

    /**
     * Loans of a worker.
     *
     * @param clock the fleet's time, as this process knows it without asking
     * @param abort is told of leases whose requests must end at once
     */
    HeldLoans(Duration loan, InstantSource clock, Renewal renewal, Consumer<Lease> abort) {
        this.loanMillis = loan.toMillis();
        this.clock = clock;
        this.renewal = renewal;
        this.abort = abort;
    }

    /** A request is about to go out through gates that are lent until then at least. */
    synchronized void began(Lease lease, List<FleetGates.Gate> gates, long ends) {
        gates.forEach(gate -> endsAt.merge(gate.key(), ends, Math::max));
        flights.put(lease.token(), new Flight(lease, gates));
        if (threads == null) {
            threads =
                    Executors.newScheduledThreadPool(
                            2, Thread.ofPlatform().daemon().name("gate loans").factory());
            var renews = Math.max(1, loanMillis / RENEWALS_LOOKED_AT);
            var checks = Math.max(1, loanMillis / CHECKS);
            var _ = threads.scheduleWithFixedDelay(this::renew, 0, renews, TimeUnit.MILLISECONDS);
            var _ = threads.scheduleWithFixedDelay(this::guard, 0, checks, TimeUnit.MILLISECONDS);
        }
    }

    /** The response has ended, or there will be none. */
    synchronized void ended(long token) {
        var flight = flights.remove(token);
        if (flight != null) {
            var left = new HashSet<String>();
            flights.values().forEach(each -> each.gates.forEach(gate -> left.add(gate.key())));
            flight.gates.stream()
                    .map(FleetGates.Gate::key)
                    .filter(key -> !left.contains(key))
                    .forEach(endsAt::remove);
        }
    }

    private void renew() {
        var done = new HashSet<String>();
        for (var flight : flights.values()) {
            for (var gate : flight.gates) {
                if (done.add(gate.key())) {
                    renew(gate);
                }
            }
        }
    }

    private void renew(FleetGates.Gate gate) {
        var now = clock.millis(); // Before Redis is asked: rather too early than too late.
        if (endsAt.getOrDefault(gate.key(), now) - now > loanMillis * 3 / 4) {
            return;
        }
        try {
            var ends = renewal.renew(gate, now);
            endsAt.computeIfPresent(gate.key(), (_, _) -> ends);
        } catch (IOException | RuntimeException e) {
            LOG.debug("the loan of {} is not renewed yet: {}", gate.key(), e.getMessage());
        }
    }

    private void guard() {
        var latest = clock.millis() + loanMillis / MARGIN;
        for (var flight : List.copyOf(flights.values())) {
            var late =
                    flight.gates.stream()
                            .anyMatch(gate -> endsAt.getOrDefault(gate.key(), latest) < latest);
            if (late && flights.remove(flight.lease.token(), flight)) {
                LOG.warn("the request for {} is aborted: its gate is lost", flight.lease.url());
                abort.accept(flight.lease);
            }
        }
    }

    @Override
    public synchronized void close() {
        if (threads != null) {
            threads.shutdownNow();
        }
    }
}
