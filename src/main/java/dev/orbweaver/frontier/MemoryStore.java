package dev.orbweaver.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.url.FingerprintKey;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/** Keeps everything in memory. */
final class MemoryStore implements Store {

    private record DeadKey(int job, Fingerprint url) {

        static DeadKey of(FrontierEvent.Restored url) {
            return new DeadKey(url.url().job(), url.url().url().key());
        }
    }

    private record Dead(FrontierEvent.Restored url, FailureCause cause) {}

    private final Map<Integer, SeenSet> seen = new HashMap<>();

    /** By URL, so that taking many back costs no search of the others; in order of death. */
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
    public Shelf shelf() {
        return Shelf.NONE;
    }

    @Override
    public CrawlUrl url(String text) {
        throw new IllegalStateException("nothing is shelved: " + text);
    }

    @Override
    public void bury(FrontierEvent.Restored url, FailureCause cause) {
        dead.put(DeadKey.of(url), new Dead(url, cause));
    }

    @Override
    public void revive(FrontierEvent.Revived letter) {
        dead.remove(DeadKey.of(letter.url()));
    }

    @Override
    public void dead(BiConsumer<FrontierEvent.Restored, FailureCause> action) {
        dead.values().forEach(letter -> action.accept(letter.url, letter.cause));
    }

    @Override
    public void filed(FrontierEvent.Filed file) {
        throw new IllegalStateException("a frontier in memory has no files: " + file);
    }

    @Override
    public void shelved(long segment) {
        throw new IllegalStateException("a frontier in memory has no segment " + segment);
    }

    @Override
    public int bytesPerUrl() {
        return 100;
    }

    @Override
    public void begin() {}

    @Override
    public void deleteJob(int job) {
        seen.remove(job);
        dead.keySet().removeIf(key -> key.job == job);
    }
}
