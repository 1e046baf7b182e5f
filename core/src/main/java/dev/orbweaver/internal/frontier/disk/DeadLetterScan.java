package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Decides which dead letters of a log still count.
 *
 * <p>The log only grows: if a letter is requeued, or its job deleted, a record of that follows. So
 * the log is read twice, first for these records, then for the letters. A URL may be requeued,
 * fail, and be requeued again, but has at most one letter at a time. So if it was requeued n times,
 * its first n letters are invalid.
 */
final class DeadLetterScan {

    /** Reads a log from its start; it must have the same content when it is read again. */
    interface DeadLetterSource {
        void read(Frames.Reader out) throws IOException;
    }

    private record Key(int job, Fingerprint url) {}

    private final Map<Key, Integer> requeued = new HashMap<>();
    private final Map<Integer, Integer> deletions = new HashMap<>();

    private DeadLetterScan() {}

    static void read(DeadLetterSource deadLetterSource, BiConsumer<QueuedUrl, FailureCause> action)
            throws IOException {
        var deadLetterScan = new DeadLetterScan();
        deadLetterSource.read(deadLetterScan::collectVoided);
        deadLetterSource.read(event -> deadLetterScan.deliver(event, action));
    }

    private void collectVoided(FrontierEvent event) {
        if (event instanceof FrontierEvent.Requeued(var url, _, _)) {
            requeued.merge(keyOf(url), 1, Integer::sum);
        } else if (event instanceof FrontierEvent.JobDeleted(var job, _)) {
            deletions.merge(job, 1, Integer::sum);
            requeued.keySet().removeIf(key -> key.job == job);
        }
    }

    private void deliver(FrontierEvent event, BiConsumer<QueuedUrl, FailureCause> action) {
        if (event instanceof FrontierEvent.JobDeleted(var job, _)) {
            deletions.computeIfPresent(job, (_, left) -> left == 1 ? null : left - 1);
        } else if (event instanceof FrontierEvent.DeadLetterState(var url, var cause)
                && !deletions.containsKey(url.url().job())
                && !isVoid(keyOf(url))) {
            action.accept(url, cause);
        }
    }

    private boolean isVoid(Key key) {
        if (!requeued.containsKey(key)) {
            return false;
        }
        requeued.computeIfPresent(key, (_, left) -> left == 1 ? null : left - 1);
        return true;
    }

    private static Key keyOf(QueuedUrl url) {
        return new Key(url.url().job(), url.url().url().key());
    }
}
