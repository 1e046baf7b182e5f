package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CrawlUrl;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Finds the state of a seen URL by a full search, which is slow; only user requests need it. */
final class UrlSearch {

    private final Workbench bench;
    private final int job;
    private final CrawlUrl url;
    private Optional<UrlState> found = Optional.empty();
    private int ahead;
    private @Nullable QueueEntry match;

    UrlSearch(Workbench bench, int job, CrawlUrl url) {
        this.bench = bench;
        this.job = job;
        this.url = url;
    }

    UrlState find() {
        return leased().or(this::queued).or(this::dead).orElseGet(UrlState.Settled::new);
    }

    /** Returns how the URL was discovered. */
    Optional<UrlLookup.Discovery> discovery() {
        return Optional.ofNullable(match)
                .map(
                        other ->
                                new UrlLookup.Discovery(
                                        other.url(),
                                        other.accepted.hop(),
                                        other.accepted.depth(),
                                        other.accepted.parent(),
                                        Instant.ofEpochMilli(other.accepted.foundAt())));
    }

    private boolean matches(QueueEntry other) {
        var same = other.accepted.job() == job && other.url().key().equals(url.key());
        match = same ? other : match;
        return same;
    }

    private Optional<UrlState> leased() {
        return bench.leases.values().stream()
                .filter(held -> matches(held.url))
                .findFirst()
                .map(
                        held ->
                                new UrlState.Leased(
                                        Instant.ofEpochMilli(held.deadline), held.url.attempts));
    }

    /**
     * Searches the queues. A URL waits on its own host, unless a redirect gave it another spelling;
     * then it may wait on another host, among the URLs kept in memory.
     */
    private Optional<UrlState> queued() {
        var home = bench.hosts.find(url.host());
        if (home != null) {
            var queue = home.queueOf(job);
            if (queue != null) {
                queue.forEachInOrder(waiting -> examine(queue, waiting));
            }
        }
        for (var host : found.isPresent() ? List.<HostQueue>of() : bench.hosts.inOrder()) {
            for (var queue : host.queues()) {
                ahead = 0;
                queue.forEachInMemory(waiting -> examine(queue, waiting));
            }
        }
        return found;
    }

    private void examine(UrlQueue queue, QueueEntry waiting) {
        if (found.isEmpty() && matches(waiting)) {
            var due = Math.max(waiting.notBefore, queue.host.due());
            found =
                    Optional.of(
                            queue.isExcluded()
                                    ? new UrlState.Excluded(waiting.attempts)
                                    : new UrlState.Queued(
                                            Priority.scoreOfRank(waiting.accepted.rank()),
                                            ahead,
                                            Instant.ofEpochMilli(due),
                                            waiting.attempts));
        }
        ahead++;
    }

    private Optional<UrlState> dead() {
        var letter = new AtomicReference<@Nullable UrlState>();
        bench.store()
                .forEachDeadLetter(
                        (dead, cause) -> {
                            if (matches(QueueEntry.from(dead))) {
                                letter.set(new UrlState.Dead(cause, dead.attempts()));
                            }
                        });
        return Optional.ofNullable(letter.get());
    }
}
