package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.FrontierStore;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.frontier.SeenSet;
import dev.orbweaver.internal.frontier.SegmentStore;
import dev.orbweaver.internal.frontier.Workbench;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The files beside journal and snapshot: seen keys, segments, dead letters. A snapshot names the
 * valid files, with their content, and the journal later segments; all other files are left over
 * from a crash.
 */
final class DiskStore implements FrontierStore, AutoCloseable {

    private static final String SEEN = "seen-";
    private static final String SEGMENT = "segment-";
    private static final int JOURNAL_BYTES_PER_URL = 100;

    private final Disk disk;
    private final Path directory;
    private final DiskSettings settings;
    private final SortedMap<Integer, DiskSeenSet> seen = new TreeMap<>();
    private final DiskSegmentStore diskSegmentStore;
    private final SegmentCompactor segmentCompactor;
    private List<FrontierEvent.FileState> snapshotFiles = new ArrayList<>();

    /** Jobs whose keys the opened snapshot names: the snapshot may have to be read again. */
    private final Set<Integer> jobsInSnapshot = new HashSet<>();

    private @Nullable DeadLetterLog deadLetterLog;

    DiskStore(Disk disk, Path directory, DiskSettings settings) {
        this.disk = disk;
        this.directory = directory;
        this.settings = settings;
        this.diskSegmentStore = new DiskSegmentStore(disk, directory);
        this.segmentCompactor = new SegmentCompactor(diskSegmentStore, settings.backgroundMerge());
    }

    @Override
    public void restoreFile(FrontierEvent.FileState file) {
        snapshotFiles.add(file);
    }

    @Override
    public void snapshotRead() {
        try {
            var letters = new FrontierEvent.FileState(DeadLetterLog.NAME, 0, 0, 0);
            for (var file : snapshotFiles) {
                var name = file.name();
                if (name.startsWith(SEEN)) {
                    var job = Integer.parseInt(name, SEEN.length(), name.indexOf('.'), 10);
                    seen.put(
                            job,
                            DiskSeenSet.open(disk, directory, job, settings.minTableKeys(), file));
                    jobsInSnapshot.add(job);
                } else if (name.startsWith(SEGMENT)) {
                    diskSegmentStore.add(
                            Long.parseLong(name.substring(SEGMENT.length())), file.count());
                } else if (name.equals(DeadLetterLog.NAME)) {
                    letters = file;
                } else {
                    throw new IOException("the snapshot names a file of unknown type: " + name);
                }
            }
            seen.values().forEach(DiskSeenSet::commit);
            deadLetterLog = DeadLetterLog.open(disk, directory, letters);
            snapshotFiles = new ArrayList<>();
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    /** Checks the files after the journal has been replayed. */
    void check() throws IOException {
        for (var keys : seen.values()) {
            keys.check();
        }
        deleteAllBut(referencedFiles());
    }

    @Override
    public FingerprintKey fingerprintKey() {
        return settings.urls().key();
    }

    @Override
    public SeenSet seen(int job) {
        return seen.computeIfAbsent(
                job, _ -> DiskSeenSet.create(disk, directory, job, settings.minTableKeys()));
    }

    @Override
    public SegmentStore segmentStore() {
        return diskSegmentStore;
    }

    @Override
    public CrawlUrl url(String text) {
        return settings.urls()
                .parse(text)
                .orElseThrow(
                        () -> new IllegalStateException("stored URL cannot be parsed: " + text));
    }

    private DeadLetterLog deadLetterLog() {
        if (deadLetterLog == null) {
            throw new IllegalStateException("the store was not opened");
        }
        return deadLetterLog;
    }

    @Override
    public void addDeadLetter(QueuedUrl url, FailureCause cause) {
        deadLetterLog().add(new FrontierEvent.DeadLetterState(url, cause));
    }

    @Override
    public void removeDeadLetter(FrontierEvent.Requeued letter) {
        deadLetterLog().add(letter);
    }

    @Override
    public void forEachDeadLetter(BiConsumer<QueuedUrl, FailureCause> action) {
        deadLetterLog().forEach(action);
    }

    @Override
    public void deleteJob(int job) {
        // A later job with the same number must not inherit its dead letters.
        deadLetterLog().add(new FrontierEvent.JobDeleted(job, 0));
        var keys = seen.remove(job);
        if (keys != null) {
            keys.close(); // Its files are deleted once no snapshot names them.
        }
    }

    /** Writes the buffer to a segment, which is added once the journal has it. */
    long writeBuffer(Workbench bench) throws IOException {
        return diskSegmentStore.writeBuffer(bench);
    }

    void discard(long segment) throws IOException {
        diskSegmentStore.discard(segment);
    }

    @Override
    public void addSegment(long segment) {
        diskSegmentStore.append(segment);
    }

    /** Compacts segments and passes the file states that a snapshot must contain. */
    void writeSnapshotFiles(Workbench bench, Consumer<FrontierEvent> out) throws IOException {
        segmentCompactor.compact(bench);
        for (var job : seen.entrySet()) {
            job.getValue().writeSnapshot(job.getKey(), out);
        }
        for (var segment : diskSegmentStore.segments()) {
            out.accept(
                    new FrontierEvent.FileState(SEGMENT + segment.number, 0, segment.remaining, 0));
        }
        out.accept(deadLetterLog().sync());
    }

    /** Returns the average in the segments; before there are any, the one in the journal. */
    @Override
    public int bytesPerUrl() {
        var urls = 0L;
        var bytes = 0L;
        for (var segment : diskSegmentStore.segments()) {
            urls += segment.urls;
            bytes += segment.bytes().byteSize();
        }
        return urls == 0 ? JOURNAL_BYTES_PER_URL : (int) (1 + bytes / urls);
    }

    /** Stops compaction: the next snapshot is the last, and must name every file. */
    void stopCompaction() {
        segmentCompactor.close();
    }

    /** Deletes the files that the snapshot just taken does not name. */
    void deleteUnreferenced() throws IOException {
        jobsInSnapshot.clear();
        deleteAllBut(referencedFiles());
    }

    private void deleteAllBut(Set<Path> known) throws IOException {
        for (var path : disk.list(directory)) {
            var name = path.getFileName().toString();
            if (name.matches("(seen|segment)-.*") && !known.contains(path)) {
                disk.delete(path);
            }
        }
    }

    private Set<Path> referencedFiles() {
        var known = new HashSet<Path>();
        seen.keySet().forEach(job -> addFiles(job, known));
        jobsInSnapshot.forEach(job -> addFiles(job, known));
        diskSegmentStore.segments().forEach(segment -> addFiles(segment.number, known));
        segmentCompactor.runningSegment().ifPresent(number -> addFiles(number, known));
        return known;
    }

    private void addFiles(int job, Set<Path> known) {
        known.add(DiskSeenSet.logFile(directory, job));
        known.add(DiskSeenSet.tableFile(directory, job));
    }

    private void addFiles(long number, Set<Path> known) {
        var file = Segment.file(directory, number);
        known.add(file);
        known.add(Segment.indexOf(file));
    }

    @Override
    public void close() {
        segmentCompactor.close();
        seen.values().forEach(DiskSeenSet::close);
        diskSegmentStore.close();
        if (deadLetterLog != null) {
            deadLetterLog.close();
        }
    }
}
