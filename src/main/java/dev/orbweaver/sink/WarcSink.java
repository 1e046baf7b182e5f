package dev.orbweaver.sink;

import dev.orbweaver.disk.AppendFile;
import dev.orbweaver.disk.Disk;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FileMark;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * WARC files and the page log of one crawl.
 *
 * <p>Neither file knows about commits. What counts is what the frontier last committed: on opening,
 * every file is cut back to the length that batch named, and files that no batch names are deleted.
 * So a record whose settlement was lost is gone together with it, and will be made again.
 */
public final class WarcSink implements Sink {

    private static final Logger LOG = LoggerFactory.getLogger(WarcSink.class);

    /** Where the WARC files lie in a crawl's folder. */
    public static final String FOLDER = "warc";

    private static final String PREFIX = "orbweaver-";
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss").withZone(ZoneOffset.UTC);

    private final Disk disk;
    private final Path folder;
    private final WarcSettings settings;
    private final InstantSource clock;
    private final WarcRecords records;
    private AppendFile log;
    private final ByteArrayOutputStream logBuffer = new ByteArrayOutputStream();
    private final Map<String, Long> touched = new LinkedHashMap<>();

    /** WARC files begun since the last commit. */
    private final List<String> begun = new ArrayList<>();

    /** Records that lie in files of their own until they are committed. */
    private final List<Path> spills = new ArrayList<>();

    private @Nullable AppendFile warc;
    private String warcName = "";
    private int serial;
    private long sequence;
    private Committed committed;

    /** How things stood at the last commit. */
    private record Committed(
            String warcName, long warcLength, int serial, long sequence, long logLength) {}

    private WarcSink(Disk disk, Path folder, WarcSettings settings, InstantSource clock, int serial)
            throws IOException {
        this.disk = disk;
        this.folder = folder;
        this.settings = settings;
        this.clock = clock;
        this.records = new WarcRecords(settings.compression(), settings.temporary());
        this.serial = serial;
        this.log = disk.append(folder.resolve(PageLog.FILE));
        this.sequence = PageLog.lastSequence(folder.resolve(PageLog.FILE));
        this.committed = new Committed("", 0, serial, sequence, log.length());
    }

    /** Opens the outputs in a crawl's folder as the last committed batch left them. */
    public static WarcSink open(
            Disk disk,
            Path folder,
            WarcSettings settings,
            List<FileMark> marks,
            InstantSource clock)
            throws IOException {
        disk.createFolder(folder.resolve(FOLDER));
        var lengths = new LinkedHashMap<String, Long>();
        marks.forEach(mark -> lengths.put(mark.name(), mark.length()));
        deleteUncommitted(disk, folder, lengths.keySet());
        for (var mark : marks) {
            cutBack(disk, folder.resolve(mark.name()), mark.length());
        }
        var warcs = lengths.keySet().stream().filter(name -> name.startsWith(FOLDER)).count();
        return new WarcSink(disk, folder, settings, clock, Math.toIntExact(warcs));
    }

    private static void deleteUncommitted(Disk disk, Path folder, Iterable<String> committed)
            throws IOException {
        var known = new HashSet<Path>();
        committed.forEach(name -> known.add(folder.resolve(name)));
        var present = new ArrayList<Path>();
        disk.list(folder.resolve(FOLDER)).stream().filter(WarcSink::isOurs).forEach(present::add);
        present.add(folder.resolve(PageLog.FILE));
        for (var file : present) {
            if (!known.contains(file) && disk.exists(file)) {
                LOG.warn("deleting {}, which no commit names", file);
                disk.delete(file);
            }
        }
    }

    private static boolean isOurs(Path file) {
        var name = file.getFileName().toString();
        return name.startsWith(PREFIX) && name.contains(".warc");
    }

    private static void cutBack(Disk disk, Path file, long length) throws IOException {
        var actual = disk.exists(file) ? disk.length(file) : 0;
        if (actual < length) {
            throw new IOException(
                    "%s has %d bytes, but %d were committed: restore it from a copy"
                            .formatted(file, actual, length));
        }
        if (actual > length) {
            LOG.warn("cutting {} uncommitted bytes from {}", actual - length, file);
            disk.truncate(file, length);
        }
    }

    @Override
    public Prepared prepare(Capture capture) throws IOException {
        return records.prepare(capture);
    }

