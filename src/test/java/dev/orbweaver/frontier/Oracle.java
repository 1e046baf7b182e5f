package dev.orbweaver.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.FailureCause;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What a frontier should hold, kept the slow and obvious way: every question is answered by looking
 * at everything. It is told what was done and judges what the frontier made of it.
 */
final class Oracle {

    enum Place {
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
        Place place = Place.QUEUED;
        FailureCause cause = FailureCause.INTERNAL;
        long notBefore;
        int attempts;
        int lost;

        /** Neither tried nor given back yet, so its turn is by the order of finding. */
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

    /** One lease that is out. */
    static final class Out {
        final Url url;
        long deadline;
        String guestOf = "";

        /** Until when its host is held for this lease alone. */
        long heldTo;

        Out(Url url, long deadline) {
            this.url = url;
            this.deadline = deadline;
        }
    }

    private final int perHost;
    private final long delay;
    final Map<String, Url> urls = new HashMap<>();
    final Map<String, Host> hosts = new HashMap<>();
    final Map<Long, Out> leases = new HashMap<>();
    private final Map<String, Long> gates = new HashMap<>();
    private long allGatesFrom = Long.MIN_VALUE / 2;
    private long duplicates;

    Oracle(Politeness politeness) {
        this.perHost = politeness.perHost();
        this.delay = politeness.hostDelay().toMillis();
    }

    Host host(String name) {
        return hosts.computeIfAbsent(name, _ -> new Host());
    }

    private Url url(String key) {
        return Objects.requireNonNull(urls.get(key), key);
    }

    Out out(long token) {
        return Objects.requireNonNull(leases.get(token), "no such lease");
    }

    void offered(String key, String host, int band) {
        if (urls.containsKey(key)) {
            duplicates++;
        } else {
            urls.put(key, new Url(host, band, urls.size()));
        }
    }

    private long mayBeAsked(Host host) {
        var fromEnd = perHost > 1 ? 0 : host.lastEnded + delay;
        return Math.max(Math.max(fromEnd, host.heldUntil), host.restUntil);
    }

    private boolean full(Host host) {
        return host.out >= (host.failures >= 10 ? 1 : perHost);
    }

    private List<Url> eligible(String name, long now) {
        var host = host(name);
        if (full(host) || now < mayBeAsked(host)) {
            return List.of();
        }
        return urls.values().stream()
                .filter(url -> url.host.equals(name) && url.place == Place.QUEUED)
                .filter(url -> url.notBefore <= now)
                .toList();
    }

    /** Judges one lease, and takes note of it. */
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
        url.place = Place.LEASED;
        url.untried = false;
        var host = host(url.host);
        host.out++;
        if (perHost > 1) {
            host.heldUntil = Math.max(host.heldUntil, now + delay);
        }
        var out = new Out(url, lease.deadline().toEpochMilli());
        out.heldTo = perHost > 1 ? host.heldUntil : 0;
        leases.put(lease.token(), out);
    }

    /** When less was handed out than asked for, nothing else could have been. */
    void nothingElse(long now) {
        for (var name : hosts.keySet()) {
            assertThat(eligible(name, now)).as("left waiting on %s", name).isEmpty();
        }
    }

    /** Leases past their deadline are lost. */
    void loseOverdue(long now) {
        for (var token : List.copyOf(leases.keySet())) {
            if (out(token).deadline < now) {
                lose(token, now);
            }
        }
    }

    private void lose(long token, long now) {
        out(token).url.lost++;
        comeBack(token, now);
    }

    private void comeBack(long token, long now) {
        var out = take(token, now);
        out.url.place = out.url.lost >= 10 ? Place.DEAD : Place.QUEUED;
        out.url.cause = FailureCause.POISON;
        out.url.notBefore = 0;
        touched(out, now);
    }

    /**
     * A new process: what was out comes back blameless, every gate is closed, waits for gates are
     * forgotten.
     */
    void reopened(long now) {
        List.copyOf(leases.keySet()).forEach(token -> comeBack(token, now));
        hosts.values().forEach(host -> host.heldUntil = 0);
        gates.clear();
        allGatesFrom = now;
    }

