package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Ledger;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The expected state of a frontier, implemented in the slow and obvious way: every query scans
 * everything. It records all operations and checks the frontier's results.
 */
final class Oracle {

    enum ExpectedState {
        QUEUED,
        LEASED,
        DONE,
        DEAD,
        WITHDRAWN
    }

    /** One accepted URL. */
    static final class Url {
        final String host;
        final int band;
        final int number;
        ExpectedState expectedState = ExpectedState.QUEUED;
        FailureCause cause = FailureCause.INTERNAL;
        long notBefore;
        int attempts;
        int lost;

        /** Neither requested nor returned yet, so its turn follows the order of discovery. */
        boolean untried = true;

        Url(String host, int band, int number) {
            this.host = host;
            this.band = band;
            this.number = number;
        }
    }

    /** One host. */
    static final class Host {
        long lastEnded = Long.MIN_VALUE / 2;
        long heldUntil;
        long restUntil;

        /** Whether it rests because it failed. */
        boolean tripped;

        int failures;
        int probes;
        int out;
    }

    /** One outstanding lease. */
    static final class ExpectedLease {
        final Url url;
        long deadline;
        String guestOf = "";

        /** Until when its host is reserved for this lease. */
        long heldTo;

        ExpectedLease(Url url, long deadline) {
            this.url = url;
            this.deadline = deadline;
        }
    }

    private final int perHost;
    private final long delay;
    final Map<String, Url> urls = new HashMap<>();
    final Map<String, Host> hosts = new HashMap<>();
    final Map<Long, ExpectedLease> leases = new HashMap<>();
    private final Map<String, Long> gates = new HashMap<>();
    private long allGatesFrom = Long.MIN_VALUE / 2;
    private long duplicates;

    Oracle(Politeness politeness) {
        this.perHost = politeness.concurrencyPerHost();
        this.delay = politeness.hostDelay().toMillis();
    }

    Host host(String name) {
        return hosts.computeIfAbsent(name, _ -> new Host());
    }

    private Url url(String key) {
        return Objects.requireNonNull(urls.get(key), key);
    }

    ExpectedLease lease(long token) {
        return Objects.requireNonNull(leases.get(token), "no such lease");
    }

    void offered(String key, String host, int band) {
        if (urls.containsKey(key)) {
            duplicates++;
        } else {
            urls.put(key, new Url(host, band, urls.size()));
        }
    }

    private long availableAt(Host host) {
        var fromEnd = perHost > 1 ? 0 : host.lastEnded + delay;
        return Math.max(Math.max(fromEnd, host.heldUntil), host.restUntil);
    }

    private boolean isFull(Host host) {
        return host.out >= (host.failures >= 10 ? 1 : perHost);
    }

    private List<Url> eligible(String name, long now) {
        var host = host(name);
        if (isFull(host) || now < availableAt(host)) {
            return List.of();
        }
        return urls.values().stream()
                .filter(url -> url.host.equals(name) && url.expectedState == ExpectedState.QUEUED)
                .filter(url -> url.notBefore <= now)
                .toList();
    }

    /** Checks one lease, and records it. */
    void leased(String key, Lease lease, long now) {
        var url = url(key);
        var eligible = eligible(lease.url().host(), now);
        assertThat(eligible).as("%s may be handed out", key).contains(url);
        assertThat(url.band)
                .isEqualTo(eligible.stream().mapToInt(other -> other.band).min().orElseThrow());
        if (url.untried) {
            var first =
                    eligible.stream()
                            .filter(other -> other.untried && other.band == url.band)
                            .min(Comparator.comparingInt(other -> other.number));
            assertThat(first).contains(url);
        }
        assertThat(lease.attempts()).isEqualTo(url.attempts);
        assertThat(leases).doesNotContainKey(lease.token());
        url.expectedState = ExpectedState.LEASED;
        url.untried = false;
        var host = host(url.host);
        host.out++;
        if (perHost > 1) {
            host.heldUntil = Math.max(host.heldUntil, now + delay);
        }
        var expectedLease = new ExpectedLease(url, lease.deadline().toEpochMilli());
        expectedLease.heldTo = perHost > 1 ? host.heldUntil : 0;
        leases.put(lease.token(), expectedLease);
    }

    /** If fewer URLs were leased than requested, no other may have been available. */
    void expectNothingElse(long now) {
        for (var name : hosts.keySet()) {
            assertThat(eligible(name, now)).as("left waiting on %s", name).isEmpty();
        }
    }

    /** Leases past their deadline are lost. */
    void expireOverdue(long now) {
        for (var token : List.copyOf(leases.keySet())) {
            if (lease(token).deadline < now) {
                lose(token, now);
            }
        }
    }

    private void lose(long token, long now) {
        lease(token).url.lost++;
        returnToQueue(token, now);
    }

    private void returnToQueue(long token, long now) {
        var expectedLease = take(token, now);
        expectedLease.url.expectedState =
                expectedLease.url.lost >= 10 ? ExpectedState.DEAD : ExpectedState.QUEUED;
        expectedLease.url.cause = FailureCause.POISON;
        expectedLease.url.notBefore = 0;
        requestEnded(expectedLease, now);
    }

    /**
     * A new process: outstanding leases are returned without a failed attempt, every gate is
     * closed, waits for gates are discarded.
     */
    void reopened(long now) {
        List.copyOf(leases.keySet()).forEach(token -> returnToQueue(token, now));
        hosts.values().forEach(host -> host.heldUntil = 0);
        gates.clear();
        allGatesFrom = now;
    }

