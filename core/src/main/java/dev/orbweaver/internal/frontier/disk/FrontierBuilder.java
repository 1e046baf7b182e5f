package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.frontier.AcceptedUrl;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.FingerprintSet;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.IntakeLimits;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.Priority;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.frontier.Workbench;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Refusal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds a new frontier from the states of URLs, job by job.
 *
 * <p>For each job the settled URLs must be added first, then the waiting ones: a URL that was added
 * before is a duplicate. The result is a regular frontier directory with a snapshot and an empty
 * journal.
 */
@SuppressWarnings("EnumOrdinal") // Counters are indexed by ordinal.
public final class FrontierBuilder implements AutoCloseable {

    private static final int EVENTS_PER_FRAME = 1000;
    private static final int KEYS_PER_EVENT = 4096;

    private final DiskStore store;
    private final Workbench bench;
    private final Journal journal;
    private final List<Fingerprint> keys = new ArrayList<>();

    /** Keys that are not in the store yet. */
    private final FingerprintSet unwritten = new FingerprintSet();

    private final long[] refused = new long[Refusal.values().length];
    private final Map<String, Long> matching = new HashMap<>();
    private IntakeLimits limits = IntakeLimits.NONE;
    private int job;
    private int events;
    private long done;
    private long pages;
    private long bytes;
    private long withdrawn;
    private long dead;
    private long queued;

    private FrontierBuilder(DiskStore store, Workbench bench, Journal journal) {
        this.store = store;
        this.bench = bench;
        this.journal = journal;
    }

    /** Creates a builder in an empty directory. */
    public static FrontierBuilder begin(
            Disk disk, Path directory, Politeness politeness, DiskSettings settings)
            throws IOException {
        var store = new DiskStore(disk, directory, settings);
        var bench = new Workbench(politeness, store);
        var journal = Journal.open(disk, directory, settings, store, bench);
        return new FrontierBuilder(store, bench, journal);
    }

    /**
     * Starts a job; all further calls belong to it.
     *
     * @param intake its limits of matching URLs apply to the URLs that are queued
     */
    public void startJob(int number, IntakeLimits intake) {
        job = number;
        limits = intake;
        matching.clear();
        Arrays.fill(refused, 0);
        done = 0;
        pages = 0;
        bytes = 0;
        withdrawn = 0;
        dead = 0;
        queued = 0;
        record(counters()); // Registers the job.
    }

    private void record(FrontierEvent event) {
        bench.apply(event);
        journal.append(event);
        if (++events % EVENTS_PER_FRAME == 0) {
            commit();
        }
    }

    private void commit() {
        try {
            journal.commit().requireStored();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public boolean contains(CrawlUrl url) {
        return unwritten.contains(url.key()) || store.seen(job).contains(url.key());
    }

    public void done(CrawlUrl url, boolean page, long size) {
        if (addSettled(url)) {
            done++;
            pages += page ? 1 : 0;
            bytes += size;
        }
    }

    public void withdrawn(CrawlUrl url, Refusal why) {
        if (addSettled(url)) {
            withdrawn++;
            refused[why.ordinal()]++;
        }
    }

    public void dead(QueuedUrl url, FailureCause cause) {
        if (addSettled(url.url().url())) {
            dead++;
            record(new FrontierEvent.DeadLetterState(url, cause));
        }
    }

    private boolean addSettled(CrawlUrl url) {
        if (contains(url)) {
            return false;
        }
        unwritten.add(url.key());
        keys.add(url.key());
        countMatching(url);
        if (keys.size() == KEYS_PER_EVENT) {
            writeKeys();
        }
        return true;
    }

    private void writeKeys() {
        if (!keys.isEmpty()) {
            record(new FrontierEvent.Seen(job, List.copyOf(keys)));
            keys.clear();
            unwritten.clear();
        }
    }

    /** Ends the settled URLs and computes the counters from them. */
    public void finishSettled() {
        writeKeys();
        record(counters());
    }

    private FrontierEvent.CountersState counters() {
        return new FrontierEvent.CountersState(
                job,
                0,
                done + withdrawn + dead,
                done,
                withdrawn,
                pages,
                bytes,
                Arrays.stream(refused).boxed().toList(),
                List.of());
    }

    /** Adds a seed, for the scope; also queues it unless it is settled. */
    public void addSeed(CrawlUrl url) {
        record(new FrontierEvent.Seed(job, url));
    }

    public void addHostStates(Collection<FrontierEvent> states) {
        states.forEach(this::record);
    }

    public void addCommittedLength(CommittedLength mark) {
        record(new FrontierEvent.LengthCommitted(mark));
    }

    public void addRefused(Map<Refusal, Integer> counts) {
        counts.forEach((why, count) -> record(new FrontierEvent.LinksRefused(job, why, count)));
    }

    private void countMatching(CrawlUrl url) {
        limits.matching(url).forEach(limit -> matching.merge(limit.name(), 1L, Long::sum));
    }

    /** Ends a job: records how many of its URLs match each limited condition. */
    public void finishJob() {
        matching.forEach(
                (name, count) -> record(new FrontierEvent.MatchingAccepted(job, name, count)));
    }

    /** Queues a URL, unless it was added before or is over a limit of matching URLs. */
    public void enqueue(Candidate candidate, CaptureRef parent, Instant foundAt) {
        if (contains(candidate.url())) {
            return;
        }
        if (limits.matching(candidate.url()).stream()
                .anyMatch(limit -> matching.getOrDefault(limit.name(), 0L) >= limit.max())) {
            record(new FrontierEvent.LinksRefused(job, Refusal.MATCH_LIMIT, 1));
            return;
        }
        queued++;
        countMatching(candidate.url());
        record(
                new FrontierEvent.Accepted(
                        new AcceptedUrl(
                                job,
                                candidate.url(),
                                candidate.hop(),
                                candidate.depth(),
                                candidate.hops(),
                                parent,
                                Priority.rank(Priority.score(candidate, 0)),
                                foundAt.toEpochMilli())));
    }

    public long queued() {
        return queued;
    }

    public long dead() {
        return dead;
    }

    public long done() {
        return done;
    }

    /** Writes the snapshot. */
    @Override
    public void close() {
        journal.close();
    }
}
