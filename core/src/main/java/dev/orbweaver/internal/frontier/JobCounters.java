package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** A job's counters, from which its ledger is computed. */
@SuppressWarnings(
        "EnumOrdinal") // Counts by reason; the snapshot stores them in the order of the constants.
final class JobCounters {

    private final long[] refused = new long[Refusal.values().length];
    private final long[] dead = new long[FailureCause.values().length];
    long duplicates;
    long accepted;
    long queued;
    long leased;
    long done;
    long withdrawn;
    long pages;
    long bytes;

    void addRefused(Refusal why, long count) {
        refused[why.ordinal()] += count;
    }

    void addDead(FailureCause cause) {
        dead[cause.ordinal()]++;
    }

    void removeDead(FailureCause cause) {
        dead[cause.ordinal()]--;
    }

    void add(JobCounters other) {
        duplicates += other.duplicates;
        accepted += other.accepted;
        queued += other.queued;
        leased += other.leased;
        done += other.done;
        withdrawn += other.withdrawn;
        pages += other.pages;
        bytes += other.bytes;
        Arrays.setAll(refused, i -> refused[i] + other.refused[i]);
        Arrays.setAll(dead, i -> dead[i] + other.dead[i]);
    }

    Ledger ledger() {
        // A withdrawn URL was accepted first, so only URLs refused at offer count as refused here.
        var refusedAtOffer = sum(refused) - withdrawn;
        return new Ledger(
                duplicates + refusedAtOffer + accepted,
                duplicates,
                refusedAtOffer,
                accepted,
                queued,
                leased,
                done,
                sum(dead),
                withdrawn,
                pages,
                bytes);
    }

    private static long sum(long[] counts) {
        var sum = 0L;
        for (var count : counts) {
            sum += count;
        }
        return sum;
    }

    Map<Refusal, Long> refusedByReason() {
        var byReason = new EnumMap<Refusal, Long>(Refusal.class);
        for (var why : Refusal.values()) {
            if (refused[why.ordinal()] > 0) {
                byReason.put(why, refused[why.ordinal()]);
            }
        }
        return byReason;
    }

    Map<FailureCause, Long> deadByCause() {
        var byCause = new EnumMap<FailureCause, Long>(FailureCause.class);
        for (var cause : FailureCause.values()) {
            if (dead[cause.ordinal()] > 0) {
                byCause.put(cause, dead[cause.ordinal()]);
            }
        }
        return byCause;
    }

    FrontierEvent.CountersState toState(int job) {
        return new FrontierEvent.CountersState(
                job,
                duplicates,
                accepted,
                done,
                withdrawn,
                pages,
                bytes,
                list(refused),
                list(dead));
    }

    private static List<Long> list(long[] counts) {
        return Arrays.stream(counts).boxed().toList();
    }

    /**
     * Restores the counters of a snapshot; queued and leased URLs are counted as they are restored.
     */
    void restore(FrontierEvent.CountersState saved) {
        duplicates = saved.duplicates();
        accepted = saved.accepted();
        done = saved.done();
        withdrawn = saved.withdrawn();
        pages = saved.pages();
        bytes = saved.bytes();
        copy(saved.refused(), refused);
        copy(saved.dead(), dead);
    }

    /**
     * Copies counts. Constants are only ever added at the end, so an older list is a shorter one.
     */
    private static void copy(List<Long> from, long[] to) {
        for (var i = 0; i < from.size(); i++) {
            to[i] = from.get(i);
        }
    }
}
