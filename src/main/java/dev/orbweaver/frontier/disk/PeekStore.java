package dev.orbweaver.frontier.disk;

import dev.orbweaver.disk.Disk;
import dev.orbweaver.frontier.FrontierEvent;
import dev.orbweaver.frontier.SeenSet;
import dev.orbweaver.frontier.Shelf;
import dev.orbweaver.frontier.Store;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Somebody else's files, only looked at: enough to replay a journal for its figures. */
final class PeekStore implements Store, AutoCloseable {

    private static final String SEGMENT = "segment-";

    /** Whoever looks on decides nothing, so nobody asks it what was seen. */
    private static final SeenSet UNSEEN =
            new SeenSet() {
                @Override
                public boolean contains(Fingerprint key) {
                    return false;
                }

                @Override
                public void add(Fingerprint key) {}

                @Override
                public void commit() {}

                @Override
                public long size() {
                    return 0;
                }

                @Override
                public void forEach(Consumer<Fingerprint> action) {}
            };

    private final Shelves shelves;
    private final DiskSettings settings;

    PeekStore(Disk disk, Path folder, DiskSettings settings) {
        this.shelves = new Shelves(disk, folder);
        this.settings = settings;
    }

    @Override
    public SeenSet seen(int job) {
        return UNSEEN;
    }

    @Override
    public Shelf shelf() {
        return shelves;
    }

    @Override
    public CrawlUrl url(String text) {
        return settings.urls().parse(text).orElseThrow();
    }

    @Override
    public void bury(FrontierEvent.Restored url, FailureCause cause) {}

    @Override
    public void dead(BiConsumer<FrontierEvent.Restored, FailureCause> action) {}

    @Override
    public void filed(FrontierEvent.Filed file) {
        if (file.name().startsWith(SEGMENT)) {
            try {
                shelves.add(Long.parseLong(file.name().substring(SEGMENT.length())), file.count());
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
        }
    }

    @Override
    public int bytesPerUrl() {
        return 0;
    }

    @Override
    public void begin() {}

    @Override
    public void deleteJob(int job) {}

    @Override
    public void close() {
        shelves.close();
    }
}