    @Override
    public long write(Prepared prepared, boolean linksDeferred) throws IOException {
        var offset = 0L;
        if (prepared.records().length() > 0) {
            var file = currentWarc();
            offset = file.length();
            append(file, prepared.records());
            touched.put(warcName, file.length());
        }
        sequence++;
        logBuffer.write(entry(prepared, offset, linksDeferred).line());
        return sequence;
    }

    private void append(AppendFile file, Body records) throws IOException {
        switch (records) {
            case Body.InMemory(var bytes, var size) -> file.append(ByteBuffer.wrap(bytes, 0, size));
            case Body.InFile(var source, _) -> {
                spills.add(source);
                file.append(source);
            }
        }
    }

    private PageEntry entry(Prepared prepared, long offset, boolean linksDeferred) {
        var capture = prepared.capture();
        var exchange = capture.exchange();
        return new PageEntry(
                sequence,
                capture.url().text(),
                capture.kind(),
                exchange.map(Exchange::status).orElse(0),
                capture.time(),
                exchange.map(e -> e.timings().total().toMillis()).orElse(0L),
                capture.depth(),
                capture.parent(),
                capture.attempts(),
                exchange.map(e -> e.head().mediaType()).orElse(""),
                capture.page().charset(),
                capture.page().title(),
                capture.page().links().size(),
                capture.page().simHash(),
                exchange.map(e -> e.body().length()).orElse(0L),
                prepared.digest(),
                exchange.flatMap(e -> e.head().field("location")).orElse(""),
                capture.cause(),
                capture.detail(),
                exchange.isPresent() ? warcName : "",
                offset,
                prepared.responseLength(),
                linksDeferred,
                capture.page().directives());
    }

    private AppendFile currentWarc() throws IOException {
        var current = warc;
        if (current != null && current.length() < settings.fileBytesMax()) {
            return current;
        }
        if (current != null) {
            current.sync();
            current.close();
        }
        var next = beginWarc(clock.instant());
        warc = next;
        return next;
    }

    private AppendFile beginWarc(Instant now) throws IOException {
        serial++;
        var name =
                PREFIX
                        + "%s-%05d%s"
                                .formatted(
                                        STAMP.format(now),
                                        serial,
                                        settings.compression().extension());
        warcName = FOLDER + "/" + name;
        begun.add(warcName);
        var file = disk.append(folder.resolve(warcName));
        try {
            file.append(ByteBuffer.wrap(records.warcinfo(name, settings.info(), now)));
            if (settings.synced()) {
                disk.syncFolder(folder.resolve(FOLDER));
            }
            return file;
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    @Override
    public List<FileMark> commit() throws IOException {
        if (logBuffer.size() > 0) {
            log.append(ByteBuffer.wrap(logBuffer.toByteArray()));
            logBuffer.reset();
            touched.put(PageLog.FILE, log.length());
        }
        if (settings.synced() && !touched.isEmpty()) {
            log.sync();
            if (warc != null) {
                warc.sync();
            }
        }
        var marks =
                touched.entrySet().stream()
                        .map(file -> new FileMark(file.getKey(), file.getValue()))
                        .toList();
        touched.clear();
        committed =
                new Committed(
                        warcName, warc == null ? 0 : warc.length(), serial, sequence, log.length());
        begun.clear();
        deleteSpills();
        return marks;
    }

    /** The records are in the WARC file; a spill that stays is found at the next opening. */
    private void deleteSpills() {
        for (var spill : spills) {
            try {
                Files.deleteIfExists(spill);
            } catch (IOException e) {
                LOG.warn("cannot delete {}: {}", spill, e.getMessage());
            }
        }
        spills.clear();
    }

    @Override
    public void rollBack() throws IOException {
        log.close();
        disk.truncate(folder.resolve(PageLog.FILE), committed.logLength);
        log = disk.append(folder.resolve(PageLog.FILE));
        logBuffer.reset();
        touched.clear();
        spills.clear();
        if (warc != null) {
            warc.close();
            warc = null;
        }
        for (var name : begun) {
            disk.delete(folder.resolve(name));
        }
        begun.clear();
        if (!committed.warcName.isEmpty()) {
            disk.truncate(folder.resolve(committed.warcName), committed.warcLength);
            warc = disk.append(folder.resolve(committed.warcName));
        }
        warcName = committed.warcName;
        serial = committed.serial;
        sequence = committed.sequence;
    }

    @Override
    public void close() throws IOException {
        log.sync();
        log.close();
        if (warc != null) {
            warc.sync();
            warc.close();
        }
        records.close();
    }
}
