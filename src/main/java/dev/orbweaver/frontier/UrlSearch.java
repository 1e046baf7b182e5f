package dev.orbweaver.frontier;

import dev.orbweaver.model.CrawlUrl;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Finds where a seen URL is, by looking everywhere: nobody waits for the answer but a person. */
final class UrlSearch {

    private final Workbench bench;
    private final int job;
    private final CrawlUrl url;
    private Optional<Explanation> found = Optional.empty();
    private int ahead;
    private @Nullable QueuedUrl match;

    UrlSearch(Workbench bench, int job, CrawlUrl url) {
        this.bench = bench;
        this.job = job;
        this.url = url;
    }

    Explanation find() {
        return leased().or(this::queued).or(this::dead).orElseGet(Explanation.Settled::new);
    }

    /** How the URL that was found here once came in. */
    Optional<Whereabouts.Found> found() {
        return Optional.ofNullable(match)
                .map(
                        other ->
                                new Whereabouts.Found(
                                        other.url(),
                                        other.facts.hop(),
                                        other.facts.depth(),
                                        other.facts.parent(),
                                        Instant.ofEpochMilli(other.facts.foundAt())));
    }

    private boolean matches(QueuedUrl other) {
        var same = other.facts.job() == job && other.url().key().equals(url.key());
        match = same ? other : match;
        return same;
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

    /**
     * A URL waits on its own host; only one that a redirect put in another spelling may wait on
     * another, and then it is among those kept in memory.
     */
    private Optional<Explanation> queued() {
        var home = bench.hosts.find(url.host());
        if (home != null) {
            var queue = home.queueOf(job);
            if (queue != null) {
                queue.inOrder(waiting -> look(queue, waiting));
            }
        }
        for (var host : found.isPresent() ? List.<HostQueue>of() : bench.hosts.inOrder()) {
            for (var queue : host.queues()) {
                ahead = 0;
                queue.inMemory(waiting -> look(queue, waiting));
            }
        }
        return found;
    }

    private void look(UrlQueue queue, QueuedUrl waiting) {
        if (found.isEmpty() && matches(waiting)) {
            var due = Math.max(waiting.notBefore, queue.host.due());
            found =
                    Optional.of(
                            queue.excluded
                                    ? new Explanation.Excluded(waiting.attempts)
                                    : new Explanation.Queued(
                                            ahead, Instant.ofEpochMilli(due), waiting.attempts));
        }
        ahead++;
    }

    private Optional<Explanation> dead() {
        var letter = new AtomicReference<@Nullable Explanation>();
        bench.store()
                .dead(
                        (dead, cause) -> {
                            if (matches(QueuedUrl.from(dead))) {
                                letter.set(new Explanation.Dead(cause, dead.attempts()));
                            }
                        });
        return Optional.ofNullable(letter.get());
    }
}
