package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.Lease;

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
 * Renews the leases of gates that limit the requests in flight until the responses have ended.
 *
 * <p>One thread renews leases. Another thread, which never waits for Redis, aborts the requests
 * through a gate whose lease is about to end, because after it another worker may send a request.
 */
final class GateLeaseRenewer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(GateLeaseRenewer.class);

    /** Checks per duration of a lease. */
    private static final int RENEWAL_CHECKS = 40;

    private static final int CHECKS = 100;

    /** The fraction of a lease before its end in which requests are aborted. */
    private static final int MARGIN = 20;

    interface Renewal {

        /** Renews a lease; returns its new end, 0 if another worker has the gate. */
        long renew(FleetGates.Gate gate, long now) throws IOException;
    }

    private record InFlightRequest(Lease lease, List<FleetGates.Gate> gates) {}

    private final long leaseMillis;
    private final InstantSource clock;
    private final Renewal renewal;
    private final Consumer<Lease> abort;
    private final Map<Long, InFlightRequest> inFlight = new ConcurrentHashMap<>();
    private final Map<String, Long> endsAt = new ConcurrentHashMap<>();
    private @Nullable ScheduledExecutorService threads;

    /**
     * @param clock the fleet's time, known without a call of Redis
     * @param abort receives leases whose requests must end at once
     */
    GateLeaseRenewer(
            Duration leaseTime, InstantSource clock, Renewal renewal, Consumer<Lease> abort) {
        this.leaseMillis = leaseTime.toMillis();
        this.clock = clock;
        this.renewal = renewal;
        this.abort = abort;
    }

    /**
     * Records that a request is about to be sent through gates that are leased until at least
     * {@code ends}.
     */
    synchronized void requestStarted(Lease lease, List<FleetGates.Gate> gates, long ends) {
        gates.forEach(gate -> endsAt.merge(gate.key(), ends, Math::max));
        inFlight.put(lease.token(), new InFlightRequest(lease, gates));
        if (threads == null) {
            threads =
                    Executors.newScheduledThreadPool(
                            2, Thread.ofPlatform().daemon().name("gate lease renewer").factory());
            var renews = Math.max(1, leaseMillis / RENEWAL_CHECKS);
            var checks = Math.max(1, leaseMillis / CHECKS);
            var _ = threads.scheduleWithFixedDelay(this::renew, 0, renews, TimeUnit.MILLISECONDS);
            var _ =
                    threads.scheduleWithFixedDelay(
                            this::abortExpiring, 0, checks, TimeUnit.MILLISECONDS);
        }
    }

    /** Records that the response has ended, or that there will be none. */
    synchronized void requestEnded(long token) {
        var inFlightRequest = inFlight.remove(token);
        if (inFlightRequest != null) {
            var left = new HashSet<String>();
            inFlight.values().forEach(each -> each.gates.forEach(gate -> left.add(gate.key())));
            inFlightRequest.gates.stream()
                    .map(FleetGates.Gate::key)
                    .filter(key -> !left.contains(key))
                    .forEach(endsAt::remove);
        }
    }

    private void renew() {
        var done = new HashSet<String>();
        for (var inFlightRequest : inFlight.values()) {
            for (var gate : inFlightRequest.gates) {
                if (done.add(gate.key())) {
                    renew(gate);
                }
            }
        }
    }

    private void renew(FleetGates.Gate gate) {
        var now = clock.millis(); // Before the call, so that the end is rather too early than too
        // late.
        if (endsAt.getOrDefault(gate.key(), now) - now > leaseMillis * 3 / 4) {
            return;
        }
        try {
            var ends = renewal.renew(gate, now);
            endsAt.computeIfPresent(gate.key(), (_, _) -> ends);
        } catch (IOException | RuntimeException e) {
            LOG.debug("could not renew the lease of gate {} yet: {}", gate.key(), e.getMessage());
        }
    }

    private void abortExpiring() {
        var latest = clock.millis() + leaseMillis / MARGIN;
        for (var inFlightRequest : List.copyOf(inFlight.values())) {
            var late =
                    inFlightRequest.gates.stream()
                            .anyMatch(gate -> endsAt.getOrDefault(gate.key(), latest) < latest);
            if (late && inFlight.remove(inFlightRequest.lease.token(), inFlightRequest)) {
                LOG.warn(
                        "aborting the request for {}: the lease of its gate was lost",
                        inFlightRequest.lease.url());
                abort.accept(inFlightRequest.lease);
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
