package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.frontier.AcceptedUrl;
import dev.orbweaver.internal.frontier.FrontierDamagedException;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.UrlRecordBuffer;
import dev.orbweaver.internal.frontier.Workbench;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Hop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Reads the intact parts of a damaged frontier. Every frame and every run of URLs that matches its
 * checksum is passed as events, wherever it is. The events are valid, but not a complete state:
 * frames in between may be missing.
 */
public final class Salvage {

    private static final Hop[] HOPS = Hop.values();
    private static final String SEGMENT = "segment-";

    /** The job of URLs in a segment whose queue is named by no readable snapshot. */
    private static final int UNKNOWN = -1;

    private final Disk disk;
    private final CrawlUrls urls;
    private final Map<String, Long> lostBytes = new HashMap<>();

    /** The job of each queue that a snapshot names; segments identify queues only by number. */
    private final Map<Integer, Integer> jobs = new HashMap<>();

    private Salvage(Disk disk, CrawlUrls urls) {
        this.disk = disk;
        this.urls = urls;
    }

    /**
     * Returns every problem of a frontier's directory as sentences; empty if it can be opened and
     * every queued URL can be read. It is opened as a crawl would open it.
     */
    public static List<String> problems(
            Disk disk, Path directory, Politeness politeness, DiskSettings settings, Instant now) {
        var problems = new ArrayList<String>();
        try {
            checkReadable(disk, directory, politeness, settings);
            for (var path : files(disk, directory, "segment-\\d+")) {
                checkBlocks(disk, path);
            }
            DiskFrontier.open(disk, directory, politeness, settings, now).close();
        } catch (UncheckedIOException e) {
            problems.add(problem(Objects.requireNonNull(e.getCause())));
        } catch (IOException e) {
            problems.add(problem(e));
        }
        return problems;
    }

    private static String problem(IOException e) {
        return e instanceof FrontierDamagedException damage
                ? damage.problem()
                : String.valueOf(e.getMessage());
    }

    /**
     * Checks without changing anything: bytes that an opening would truncate may still be needed.
     */
    private static void checkReadable(
            Disk disk, Path directory, Politeness politeness, DiskSettings settings)
            throws IOException {
        try (var store = new ReadOnlyStore(disk, directory, settings, 0)) {
            var bench = new Workbench(politeness, store);
            var number = Journal.newestNumber(disk, directory);
            var _ = Journal.read(disk, directory, number, bench, store);
            store.forEachDeadLetter((_, _) -> {});
        }
    }

    private static void checkBlocks(Disk disk, Path file) throws IOException {
        try (var mappedFile = disk.map(file);
                var reader = new UrlBlockReader()) {
            var bytes = mappedFile.bytes();
            for (var at = (long) Segment.HEADER;
                    at < bytes.byteSize();
                    at = UrlBlockReader.next(bytes, at)) {
                reader.open(bytes, at);
            }
        } catch (FrontierDamagedException e) {
            throw e;
        } catch (IOException e) {
            throw Segment.damaged(file, "is damaged (" + e.getMessage() + ")");
        }
    }

    private static List<Path> files(Disk disk, Path directory, String pattern) throws IOException {
        return disk.list(directory).stream()
                .filter(path -> path.getFileName().toString().matches(pattern))
                .sorted(Comparator.comparing(path -> path.getFileName().toString()))
                .toList();
    }

    /**
     * Passes everything that can be read: snapshots, journals, dead letters, then queued URLs of
     * segments as {@link AcceptedUrl}.
     *
     * @return how many bytes could not be read, by file name; undamaged files are not listed
     */
    public static Map<String, Long> read(
            Disk disk, Path directory, CrawlUrls urls, Consumer<FrontierEvent> out)
            throws IOException {
        var salvage = new Salvage(disk, urls);
        for (var kind : List.of("snapshot-\\d+", "journal-\\d+", DeadLetterLog.NAME)) {
            for (var path : files(disk, directory, kind)) {
                salvage.readFrames(path, out);
            }
        }
        for (var path : files(disk, directory, "segment-\\d+")) {
            salvage.readSegment(path, out);
        }
        return salvage.lostBytes;
    }

    private void readFrames(Path path, Consumer<FrontierEvent> out) throws IOException {
        try (var mappedFile = disk.map(path)) {
            var lost =
                    Frames.salvage(
                            mappedFile.bytes(),
                            event -> {
                                if (event instanceof FrontierEvent.QueueState queue) {
                                    jobs.put(queue.id(), queue.job());
                                }
                                out.accept(event);
                            });
            addLostBytes(path, lost);
        }
    }

    private void addLostBytes(Path path, long bytes) {
        if (bytes > 0) {
            lostBytes.put(path.getFileName().toString(), bytes);
        }
    }

    /** Reads a segment. The index identifies the queues of the runs, the snapshot their jobs. */
    private void readSegment(Path path, Consumer<FrontierEvent> out) throws IOException {
        try (var mappedFile = disk.map(path);
                var reader = new UrlBlockReader()) {
            var bytes = mappedFile.bytes();
            var owners = queuesByOffset(path);
            var owner = UNKNOWN;
            var lost = 0L;
            var urlRecord = new UrlRecordBuffer();
            for (var at = (long) Segment.HEADER; at < bytes.byteSize(); ) {
                owner = owners.getOrDefault(at, owner);
                if (isBlock(reader, bytes, at)) {
                    readUrls(reader, urlRecord, jobs.getOrDefault(owner, UNKNOWN), out);
                    at = nextOffset(bytes, at);
                } else {
                    at++;
                    lost++;
                }
            }
            addLostBytes(path, lost);
        }
    }

    private Map<Long, Integer> queuesByOffset(Path path) throws IOException {
        var owners = new HashMap<Long, Integer>();
        var number = Long.parseLong(path.getFileName().toString().substring(SEGMENT.length()));
        var directory = path.getParent();
        try (var segment =
                Segment.open(disk, directory == null ? Path.of("") : directory, number)) {
            for (var entry = 0; entry < segment.entries; entry++) {
                owners.putIfAbsent(segment.offset(entry), segment.key(entry) >>> 2);
            }
        } catch (FrontierDamagedException e) {
            addLostBytes(Segment.indexOf(path), disk.exists(Segment.indexOf(path)) ? 1 : 0);
        }
        return owners;
    }

    private static boolean isBlock(UrlBlockReader reader, MemorySegment bytes, long at) {
        try {
            reader.open(bytes, at);
            return reader.hasNext();
        } catch (IOException | RuntimeException e) {
            return false; // Not a run: the search continues at the next byte.
        }
    }

    private static long nextOffset(MemorySegment bytes, long at) throws IOException {
        return UrlBlockReader.next(bytes, at);
    }

    private void readUrls(
            UrlBlockReader reader,
            UrlRecordBuffer urlRecord,
            int job,
            Consumer<FrontierEvent> out) {
        UrlBlockReader.clear(urlRecord);
        while (reader.hasNext()) {
            reader.next(urlRecord);
            urls.parse(urlRecord.textAsString())
                    .ifPresent(
                            url ->
                                    out.accept(
                                            new FrontierEvent.Accepted(
                                                    new AcceptedUrl(
                                                            job,
                                                            url,
                                                            HOPS[urlRecord.hopOrdinal],
                                                            urlRecord.depth,
                                                            urlRecord.hops,
                                                            AcceptedUrl.parent(urlRecord.parent),
                                                            0,
                                                            urlRecord.foundAt,
                                                            AcceptedUrl.last(urlRecord.parent)))));
        }
    }
}
