package dev.orbweaver.frontier.redis;

import dev.orbweaver.frontier.FrontierEvent;
import dev.orbweaver.frontier.SeenSet;
import dev.orbweaver.frontier.Shelf;
import dev.orbweaver.frontier.Store;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.url.FingerprintKey;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The store of a workbench that has everything on loan: the fleet keeps what grows, so all there is
 * to do here is to say who was given up.
 */
record LoanStore(BiConsumer<FrontierEvent.Restored, FailureCause> buried) implements Store {

    /** Whatever is here was seen. */
    private static final SeenSet SEEN =
            new SeenSet() {
                @Override
                public boolean contains(Fingerprint key) {
                    return true;
                }

                @Override
                public void add(Fingerprint key) {
                    throw new IllegalStateException("nothing is taken in here");
                }

                @Override
                public void commit() {}

                @Override
                public long size() {
                    return 0;
                }

                @Override
                public void forEach(Consumer<Fingerprint> action) {}
            };

    @Override
    public FingerprintKey fingerprintKey() {
        throw new IllegalStateException("the fleet has the key");
    }

    @Override
    public SeenSet seen(int job) {
        return SEEN;
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
        buried.accept(url, cause);
    }

    @Override
    public void revive(FrontierEvent.Revived letter) {
        throw new IllegalStateException("no letters are kept here");
    }

    @Override
    public void dead(BiConsumer<FrontierEvent.Restored, FailureCause> action) {}

    @Override
    public void filed(FrontierEvent.Filed file) {
        throw new IllegalStateException("there are no files: " + file);
    }

    @Override
    public void begin() {}

    @Override
    public void shelved(long segment) {
        throw new IllegalStateException("there is no segment " + segment);
    }

    @Override
    public int bytesPerUrl() {
        return 100;
    }

    @Override
    public void deleteJob(int job) {}
}