    Out take(long token, long ended) {
        var out = out(token);
        leases.remove(token);
        host(out.url.host).out--;
        if (!out.guestOf.isEmpty()) {
            var guestOf = host(out.guestOf);
            guestOf.out--;
            guestOf.lastEnded = Math.max(guestOf.lastEnded, ended);
        }
        return out;
    }

    void touched(Out out, long ended) {
        var host = host(out.url.host);
        host.lastEnded = Math.max(host.lastEnded, ended);
    }

    void rests(Out out, long until) {
        var host = host(out.url.host);
        rests(host, until, false);
    }

    private static void rests(Host host, long until, boolean tripped) {
        if (until > host.restUntil) {
            host.restUntil = until;
            host.tripped = tripped;
        }
    }

    /** A host's dead letters are taken back; says how many there are. */
    int revived(String name) {
        var count = 0;
        for (var url : urls.values()) {
            if (url.host.equals(name) && url.place == Place.DEAD) {
                url.place = Place.QUEUED;
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

    void answered(Out out) {
        host(out.url.host).failures = 0;
        host(out.url.host).probes = 0;
    }

    void failed(Out out, long ended) {
        var host = host(out.url.host);
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
            rests(host, ended + Math.min(rest, 3_600_000), true);
        }
        if (host.probes >= 8) {
            for (var url : urls.values()) {
                if (url.host.equals(out.url.host) && url.place == Place.QUEUED) {
                    url.place = Place.DEAD;
                    url.cause = FailureCause.HOST_DOWN;
                }
            }
        }
    }

    /** Whether a request may go out, and if so, it has. */
    boolean passes(long token, String host, String address, long addressDelay, long now) {
        var out = out(token);
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
        var guest = !host.equals(out.url.host);
        if (guest && (full(host(host)) || now < mayBeAsked(host(host)))) {
            return false;
        }
        wanted.forEach(gate -> gates.put(gate, now));
        if (guest) {
            if (!out.guestOf.isEmpty()) {
                host(out.guestOf).out--;
                host(out.guestOf).lastEnded = now;
            }
            out.guestOf = host;
            host(host).out++;
        }
        return true;
    }

    private long in(Place place) {
        return urls.values().stream().filter(url -> url.place == place).count();
    }

    /** The ledger as it should be, but for what the oracle does not follow. */
    void check(Ledger ledger) {
        assertThat(ledger.balances()).isTrue();
        assertThat(ledger.duplicate()).isEqualTo(duplicates);
        assertThat(ledger.accepted()).isEqualTo(urls.size());
        assertThat(ledger.queued()).isEqualTo(in(Place.QUEUED));
        assertThat(ledger.leased()).isEqualTo(in(Place.LEASED)).isEqualTo(leases.size());
        assertThat(ledger.done()).isEqualTo(in(Place.DONE));
        assertThat(ledger.dead()).isEqualTo(in(Place.DEAD));
        assertThat(ledger.withdrawn()).isEqualTo(in(Place.WITHDRAWN));
    }

    /** What is said of one URL. */
    void check(String key, Explanation explanation) {
        switch (explanation) {
            case Explanation.NeverAccepted _ -> assertThat(urls).doesNotContainKey(key);
            case Explanation.Queued queued -> {
                assertThat(url(key).place).as(key).isEqualTo(Place.QUEUED);
                assertThat(queued.attempts()).isEqualTo(url(key).attempts);
            }
            case Explanation.Leased _ -> assertThat(url(key).place).as(key).isEqualTo(Place.LEASED);
            case Explanation.Dead(var cause, _) -> {
                assertThat(url(key).place).as(key).isEqualTo(Place.DEAD);
                assertThat(cause).as(key).isEqualTo(url(key).cause);
            }
            case Explanation.Settled _, Explanation.Excluded _ ->
                    assertThat(url(key).place).as(key).isIn(Place.DONE, Place.WITHDRAWN);
        }
    }
}
