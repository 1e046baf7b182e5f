package dev.orbweaver.frontier;

import dev.orbweaver.model.Fingerprint;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/** Writes a workbench down as events. */
final class Snapshot {

    private static final int KEYS_PER_EVENT = 4096;

    private final Consumer<FrontierEvent> out;

    Snapshot(Consumer<FrontierEvent> out) {
        this.out = out;
    }

    /** What a new workbench over the same store must know to be as this one. */
    void write(Workbench bench) {
        seeds(bench);
        for (var host : bench.hosts.inOrder()) {
            out.accept(host.written());
            for (var queue : host.queues()) {
                out.accept(stateOf(queue));
                queue.inMemory(url -> out.accept(url.restored()));
            }
        }
        rest(bench);
    }

    /** Everything, wherever it lies. */
    void describe(Workbench bench) {
        bench.tallies().keySet().forEach(job -> seen(job, bench.store().seen(job)));
        seeds(bench);
        for (var host : bench.hosts.inOrder()) {
            out.accept(host.written());
            for (var queue : host.queues()) {
                queue.inOrder(url -> out.accept(url.restored()));
            }
        }
        bench.store().dead((url, cause) -> out.accept(new FrontierEvent.Buried(url, cause)));
        rest(bench);
    }

    private void seeds(Workbench bench) {
        bench.seeds.forEach(
                (job, urls) -> urls.forEach(url -> out.accept(new FrontierEvent.Seed(job, url))));
    }

    private void rest(Workbench bench) {
        bench.marks.values().forEach(mark -> out.accept(new FrontierEvent.Marked(mark)));
        bench.leases.forEach(this::held);
        bench.deferred.forEach(
                (job, links) ->
                        out.accept(
                                new FrontierEvent.Deferred(
                                        job, links.captures(), links.takenUpTo())));
        bench.tallies().forEach((job, tally) -> out.accept(tally.counters(job)));
        out.accept(bench.end());
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

    private void held(long token, Workbench.Holding held) {
        out.accept(new FrontierEvent.Held(held.url.restored(), token, held.deadline));
        if (held.guestOf != null) {
            out.accept(new FrontierEvent.Visiting(token, held.guestOf.name, 0));
        }
    }

    private static FrontierEvent stateOf(UrlQueue queue) {
        return new FrontierEvent.QueueState(
                queue.host.name,
                queue.job,
                queue.id,
                queue.accepted,
                byBand(queue::waitingOnShelf),
                byBand(queue::taken),
                queue.excluded);
    }

    private static List<Integer> byBand(IntFunction<Integer> count) {
        return List.of(count.apply(0), count.apply(1), count.apply(2), count.apply(3));
    }
}
