package dev.orbweaver.frontier;

import dev.orbweaver.model.Fingerprint;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Writes a workbench down as events that make it again when applied to an empty one. */
final class Snapshot {

    private static final int KEYS_PER_EVENT = 4096;

    private final Consumer<FrontierEvent> out;

    Snapshot(Consumer<FrontierEvent> out) {
        this.out = out;
    }

    void write(Workbench bench) {
        bench.seen.forEach(this::seen);
        bench.seeds.forEach(
                (job, urls) -> urls.forEach(url -> out.accept(new FrontierEvent.Seed(job, url))));
        bench.hosts.values().forEach(host -> out.accept(stateOf(host)));
        bench.hosts
                .values()
                .forEach(host -> host.inOrder().forEach(url -> out.accept(url.restored())));
        for (var letter : bench.dead) {
            out.accept(new FrontierEvent.Buried(letter.url().restored(), letter.cause()));
        }
        bench.marks.forEach((name, length) -> out.accept(new FrontierEvent.Marked(name, length)));
        bench.leases.forEach(this::held);
        out.accept(bench.counters());
    }

    private void seen(int job, FingerprintSet keys) {
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

    private static FrontierEvent stateOf(HostQueue host) {
        return new FrontierEvent.HostState(
                host.name,
                host.lastEnded,
                host.rest,
                host.restUntil,
                host.failures,
                host.probes,
                host.robotsDelay,
                host.pages);
    }
}
