package dev.orbweaver.frontier;

import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Refusal;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The frontier's counters, from which its ledger is drawn. */
@SuppressWarnings(
        "EnumOrdinal") // Counts by reason; the snapshot keeps them in the order of the constants.
final class Tally {

    private final long[] refused = new long[Refusal.values().length];
    private final Map<FailureCause, Long> dead = new EnumMap<>(FailureCause.class);
    long duplicates;
    long accepted;
    long queued;
    long leased;
    long done;
    long withdrawn;
    long pages;
    long bytes;

    void refuse(Refusal why, long count) {
        refused[why.ordinal()] += count;
    }

    void bury(FailureCause cause) {
        dead.merge(cause, 1L, Long::sum);
    }

    Ledger ledger() {
        // A withdrawn URL was accepted first, so only what was turned away at the door counts as
        // refused here.
        var atTheDoor = Arrays.stream(refused).sum() - withdrawn;
        return new Ledger(
                duplicates + atTheDoor + accepted,
                duplicates,
                atTheDoor,
                accepted,
                queued,
                leased,
                done,
                dead.values().stream().mapToLong(Long::longValue).sum(),
                withdrawn,
                pages,
                bytes);
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
        return new EnumMap<>(dead);
    }

    List<Long> refused() {
        return Arrays.stream(refused).boxed().toList();
    }

    /** Takes over what a snapshot saved; what is queued, leased and dead counts itself. */
    void restore(FrontierEvent.Counters saved) {
        duplicates = saved.duplicates();
        accepted = saved.accepted();
        done = saved.done();
        withdrawn = saved.withdrawn();
        pages = saved.pages();
        bytes = saved.bytes();
        for (var i = 0; i < saved.refused().size(); i++) {
            refused[i] = saved.refused().get(i);
        }
    }
}
