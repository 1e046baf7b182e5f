package dev.orbweaver.frontier.disk;

import dev.orbweaver.disk.Disk;
import dev.orbweaver.frontier.FrontierEvent;
import dev.orbweaver.frontier.SeenSet;
import dev.orbweaver.frontier.Shelf;
import dev.orbweaver.frontier.Store;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.url.FingerprintKey;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Somebody else's files, only looked at: enough to replay a journal for its figures and its dead
 * letters. Those of the last snapshot are in their log up to its mark, which whoever works there
 * only ever adds to; those since come out of the journal and are kept here.
 */
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

    private final Disk disk;
    private final Path folder;
    private final Shelves shelves;
    private final DiskSettings settings;
    private final int bytesMax;
    private final EventWriter since = new EventWriter().reserve(Frames.FRAME_HEAD);
    private long deadMark;
    private long unkept;

    /**
     * A look at a folder.
     *
     * @param bytesMax how many bytes of dead letters since the last snapshot are kept
     */
    PeekStore(Disk disk, Path folder, DiskSettings settings, int bytesMax) {
        this.disk = disk;
        this.folder = folder;
        this.shelves = new Shelves(disk, folder);
        this.settings = settings;
        this.bytesMax = bytesMax;
    }

    @Override
    public FingerprintKey fingerprintKey() {
        return settings.urls().key();
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
    public void bury(FrontierEvent.Restored url, FailureCause cause) {
        if (since.length() < bytesMax) {
            since.write(new FrontierEvent.Buried(url, cause));
        } else {
            unkept++;
        }
    }

    @Override
    public void revive(FrontierEvent.Revived letter) {
        if (bytesMax > 0) {
            since.write(letter);
        }
    }

    @Override
    public void dead(BiConsumer<FrontierEvent.Restored, FailureCause> action) {
        try {
            Graves.read(
                    out -> {
                        if (deadMark > 0) {
                            var _ = DeadLog.read(disk, folder.resolve(DeadLog.NAME), deadMark, out);
                        }
                        DeadLog.waiting(since, out);
                    },
                    action);
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    /** How many dead letters were too many to be kept. */
    long unkept() {
        return unkept;
    }

    @Override
    public void filed(FrontierEvent.Filed file) {
        if (file.name().equals(DeadLog.NAME)) {
            deadMark = file.length();
        } else if (file.name().startsWith(SEGMENT)) {
            try {
                shelves.add(Long.parseLong(file.name().substring(SEGMENT.length())), file.count());
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
        }
    }

    @Override
    public void shelved(long segment) {
        shelves.shelved(segment);
    }

    @Override
    public int bytesPerUrl() {
        return 0;
    }

    @Override
    public void begin() {}

    @Override
    public void deleteJob(int job) {
        if (bytesMax > 0) {
            since.write(new FrontierEvent.JobDeleted(job, 0));
        }
    }

    @Override
    public void close() {
        shelves.close();
    }
}