    ExpectedLease take(long token, long ended) {
        var expectedLease = lease(token);
        leases.remove(token);
        host(expectedLease.url.host).out--;
        if (!expectedLease.guestOf.isEmpty()) {
            var guestOf = host(expectedLease.guestOf);
            guestOf.out--;
            guestOf.lastEnded = Math.max(guestOf.lastEnded, ended);
        }
        return expectedLease;
    }

    void requestEnded(ExpectedLease expectedLease, long ended) {
        var host = host(expectedLease.url.host);
        host.lastEnded = Math.max(host.lastEnded, ended);
    }

    void rest(ExpectedLease expectedLease, long until) {
        var host = host(expectedLease.url.host);
        rest(host, until, false);
    }

    private static void rest(Host host, long until, boolean tripped) {
        if (until > host.restUntil) {
            host.restUntil = until;
            host.tripped = tripped;
        }
    }

    /** Requeues a host's dead letters; returns their number. */
    int requeued(String name) {
        var count = 0;
        for (var url : urls.values()) {
            if (url.host.equals(name) && url.expectedState == ExpectedState.DEAD) {
                url.expectedState = ExpectedState.QUEUED;
                url.notBefore = 0;
                url.attempts = 0;
                url.lost = 0;
                url.untried = false;
                count++;
            }
        }
        if (count > 0) {
            var host = host(name);
            host.failures = 0;
            host.probes = 0;
            host.restUntil = host.tripped ? 0 : host.restUntil;
            host.tripped = false;
        }
        return count;
    }

    void responded(ExpectedLease expectedLease) {
        host(expectedLease.url.host).failures = 0;
        host(expectedLease.url.host).probes = 0;
    }

    void failed(ExpectedLease expectedLease, long ended) {
        var host = host(expectedLease.url.host);
        if (host.failures >= 10 && ended < host.restUntil) {
            return;
        }
        host.failures++;
        if (host.failures > 10) {
            host.probes++;
        }
        if (host.failures >= 10) {
            var rest = 60_000L;
            for (var i = 0; i < host.probes && rest < 3_600_000; i++) {
                rest *= 2;
            }
            rest(host, ended + Math.min(rest, 3_600_000), true);
        }
        if (host.probes >= 8) {
            for (var url : urls.values()) {
                if (url.host.equals(expectedLease.url.host)
                        && url.expectedState == ExpectedState.QUEUED) {
                    url.expectedState = ExpectedState.DEAD;
                    url.cause = FailureCause.HOST_DOWN;
                }
            }
        }
    }

    /** Returns whether a request may be sent, and if so, records it. */
    boolean passes(long token, String host, String address, long addressDelay, long now) {
        var expectedLease = lease(token);
        var wanted = new ArrayList<String>(List.of(address));
        var delays = new ArrayList<Long>(List.of(addressDelay));
        if (perHost > 1) {
            wanted.add(host);
            delays.add(delay);
        }
        for (var i = 0; i < wanted.size(); i++) {
            if (now < gates.getOrDefault(wanted.get(i), allGatesFrom) + delays.get(i)) {
                return false;
            }
        }
        var guest = !host.equals(expectedLease.url.host);
        if (guest && (isFull(host(host)) || now < availableAt(host(host)))) {
            return false;
        }
        wanted.forEach(gate -> gates.put(gate, now));
        if (guest) {
            if (!expectedLease.guestOf.isEmpty()) {
                host(expectedLease.guestOf).out--;
                host(expectedLease.guestOf).lastEnded = now;
            }
            expectedLease.guestOf = host;
            host(host).out++;
        }
        return true;
    }

    private long in(ExpectedState expectedState) {
        return urls.values().stream().filter(url -> url.expectedState == expectedState).count();
    }

    /** Returns the expected ledger, without what the oracle does not track. */
    void check(Ledger ledger) {
        assertThat(ledger.balances()).isTrue();
        assertThat(ledger.duplicate()).isEqualTo(duplicates);
        assertThat(ledger.accepted()).isEqualTo(urls.size());
        assertThat(ledger.queued()).isEqualTo(in(ExpectedState.QUEUED));
        assertThat(ledger.leased()).isEqualTo(in(ExpectedState.LEASED)).isEqualTo(leases.size());
        assertThat(ledger.done()).isEqualTo(in(ExpectedState.DONE));
        assertThat(ledger.dead()).isEqualTo(in(ExpectedState.DEAD));
        assertThat(ledger.withdrawn()).isEqualTo(in(ExpectedState.WITHDRAWN));
    }

    /** Returns a description of one URL. */
    void check(String key, UrlState urlState) {
        switch (urlState) {
            case UrlState.NeverAccepted _ -> assertThat(urls).doesNotContainKey(key);
            case UrlState.Queued queued -> {
                assertThat(url(key).expectedState).as(key).isEqualTo(ExpectedState.QUEUED);
                assertThat(queued.attempts()).isEqualTo(url(key).attempts);
            }
            case UrlState.Leased _ ->
                    assertThat(url(key).expectedState).as(key).isEqualTo(ExpectedState.LEASED);
            case UrlState.Dead(var cause, _) -> {
                assertThat(url(key).expectedState).as(key).isEqualTo(ExpectedState.DEAD);
                assertThat(cause).as(key).isEqualTo(url(key).cause);
            }
            case UrlState.Settled _, UrlState.Excluded _ ->
                    assertThat(url(key).expectedState)
                            .as(key)
                            .isIn(ExpectedState.DONE, ExpectedState.WITHDRAWN);
        }
    }
}
