package dev.orbweaver.frontier;

import dev.orbweaver.model.Fingerprint;

import java.time.Instant;
import java.util.Optional;

/** Finds where a seen URL is, by looking everywhere: nobody waits for the answer but a person. */
final class UrlSearch {

    private final Workbench bench;
    private final int job;
    private final Fingerprint key;
    private int ahead;

    UrlSearch(Workbench bench, int job, Fingerprint key) {
        this.bench = bench;
        this.job = job;
        this.key = key;
    }

    Explanation find() {
        return leased().or(this::queued).or(this::dead).orElseGet(Explanation.Settled::new);
    }

    private boolean matches(QueuedUrl url) {
        return url.facts.job() == job && url.url().key().equals(key);
    }

    private Optional<Explanation> leased() {
        return bench.leases.values().stream()
                .filter(held -> matches(held.url))
                .findFirst()
                .map(
                        held ->
                                new Explanation.Leased(
                                        Instant.ofEpochMilli(held.deadline), held.url.attempts));
    }

    private Optional<Explanation> queued() {
        for (var host : bench.hosts.values()) {
            ahead = 0;
            var found = queuedOn(host);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private Optional<Explanation> queuedOn(HostQueue host) {
        for (var url : host.inOrder()) {
            if (matches(url)) {
                var due = Math.max(url.notBefore, host.due());
                return Optional.of(
                        new Explanation.Queued(ahead, Instant.ofEpochMilli(due), url.attempts));
            }
            ahead++;
        }
        return Optional.empty();
    }

    private Optional<Explanation> dead() {
        return bench.dead.stream()
                .filter(letter -> matches(letter.url()))
                .findFirst()
                .map(letter -> new Explanation.Dead(letter.cause(), letter.url().attempts));
    }
}
