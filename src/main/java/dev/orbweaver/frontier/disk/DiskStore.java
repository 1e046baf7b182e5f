package dev.orbweaver.frontier.disk;

import dev.orbweaver.disk.Disk;
import dev.orbweaver.frontier.FrontierEvent;
import dev.orbweaver.frontier.SeenSet;
import dev.orbweaver.frontier.Shelf;
import dev.orbweaver.frontier.Store;
import dev.orbweaver.frontier.Workbench;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.url.FingerprintKey;

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
 * The files beside journal and snapshot: keys seen, segments, dead letters. A snapshot names those
 * that count, with what was in them, and the journal segments since; all else in the folder is
 * rubbish of a crash.
 */
final class DiskStore implements Store, AutoCloseable {

    private static final String SEEN = "seen-";
    private static final String SEGMENT = "segment-";
    private static final int UNSHELVED = 100;

    private final Disk disk;
    private final Path folder;
    private final DiskSettings settings;
    private final SortedMap<Integer, SeenFiles> seen = new TreeMap<>();
    private final Shelves shelves;
    private final Tidying tidying;
    private List<FrontierEvent.Filed> filed = new ArrayList<>();

    /** Jobs whose keys the snapshot that was opened names: it may have to be read once more. */
    private final Set<Integer> named = new HashSet<>();

    private @Nullable DeadLog dead;

    DiskStore(Disk disk, Path folder, DiskSettings settings) {
        this.disk = disk;
        this.folder = folder;
        this.settings = settings;
        this.shelves = new Shelves(disk, folder);
        this.tidying = new Tidying(shelves, settings.background());
    }

    @Override
    public void filed(FrontierEvent.Filed file) {
        filed.add(file);
    }

    @Override
    public void begin() {
        try {
            var letters = new FrontierEvent.Filed(DeadLog.NAME, 0, 0, 0);
            for (var file : filed) {
                var name = file.name();
                if (name.startsWith(SEEN)) {
                    var job = Integer.parseInt(name, SEEN.length(), name.indexOf('.'), 10);
                    seen.put(job, SeenFiles.open(disk, folder, job, settings.tableFrom(), file));
                    named.add(job);
                } else if (name.startsWith(SEGMENT)) {
                    shelves.add(Long.parseLong(name.substring(SEGMENT.length())), file.count());
                } else if (name.equals(DeadLog.NAME)) {
                    letters = file;
                } else {
                    throw new IOException("the snapshot names a file of an unknown kind: " + name);
                }
            }
            seen.values().forEach(SeenFiles::commit);
            dead = DeadLog.open(disk, folder, letters);
            filed = new ArrayList<>();
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    /** The journal has been replayed. */
    void check() throws IOException {
        for (var keys : seen.values()) {
            keys.check();
        }
        deleteAllBut(known());
    }

    @Override
    public FingerprintKey fingerprintKey() {
        return settings.urls().key();
    }

    @Override
    public SeenSet seen(int job) {
        return seen.computeIfAbsent(
                job, _ -> SeenFiles.create(disk, folder, job, settings.tableFrom()));
    }

    @Override
    public Shelf shelf() {
        return shelves;
    }

    @Override
    public CrawlUrl url(String text) {
        return settings.urls()
                .parse(text)
                .orElseThrow(() -> new IllegalStateException("no longer a URL: " + text));
    }

    private DeadLog letters() {
        if (dead == null) {
            throw new IllegalStateException("the store was not begun");
        }
        return dead;
    }

    @Override
    public void bury(FrontierEvent.Restored url, FailureCause cause) {
        letters().add(new FrontierEvent.Buried(url, cause));
    }

    @Override
    public void revive(FrontierEvent.Revived letter) {
        letters().add(letter);
    }

    @Override
    public void dead(BiConsumer<FrontierEvent.Restored, FailureCause> action) {
        letters().forEach(action);
    }

    @Override
    public void deleteJob(int job) {
        // A later job of the same number must not inherit them.
        letters().add(new FrontierEvent.JobDeleted(job, 0));
        var keys = seen.remove(job);
        if (keys != null) {
            keys.close(); // Its files go when a snapshot no longer names them.
        }
    }

    /** Writes the nursery to a segment, to be shelved when the journal says so. */
    long writeNursery(Workbench bench) throws IOException {
        return shelves.write(bench);
    }

    /** Deletes a segment that cannot be shelved after all. */
    void discard(long segment) throws IOException {
        shelves.discard(segment);
    }

    @Override
    public void shelved(long segment) {
        shelves.shelved(segment);
    }

    /** Tidies up and tells what a snapshot must name. */
    void save(Workbench bench, Consumer<FrontierEvent> out) throws IOException {
        tidying.tidy(bench);
        for (var job : seen.entrySet()) {
            job.getValue().save(job.getKey(), out);
        }
        for (var segment : shelves.segments()) {
            out.accept(new FrontierEvent.Filed(SEGMENT + segment.number, 0, segment.remaining, 0));
        }
        out.accept(letters().file());
    }

    /** As in the segments; before there are any, as in the journal. */
    @Override
    public int bytesPerUrl() {
        var urls = 0L;
        var bytes = 0L;
        for (var segment : shelves.segments()) {
            urls += segment.urls;
            bytes += segment.bytes().byteSize();
        }
        return urls == 0 ? UNSHELVED : (int) (1 + bytes / urls);
    }

    /** The next snapshot is the last: nothing is begun that it would not name. */
    void endTidying() {
        tidying.close();
    }

    /** A snapshot has just been taken: deletes what it does not name. */
    void deleteOthers() throws IOException {
        named.clear();
        deleteAllBut(known());
    }

    private void deleteAllBut(Set<Path> known) throws IOException {
        for (var path : disk.list(folder)) {
            var name = path.getFileName().toString();
            if (name.matches("(seen|segment)-.*") && !known.contains(path)) {
                disk.delete(path);
            }
        }
    }

    private Set<Path> known() {
        var known = new HashSet<Path>();
        seen.keySet().forEach(job -> know(job, known));
        named.forEach(job -> know(job, known));
        shelves.segments().forEach(segment -> know(segment.number, known));
        tidying.underWay().ifPresent(number -> know(number, known));
        return known;
    }

    private void know(int job, Set<Path> known) {
        known.add(SeenFiles.logFile(folder, job));
        known.add(SeenFiles.tableFile(folder, job));
    }

    private void know(long number, Set<Path> known) {
        var file = Segment.file(folder, number);
        known.add(file);
        known.add(Segment.indexOf(file));
    }

    @Override
    public void close() {
        tidying.close();
        seen.values().forEach(SeenFiles::close);
        shelves.close();
        if (dead != null) {
            dead.close();
        }
    }
}
