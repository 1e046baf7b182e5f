package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.Fingerprint;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Writes a workbench as events. */
final class Snapshot {

    private static final int KEYS_PER_EVENT = 4096;

    private final Consumer<FrontierEvent> out;

    Snapshot(Consumer<FrontierEvent> out) {
        this.out = out;
    }

    /** Writes the state that a new workbench over the same store needs. */
    void write(Workbench bench) {
        seeds(bench);
        for (var host : bench.hosts.inOrder()) {
            out.accept(host.toState());
            for (var queue : host.queues()) {
                out.accept(stateOf(queue));
                queue.forEachInMemory(
                        url -> out.accept(new FrontierEvent.QueuedUrlState(url.toState())));
            }
        }
        writeRemainder(bench);
    }

    /** Writes the complete state, including that of the store. */
    void describe(Workbench bench) {
        bench.counters().keySet().forEach(job -> seen(job, bench.store().seen(job)));
        seeds(bench);
        for (var host : bench.hosts.inOrder()) {
            out.accept(host.toState());
            for (var queue : host.queues()) {
                queue.forEachInOrder(
                        url -> out.accept(new FrontierEvent.QueuedUrlState(url.toState())));
            }
        }
        bench.store()
                .forEachDeadLetter(
                        (url, cause) -> out.accept(new FrontierEvent.DeadLetterState(url, cause)));
        writeRemainder(bench);
    }

    private void seeds(Workbench bench) {
        bench.seeds.forEach(
                (job, urls) -> urls.forEach(url -> out.accept(new FrontierEvent.Seed(job, url))));
    }

    private void writeRemainder(Workbench bench) {
        bench.committedLengths
                .values()
                .forEach(mark -> out.accept(new FrontierEvent.LengthCommitted(mark)));
        bench.seedPositions.forEach(
                (job, positions) ->
                        positions
                                .values()
                                .forEach(
                                        position ->
                                                out.accept(
                                                        new FrontierEvent.SeedsRead(
                                                                job, position))));
        bench.matching.forEach(
                (job, counts) ->
                        counts.forEach(
                                (name, count) ->
                                        out.accept(
                                                new FrontierEvent.MatchingAccepted(
                                                        job, name, count))));
        bench.leases.forEach(this::writeLease);
        bench.deferredLinks.forEach(
                (job, links) ->
                        out.accept(
                                new FrontierEvent.DeferredLinksState(
                                        job, links.captures(), links.lastOfferedCapture())));
        bench.counters().forEach((job, jobCounters) -> out.accept(jobCounters.toState(job)));
        out.accept(bench.snapshotEnd());
    }

    private void seen(int job, SeenSet keys) {
        var chunk = new ArrayList<Fingerprint>(KEYS_PER_EVENT);
        keys.forEach(
                key -> {
                    chunk.add(key);
                    if (chunk.size() == KEYS_PER_EVENT) {
                        out.accept(new FrontierEvent.Seen(job, List.copyOf(chunk)));
                        chunk.clear();
                    }
                });
        out.accept(new FrontierEvent.Seen(job, List.copyOf(chunk)));
    }

    private void writeLease(long token, Workbench.LeasedUrl held) {
        out.accept(new FrontierEvent.LeaseState(held.url.toState(), token, held.deadline));
        if (held.otherHost != null) {
            out.accept(new FrontierEvent.OtherHostRequested(token, held.otherHost.name, 0));
        }
    }

    private static FrontierEvent stateOf(UrlQueue queue) {
        var ranks = new ArrayList<FrontierEvent.RankCounts>();
        queue.forEachRankInSegments(
                (rank, waiting, taken) ->
                        ranks.add(new FrontierEvent.RankCounts(rank, waiting, taken)));
        return new FrontierEvent.QueueState(
                queue.host.name,
                queue.job,
                queue.id,
                queue.accepted,
                ranks,
                queue.isExcluded(),
                queue.seeded);
    }
}
