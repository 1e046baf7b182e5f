package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.FrontierStore;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.frontier.SeenSet;
import dev.orbweaver.internal.frontier.SegmentStore;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The files of another process's frontier, read only: enough to replay a journal for its statistics
 * and its dead letters.
 *
 * <p>Dead letters up to the last snapshot are read from their log up to the snapshot's length; the
 * other process only appends to it. Later ones are read from the journal and kept in memory.
 */
final class ReadOnlyStore implements FrontierStore, AutoCloseable {

    private static final String SEGMENT = "segment-";

    /** A reader makes no decisions, so the seen set is not needed. */
    private static final SeenSet EMPTY_SEEN_SET =
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
                public void forEach(Consumer<Fingerprint> action) {}
            };

    private final Disk disk;
    private final Path directory;
    private final DiskSegmentStore diskSegmentStore;
    private final DiskSettings settings;
    private final int maxDeadLetterBytes;
    private final EventWriter deadSinceSnapshot = new EventWriter().reserve(Frames.FRAME_HEAD);
    private long deadLogLength;
    private long omitted;

    /**
     * @param bytesMax maximum bytes of dead letters since the last snapshot that are kept
     */
    ReadOnlyStore(Disk disk, Path directory, DiskSettings settings, int bytesMax) {
        this.disk = disk;
        this.directory = directory;
        this.diskSegmentStore = new DiskSegmentStore(disk, directory);
        this.settings = settings;
        this.maxDeadLetterBytes = bytesMax;
    }

    @Override
    public FingerprintKey fingerprintKey() {
        return settings.urls().key();
    }

    @Override
    public SeenSet seen(int job) {
        return EMPTY_SEEN_SET;
    }

    @Override
    public SegmentStore segmentStore() {
        return diskSegmentStore;
    }

    @Override
    public CrawlUrl url(String text) {
        return settings.urls().parse(text).orElseThrow();
    }

    @Override
    public void addDeadLetter(QueuedUrl url, FailureCause cause) {
        if (deadSinceSnapshot.length() < maxDeadLetterBytes) {
            deadSinceSnapshot.write(new FrontierEvent.DeadLetterState(url, cause));
        } else {
            omitted++;
        }
    }

    @Override
    public void removeDeadLetter(FrontierEvent.Requeued letter) {
        if (maxDeadLetterBytes > 0) {
            deadSinceSnapshot.write(letter);
        }
    }

    @Override
    public void forEachDeadLetter(BiConsumer<QueuedUrl, FailureCause> action) {
        try {
            DeadLetterScan.read(
                    out -> {
                        if (deadLogLength > 0) {
                            var _ =
                                    DeadLetterLog.read(
                                            disk,
                                            directory.resolve(DeadLetterLog.NAME),
                                            deadLogLength,
                                            out);
                        }
                        DeadLetterLog.readOpenFrame(deadSinceSnapshot, out);
                    },
                    action);
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    /** Returns how many dead letters exceeded the limit and were not kept. */
    long omitted() {
        return omitted;
    }

    @Override
    public void restoreFile(FrontierEvent.FileState file) {
        if (file.name().equals(DeadLetterLog.NAME)) {
            deadLogLength = file.length();
        } else if (file.name().startsWith(SEGMENT)) {
            try {
                diskSegmentStore.add(
                        Long.parseLong(file.name().substring(SEGMENT.length())), file.count());
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
        }
    }

    @Override
    public void addSegment(long segment) {
        diskSegmentStore.append(segment);
    }

    @Override
    public int bytesPerUrl() {
        return 0;
    }

    @Override
    public void snapshotRead() {}

    @Override
    public void deleteJob(int job) {
        if (maxDeadLetterBytes > 0) {
            deadSinceSnapshot.write(new FrontierEvent.JobDeleted(job, 0));
        }
    }

    @Override
    public void close() {
        diskSegmentStore.close();
    }
}
