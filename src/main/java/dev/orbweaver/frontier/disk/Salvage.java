package dev.orbweaver.frontier.disk;

import dev.orbweaver.disk.Disk;
import dev.orbweaver.frontier.FrontierDamagedException;
import dev.orbweaver.frontier.FrontierEvent;
import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.frontier.UrlSlip;
import dev.orbweaver.frontier.Workbench;
import dev.orbweaver.model.Hop;
import dev.orbweaver.url.CrawlUrls;

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
 * Reads what is left of a damaged frontier. Every frame and every run of URLs that matches its
 * checksum is handed on as events, wherever it lies. They are facts about URLs and hosts, but they
 * do not add up to a state: frames in between may be missing.
 */
public final class Salvage {

    private static final Hop[] HOPS = Hop.values();
    private static final String SEGMENT = "segment-";

    /** The job of URLs in a segment whose queue no readable snapshot names. */
    private static final int UNKNOWN = -1;

    private final Disk disk;
    private final CrawlUrls urls;
    private final Map<String, Long> lostBytes = new HashMap<>();

    /** The job of each queue, where a snapshot names it; segments know queues by number only. */
    private final Map<Integer, Integer> jobs = new HashMap<>();

    private Salvage(Disk disk, CrawlUrls urls) {
        this.disk = disk;
        this.urls = urls;
    }

    /**
     * Every problem of a frontier's directory, as sentences; none when it can be opened and every
     * queued URL can be read. It is opened for that as a crawl would open it.
     */
    public static List<String> problems(
            Disk disk, Path directory, Politeness politeness, DiskSettings settings, Instant now) {
        var problems = new ArrayList<String>();
        try {
            look(disk, directory, politeness, settings);
            for (var path : files(disk, directory, "segment-\\d+")) {
                checkRuns(disk, path);
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

    /** Changes nothing: what an opening cuts off may be needed yet. */
    private static void look(
            Disk disk, Path directory, Politeness politeness, DiskSettings settings)
            throws IOException {
        try (var store = new PeekStore(disk, directory, settings, 0)) {
            var bench = new Workbench(politeness, store);
            var number = Journal.newest(disk, directory);
            var _ = Journal.read(disk, directory, number, bench, store);
            store.dead((_, _) -> {});
        }
    }

    private static void checkRuns(Disk disk, Path file) throws IOException {
        try (var region = disk.map(file);
                var reader = new RunReader()) {
            var bytes = region.bytes();
            for (var at = (long) Segment.HEADER;
                    at < bytes.byteSize();
                    at = RunReader.next(bytes, at)) {
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
     * Hands on all that can be read: snapshots, journals, the dead log, then queued URLs of
     * segments as {@link FrontierEvent.Accepted}.
     *
     * @return how many bytes could not be read, by file name; files that are whole are not named
     */
    public static Map<String, Long> read(
            Disk disk, Path directory, CrawlUrls urls, Consumer<FrontierEvent> out)
            throws IOException {
        var salvage = new Salvage(disk, urls);
        for (var kind : List.of("snapshot-\\d+", "journal-\\d+", DeadLog.NAME)) {
            for (var path : files(disk, directory, kind)) {
                salvage.frames(path, out);
            }
        }
        for (var path : files(disk, directory, "segment-\\d+")) {
            salvage.segment(path, out);
        }
        return salvage.lostBytes;
    }

    private void frames(Path path, Consumer<FrontierEvent> out) throws IOException {
        try (var region = disk.map(path)) {
            var lost =
                    Frames.salvage(
                            region.bytes(),
                            event -> {
                                if (event instanceof FrontierEvent.QueueState queue) {
                                    jobs.put(queue.id(), queue.job());
                                }
                                out.accept(event);
                            });
            lost(path, lost);
        }
    }

    private void lost(Path path, long bytes) {
        if (bytes > 0) {
            lostBytes.put(path.getFileName().toString(), bytes);
        }
    }

    /** The index tells to which queues the runs belong, the snapshot to which jobs these do. */
    private void segment(Path path, Consumer<FrontierEvent> out) throws IOException {
        try (var region = disk.map(path);
                var reader = new RunReader()) {
            var bytes = region.bytes();
            var owners = owners(path);
            var owner = UNKNOWN;
            var lost = 0L;
            var slip = new UrlSlip();
            for (var at = (long) Segment.HEADER; at < bytes.byteSize(); ) {
                owner = owners.getOrDefault(at, owner);
                if (opens(reader, bytes, at)) {
                    urls(reader, slip, jobs.getOrDefault(owner, UNKNOWN), out);
                    at = behind(bytes, at);
                } else {
                    at++;
                    lost++;
                }
            }
            lost(path, lost);
        }
    }

    /** The queue of the run at an offset, where a queue's runs begin. */
    private Map<Long, Integer> owners(Path path) throws IOException {
        var owners = new HashMap<Long, Integer>();
        var number = Long.parseLong(path.getFileName().toString().substring(SEGMENT.length()));
        var directory = path.getParent();
        try (var segment =
                Segment.open(disk, directory == null ? Path.of("") : directory, number)) {
            for (var entry = 0; entry < segment.entries; entry++) {
                owners.putIfAbsent(segment.offset(entry), segment.key(entry) >>> 2);
            }
        } catch (FrontierDamagedException e) {
            lost(Segment.indexOf(path), disk.exists(Segment.indexOf(path)) ? 1 : 0);
        }
        return owners;
    }

    private static boolean opens(RunReader reader, MemorySegment bytes, long at) {
        try {
            reader.open(bytes, at);
            return reader.hasNext();
        } catch (IOException | RuntimeException e) {
            return false; // Not a run: the search goes on at the next byte.
        }
    }

    private static long behind(MemorySegment bytes, long at) throws IOException {
        return RunReader.next(bytes, at);
    }

    private void urls(RunReader reader, UrlSlip slip, int job, Consumer<FrontierEvent> out) {
        RunReader.clear(slip);
        while (reader.hasNext()) {
            reader.next(slip);
            urls.parse(slip.textAsString())
                    .ifPresent(
                            url ->
                                    out.accept(
                                            new FrontierEvent.Accepted(
                                                    job,
                                                    url,
                                                    HOPS[slip.hop],
                                                    slip.depth,
                                                    slip.hops,
                                                    slip.parent,
                                                    0,
                                                    slip.foundAt)));
        }
    }
}
