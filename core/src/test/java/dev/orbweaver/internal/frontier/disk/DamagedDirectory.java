package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.internal.frontier.Workbench;
import dev.orbweaver.internal.frontier.WorkbenchFrontier;
import dev.orbweaver.internal.frontier.WorkbenchInspector;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.Durability;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

/**
 * A frontier's directory with files of every kind, as a kill left it, and the acknowledged state at
 * each length of its journal. Copies of it are damaged, opened and compared.
 */
final class DamagedDirectory {

    static final Path DIRECTORY = Path.of("frontier");
    static final Instant START = Instant.parse("2030-01-01T00:00:00Z");
    static final Politeness POLITENESS =
            new Politeness(Duration.ZERO, Duration.ZERO, Duration.ZERO, 4, Duration.ofMinutes(10));

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);
    private static final int HOSTS = 12;
    private static final int OFFERED = 24;
    private static final int LEASED = 20;

    /** A state in comparable form: everything but dead letters, and the dead letters in order. */
    record State(long facts, List<String> dead) {}

    private final DiskSettings settings;
    private final TreeMap<Long, State> acknowledged = new TreeMap<>();
    private final SimulatedDisk disk = new SimulatedDisk();
    private final Random random;
    private int urls;
    private Instant now = START;
    private long number;
    private final int snapshots;

    /**
     * Creates a directory whose journal has reached {@code journalBytes} after this many snapshots.
     */
    DamagedDirectory(long seed, long journalBytes, int snapshots) throws IOException {
        settings =
                new DiskSettings(
                        URLS, Durability.PROCESS, journalBytes + 3000, Long.MAX_VALUE, 50, false);
        this.snapshots = snapshots;
        random = new Random(seed);
        var store = new DiskStore(disk, DIRECTORY, settings);
        var bench = new Workbench(POLITENESS, store);
        var journal = Journal.open(disk, DIRECTORY, settings, store, bench);
        var frontier = new TestFrontier(new WorkbenchFrontier(POLITENESS, bench, journal, now));
        while (number < snapshots || disk.length(journalFile()) < journalBytes) {
            round(frontier, bench);
        }
    }

    Path journalFile() {
        return DIRECTORY.resolve("journal-" + number);
    }

    private void round(TestFrontier frontier, Workbench bench) throws IOException {
        now = now.plusMillis(500);
        var job = new JobId(random.nextInt(40) == 0 ? 1 : 0);
        frontier.offer(job, candidates(), now);
        note(bench);
        var leases = frontier.lease(LEASED, now);
        note(bench);
        var settlements = new ArrayList<Settlement>();
        for (var lease : leases) {
            var outcome = outcome();
            settlements.add(Settlement.of(lease, outcome, new HostSignal.NoRequest()));
        }
        // One lease is never settled.
        if (!settlements.isEmpty() && random.nextInt(50) == 0) {
            var _ = settlements.removeLast();
        }
        var refused = frontier.settle(new CommitBatch(settlements, List.of()), now);
        if (refused > 0) {
            throw new IllegalStateException(refused + " settlements were refused");
        }
        note(bench);
    }

    private List<Candidate> candidates() {
        var candidates = new ArrayList<Candidate>();
        for (var i = 0; i < OFFERED; i++) {
            var id = random.nextInt(6) == 0 ? random.nextInt(urls + 1) : urls++;
            var text =
                    "http://h%d.example/%s/%d"
                            .formatted(id % HOSTS, id % 3 == 0 ? "news/2029" : "shop?item=", id);
            candidates.add(
                    new Candidate(URLS.parse(text).orElseThrow(), Hop.LINK, random.nextInt(6), 0));
        }
        return candidates;
    }

    private Outcome outcome() {
        return switch (random.nextInt(12)) {
            case 0 -> new Outcome.Retry(now.plusSeconds(1), FailureCause.TIMEOUT);
            case 1, 2, 3, 4, 5 -> new Outcome.Dead(FailureCause.DNS);
            default -> new Outcome.Done(true, random.nextInt(1000));
        };
    }

    /** A call has returned: its frames in the journal must survive. */
    private void note(Workbench bench) throws IOException {
        var newest = Journal.newestNumber(disk, DIRECTORY);
        if (newest != number) {
            number = newest;
            acknowledged.clear();
        }
        if (number >= snapshots) {
            var state = stateOf(bench);
            if (acknowledged.isEmpty()) {
                acknowledged.put(0L, state); // The snapshot: all that is left without the journal.
            }
            acknowledged.put(disk.length(journalFile()), state);
        }
    }

    /** Returns the state that must be restored if the journal is intact up to a byte. */
    State at(long journalByte) {
        return acknowledged.floorEntry(journalByte).getValue();
    }

    /** Returns the end of the last complete call before a byte. */
    long boundary(long journalByte) {
        return acknowledged.floorKey(journalByte);
    }

    /** Returns whether a byte belongs to the frame of the last call, or is after it. */
    boolean isInLastFrame(long journalByte) {
        return acknowledged.lowerKey(acknowledged.lastKey()) <= journalByte;
    }

    /** Returns the state at the time of the kill. */
    State last() {
        return acknowledged.lastEntry().getValue();
    }

    SimulatedDisk copy() {
        return disk.afterCrash();
    }

    DiskSettings settings() {
        return settings;
    }

    /**
     * Opens a copy as the next process would, up to where it begins to make decisions; closes it.
     */
    State open(SimulatedDisk damaged) throws IOException {
        try (var store = new DiskStore(damaged, DIRECTORY, settings)) {
            var bench = new Workbench(POLITENESS, store);
            var _ = Journal.open(damaged, DIRECTORY, settings, store, bench);
            return stateOf(bench);
        } catch (UncheckedIOException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static State stateOf(Workbench bench) {
        var facts = new long[1];
        var dead = new ArrayList<String>();
        WorkbenchInspector.describe(
                bench,
                event -> {
                    switch (event) {
                        case FrontierEvent.Seen(var job, var keys) ->
                                keys.forEach( // They have no order.
                                        key ->
                                                facts[0] +=
                                                        (job + 1)
                                                                * SeenTable.checksumOf(
                                                                        key.high(), key.low()));
                        case FrontierEvent.DeadLetterState(var url, var _) ->
                                dead.add(url.url().url().text());
                        default -> facts[0] = mix(facts[0]) + event.hashCode();
                    }
                });
        return new State(facts[0], dead);
    }

    private static long mix(long value) {
        return (value ^ (value >>> 31)) * 0x9E3779B97F4A7C15L;
    }
}
