package dev.orbweaver.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.url.FingerprintKey;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** Keeps everything in memory. */
final class MemoryStore implements Store {

    private record Grave(FrontierEvent.Restored url, FailureCause cause) {}

    private final Map<Integer, SeenSet> seen = new HashMap<>();
    private final List<Grave> dead = new ArrayList<>();

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
        dead.add(new Grave(url, cause));
    }

    @Override
    public void revive(FrontierEvent.Revived letter) {
        var facts = letter.url().url();
        dead.removeIf(
                grave ->
                        grave.url.url().job() == facts.job()
                                && grave.url.url().url().key().equals(facts.url().key()));
    }

    @Override
    public void dead(BiConsumer<FrontierEvent.Restored, FailureCause> action) {
        dead.forEach(grave -> action.accept(grave.url, grave.cause));
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
        dead.removeIf(grave -> grave.url.url().job() == job);
    }
}
