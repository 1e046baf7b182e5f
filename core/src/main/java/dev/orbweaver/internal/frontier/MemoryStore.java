package dev.orbweaver.internal.frontier;

import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;

final class MemoryStore implements FrontierStore {

    private record DeadKey(int job, Fingerprint url) {

        static DeadKey of(QueuedUrl url) {
            return new DeadKey(url.url().job(), url.url().url().key());
        }
    }

    private record Dead(QueuedUrl url, FailureCause cause) {}

    private final Map<Integer, SeenSet> seen = new HashMap<>();

    /** Dead letters by URL, so that requeueing many needs no search; ordered by time of death. */
    private final Map<DeadKey, Dead> dead = new LinkedHashMap<>();

    @Override
    public FingerprintKey fingerprintKey() {
        return FingerprintKey.PUBLIC;
    }

    @Override
    public SeenSet seen(int job) {
        return seen.computeIfAbsent(job, _ -> new FingerprintSet());
    }

    @Override
    public SegmentStore segmentStore() {
        return SegmentStore.NONE;
    }

    @Override
    public CrawlUrl url(String text) {
        throw new IllegalStateException("a frontier in memory flushes no URLs: " + text);
    }

    @Override
    public void addDeadLetter(QueuedUrl url, FailureCause cause) {
        dead.put(DeadKey.of(url), new Dead(url, cause));
    }

    @Override
    public void removeDeadLetter(FrontierEvent.Requeued letter) {
        dead.remove(DeadKey.of(letter.url()));
    }

    @Override
    public void forEachDeadLetter(BiConsumer<QueuedUrl, FailureCause> action) {
        dead.values().forEach(letter -> action.accept(letter.url, letter.cause));
    }

    @Override
    public void restoreFile(FrontierEvent.FileState file) {
        throw new IllegalStateException("a frontier in memory has no files: " + file);
    }

    @Override
    public void addSegment(long segment) {
        throw new IllegalStateException("a frontier in memory has no segment " + segment);
    }

    @Override
    public int bytesPerUrl() {
        return 100;
    }

    @Override
    public void snapshotRead() {}

    @Override
    public void deleteJob(int job) {
        seen.remove(job);
        dead.keySet().removeIf(key -> key.job == job);
    }
}
