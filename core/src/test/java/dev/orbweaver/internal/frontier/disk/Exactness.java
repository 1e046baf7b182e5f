package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.model.Hop;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

/**
 * Offers random URLs, many of them repeatedly, to a frontier on disk and to an oracle, then leases
 * all of them. The results of every batch must equal those of the oracle; every URL must be leased
 * once.
 *
 * <p>The oracle has a bit for each number from which a URL can be made, set when it was offered.
 * Each number makes a different URL, so it is a set of URLs, and as exact as a hash set.
 */
public final class Exactness {

    private static final int BATCH = 1000;
    private static final Politeness POLITENESS =
            new Politeness(Duration.ZERO, Duration.ZERO, Duration.ZERO, 500, Duration.ofHours(10));

    private final Path directory;
    private final DiskSettings settings;
    private final int numbers;
    private final int hosts;
    private final Random random;
    private final BitSet offered = new BitSet();
    private final BitSet taken = new BitSet();
    private TestFrontier frontier;
    private Instant now = Instant.parse("2030-01-01T00:00:00Z");
    private long accepted;
    private long duplicates;
    private long lost;
    private long doubled;
    private int opened;

    /** Creates a run with this many numbers, in an empty directory. */
    public Exactness(Path directory, DiskSettings settings, int numbers, int hosts, long seed)
            throws IOException {
        this.directory = directory;
        this.settings = settings;
        this.numbers = numbers;
        this.hosts = hosts;
        this.random = new Random(seed);
        this.frontier = open();
    }

    private TestFrontier open() throws IOException {
        opened++;
        return TestFrontier.open(new RealDisk(), directory, POLITENESS, settings, now);
    }

    /**
     * Returns URLs that the oracle has seen and the frontier wrongly called duplicates, or never
     * leased.
     */
    public long lost() {
        return lost;
    }

    /** Returns URLs that the frontier accepted or leased more than once. */
    public long doubled() {
        return doubled;
    }

    /** Returns the number of accepted URLs. */
    public long accepted() {
        return accepted;
    }

    /** Returns the number of offers rejected as duplicates. */
    public long duplicates() {
        return duplicates;
    }

    /** Returns how often the frontier was opened. */
    public int opened() {
        return opened;
    }

    /** Returns the text of a number's URL; the number is its suffix. */
    private String text(int number) {
        var host = Integer.remainderUnsigned(number * 0x9E3779B9, hosts);
        return "http://www.host%d.example/section/%d/item-%d".formatted(host, number % 97, number);
    }

    private static int number(String text) {
        return Integer.parseInt(text, text.lastIndexOf('-') + 1, text.length(), 10);
    }

    /** Offers this many random URLs. */
    public void offer(long offers) {
        for (var left = offers; left > 0; left -= BATCH) {
            var candidates = new ArrayList<Candidate>(BATCH);
            var fresh = 0;
            var size = (int) Math.min(left, BATCH);
            for (var i = 0; i < size; i++) {
                var number = random.nextInt(numbers);
                if (!offered.get(number)) {
                    offered.set(number);
                    fresh++;
                }
                var url = settings.urls().parse(text(number)).orElseThrow();
                candidates.add(new Candidate(url, Hop.LINK, number % 7, 0));
            }
            frontier.offer(TestFrontier.JOB, candidates, now);
            judge(fresh, size - fresh);
        }
    }

    private void judge(int fresh, int known) {
        var ledger = frontier.ledger();
        var more = ledger.accepted() - accepted;
        lost += Math.max(0, fresh - more);
        doubled += Math.max(0, more - fresh);
        accepted = ledger.accepted();
        duplicates += known;
        if (ledger.duplicate() != duplicates) {
            throw new IllegalStateException(
                    "%d duplicates, not %d".formatted(ledger.duplicate(), duplicates));
        }
    }

    /**
     * Continues as the next process would: after a kill of this one or, if one of its threads would
     * survive, after a regular close.
     */
    public void reopen() throws IOException {
        if (settings.backgroundMerge()) {
            frontier.close();
        }
        frontier = open();
    }

    /** Leases everything; URLs that were never leased are lost. */
    public void takeAll() {
        for (var leases = frontier.lease(BATCH, now);
                !leases.isEmpty();
                leases = frontier.lease(BATCH, now)) {
            var settlements = new ArrayList<Settlement>();
            for (var lease : leases) {
                take(lease);
                settlements.add(
                        Settlement.of(
                                lease, new Outcome.Done(true, 1), new HostSignal.NoRequest()));
            }
            if (frontier.settle(new CommitBatch(settlements, List.of()), now) > 0) {
                throw new IllegalStateException("a lease was lost");
            }
        }
        var missing = (BitSet) offered.clone();
        missing.andNot(taken);
        lost += missing.cardinality();
    }

    private void take(Lease lease) {
        var number = number(lease.url().text());
        if (taken.get(number) || !offered.get(number)) {
            doubled++;
        }
        taken.set(number);
    }

    /** Closes the last process regularly. */
    public void close() {
        frontier.close();
    }
}
