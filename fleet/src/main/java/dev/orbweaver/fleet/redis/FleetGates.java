package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.RateGroup;
import dev.orbweaver.internal.frontier.RateGroupIndex;
import dev.orbweaver.internal.url.RegistrableDomain;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/**
 * The fleet's gates of addresses, domains and groups.
 *
 * <p>A gate is leased to one worker at a time, for some seconds. During the lease the worker's own
 * gates enforce the delay between its requests and no other worker passes, so a page needs no call
 * of Redis. After the end of the lease the next worker waits one delay, because the last request
 * may have been sent at the end. A gate that several workers want is leased for shorter times, and
 * in turn. The lease of a gate that limits the requests in flight is renewed until they have ended
 * ({@link GateLeaseRenewer}).
 */
final class FleetGates {

    private static final Duration LEASE_MAX = Duration.ofSeconds(10);

    /** A gate's lease is at most this fraction of a host's lease, so that it ends sooner. */
    private static final int LEASES_PER_HOST_LEASE = 3;

    private static final int CONTENDED_PART = 5;

    /** Upper bound of the time that must be left of a lease to send a request, in milliseconds. */
    private static final long REMAINING_MIN_MAX = 1000;

    private static final int IPV6_NETWORK = 8;
    private static final int REMEMBERED_MAX = 50_000;

    record Gate(String key, long delay, boolean limitsInFlight) {}

    private record Groups(List<RateGroup> all, RateGroupIndex index) {}

    private final RedisConnection connection;
    private final FleetSettings settings;
    final Duration gateLease;
    private final long minRemaining;
    private final Supplier<Politeness> sharedPoliteness;
    private volatile Groups groups;
    private final Map<String, Long> leasedUntil = new HashMap<>();

    /**
     * Unique per process: another process with the same worker name does not know what this one has
     * sent.
     */
    private final String holder;

    private boolean serverRestarted;
    private long closedUntil;

    FleetGates(RedisConnection link, FleetSettings settings, Supplier<Politeness> manners) {
        this.connection = link;
        this.settings = settings;
        this.sharedPoliteness = manners;
        this.groups = new Groups(List.of(), new RateGroupIndex(List.of()));
        var part = settings.hostLease().dividedBy(LEASES_PER_HOST_LEASE);
        this.gateLease = part.compareTo(LEASE_MAX) < 0 ? part : LEASE_MAX;
        this.minRemaining = Math.min(REMAINING_MIN_MAX, gateLease.toMillis() / 4);
        this.holder =
                settings.worker() + ":" + Long.toHexString(ThreadLocalRandom.current().nextLong());
    }

    /**
     * Handles a restart of a server: it may have lost leases, and grant gates that another worker
     * still uses.
     */
    synchronized void onServerRestart() {
        serverRestarted = true;
    }

    /** Leases all gates of a request for this worker, or returns when to retry. */
    synchronized Optional<Long> take(String host, InetAddress address, long now)
            throws IOException {
        if (serverRestarted) {
            serverRestarted = false;
            leasedUntil.clear();
            closedUntil = now + gateLease.toMillis();
        }
        var missing = new ArrayList<Gate>();
        for (var gate : gatesOf(host, address)) {
            if (now < closedUntil + gate.delay) {
                return Optional.of(closedUntil + gate.delay);
            }
            if (leasedUntil.getOrDefault(gate.key, 0L) - now < minRemaining) {
                missing.add(gate);
            }
        }
        return missing.isEmpty() ? Optional.empty() : requestGates(missing, now);
    }

    private Optional<Long> requestGates(List<Gate> gates, long now) throws IOException {
        var again = 0L;
        var requests = gates.stream().map(gate -> request(gate, false, now)).toList();
        var replies =
                connection.callAll(requests.stream().map(RedisConnection.ScriptCall::of).toList());
        for (var i = 0; i < gates.size(); i++) {
            var wrong = replies.get(i).failure();
            if (wrong != null) {
                throw wrong instanceof IOException io ? io : new IOException(wrong);
            }
            var reply = ScriptCodec.decode(requests.get(i), RedisConnection.value(replies.get(i)));
            if (reply.isLeased()) {
                leasedUntil.put(gates.get(i).key, reply.time());
                if (reply.time() - now < minRemaining) {
                    again = Math.max(again, reply.time() + gates.get(i).delay);
                }
            } else {
                again = Math.max(again, reply.time());
            }
        }
        if (leasedUntil.size() > REMEMBERED_MAX) {
            leasedUntil.values().removeIf(until -> until < now);
        }
        return again > now ? Optional.of(again) : Optional.empty();
    }

    List<Gate> inFlightLimited(String host, InetAddress address) {
        return gatesOf(host, address).stream().filter(Gate::limitsInFlight).toList();
    }

    /** Returns the earliest end of the leases of gates. */
    synchronized long leasedUntil(List<Gate> gates) {
        return gates.stream()
                .mapToLong(gate -> leasedUntil.getOrDefault(gate.key, 0L))
                .min()
                .orElse(0);
    }

    /** Returns the new end of the lease; 0 if another worker has the gate. */
    long renew(Gate gate, long now) throws IOException {
        var reply = connection.call(request(gate, true, now));
        return reply.isLeased() ? reply.time() : 0;
    }

    private KeyRequest.TakeGate request(Gate gate, boolean renew, long now) {
        var contended = gateLease.dividedBy(CONTENDED_PART).multipliedBy(renew ? 2 : 1);
        return new KeyRequest.TakeGate(
                gate.key,
                now,
                holder,
                gateLease.toMillis(),
                contended.toMillis(),
                gate.delay,
                renew);
    }

    private List<Gate> gatesOf(String host, InetAddress address) {
        var politeness = sharedPoliteness.get();
        var gates = new ArrayList<Gate>(2);
        if (politeness.ipDelay().isPositive()) {
            gates.add(gate("a." + network(address), politeness.ipDelay(), false));
        }
        if (politeness.domainDelay().isPositive()) {
            gates.add(gate("d." + RegistrableDomain.of(host), politeness.domainDelay(), false));
        }
        for (var group : groupIndex(politeness.groups()).of(host, address)) {
            gates.add(gate("g." + name(group), group.delay(), group.maxInFlight() > 0));
        }
        return gates;
    }

    /** Returns the index of groups; the list is the same object until the settings change. */
    private RateGroupIndex groupIndex(List<RateGroup> all) {
        var known = groups;
        if (!known.all.equals(all)) {
            known = new Groups(all, new RateGroupIndex(all));
            groups = known;
        }
        return known.index;
    }

    private static String network(InetAddress address) {
        var bytes = address.getAddress();
        return HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, IPV6_NETWORK));
    }

    private static String name(RateGroup group) {
        return group.members().toString();
    }

    private Gate gate(String name, Duration delay, boolean held) {
        return new Gate("ow:{" + settings.fleet() + "." + name + "}", delay.toMillis(), held);
    }
}
