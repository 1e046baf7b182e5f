package dev.orbweaver.frontier.disk;

import dev.orbweaver.disk.Disk;
import dev.orbweaver.disk.Findings;
import dev.orbweaver.frontier.FrontierEvent;
import dev.orbweaver.frontier.Politeness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks the files of a frontier's directory with the readers that opening uses; nothing is
 * changed. While a crawl runs, files come and go, so only what stays the same is checked then.
 */
public final class FrontierCheck {

    private final Disk disk;
    private final Path folder;
    private final boolean running;
    private final Findings findings;

    private FrontierCheck(Disk disk, Path folder, boolean running, Findings findings) {
        this.disk = disk;
        this.folder = folder;
        this.running = running;
        this.findings = findings;
    }

    /** How many bytes a check reads, about. */
    public static long bytes(Disk disk, Path folder) throws IOException {
        var bytes = 0L;
        for (var file : disk.list(folder)) {
            bytes += length(disk, file);
        }
        return bytes;
    }

    private static long length(Disk disk, Path file) throws IOException {
        try {
            return disk.length(file);
        } catch (NoSuchFileException gone) {
            return 0;
        }
    }

    /**
     * Checks a directory.
     *
     * @param running whether a process works on it
     */
    public static void run(
            Disk disk,
            Path folder,
            Politeness politeness,
            DiskSettings settings,
            boolean running,
            Instant now,
            Findings findings)
            throws IOException {
        var check = new FrontierCheck(disk, folder, running, findings);
        check.state(politeness, settings, now);
        for (var file : check.filed()) {
            check.filedOrReported(file);
        }
        for (var file : disk.list(folder)) {
            check.file(file);
        }
        check.unfiledDead();
    }

    /** Before the first snapshot the dead letters are in the journal too, and nothing is lost. */
    private void unfiledDead() {
        var file = folder.resolve(DeadLog.NAME);
        try {
            if (!running && disk.exists(file)) {
                var length = disk.length(file);
                if (DeadLog.read(disk, file, length, _ -> {}).good()
                        < Math.max(length, Frames.HEADER)) {
                    findings.note(file, "ends in bytes that no snapshot names, or has no header");
                }
            }
        } catch (IOException | RuntimeException e) {
            findings.damage(file, String.valueOf(e.getMessage()));
        }
    }

    /** Replays snapshot and journal, and goes through the dead letters. */
    private void state(Politeness politeness, DiskSettings settings, Instant now)
            throws IOException {
        try {
            var found =
                    DiskFrontier.inspect(
                            disk,
                            folder,
                            politeness,
                            settings,
                            new Inspection.Wish(0, 0, false),
                            now);
            var journal = folder.resolve("journal-" + found.snapshot());
            var good = found.journalBytes() + Frames.HEADER;
            if (!running && disk.exists(journal) && disk.length(journal) < Frames.HEADER) {
                findings.damage(journal, disk.length(journal), "the header is cut short");
            } else if (!running && disk.exists(journal) && disk.length(journal) > good) {
                findings.damage(
                        journal,
                        good,
                        "%d bytes are no whole frame: a call that was interrupted, or damage"
                                .formatted(disk.length(journal) - good));
            }
        } catch (IOException | UncheckedIOException e) {
            findings.damage(folder, String.valueOf(e.getMessage()));
        }
    }

    /** The files that the newest snapshot names. */
    private List<FrontierEvent.Filed> filed() {
        var filed = new ArrayList<FrontierEvent.Filed>();
        try {
            var snapshot = folder.resolve("snapshot-" + Journal.newest(disk, folder));
            if (disk.exists(snapshot)) {
                try (var region = disk.map(snapshot)) {
                    var _ =
                            Frames.read(
                                    snapshot,
                                    region.bytes(),
                                    event -> {
                                        if (event instanceof FrontierEvent.Filed file) {
                                            filed.add(file);
                                        }
                                    });
                }
            }
        } catch (IOException | RuntimeException e) {
            // The replay has reported it.
            filed.clear();
        }
        return filed;
    }

    private void filedOrReported(FrontierEvent.Filed filed) {
        try {
            filed(filed);
        } catch (NoSuchFileException e) {
            if (!running) {
                findings.damage(folder.resolve(filed.name()), "the file is missing");
            }
        } catch (IOException | RuntimeException e) {
            findings.damage(folder.resolve(filed.name()), String.valueOf(e.getMessage()));
        }
    }

    private void filed(FrontierEvent.Filed filed) throws IOException {
        var file = folder.resolve(filed.name());
        if (filed.name().startsWith("seen-")) {
            if (SeenFiles.differs(disk, file, filed)) {
                findings.damage(file, "the keys do not match the sum in the snapshot");
            }
        } else if (filed.name().equals(DeadLog.NAME)) {
            var good = DeadLog.read(disk, file, filed.length(), _ -> {}).good();
            if (good < filed.length()) {
                findings.damage(file, good, "the frame is damaged");
            }
        }
    }

    private void file(Path file) throws IOException {
        var name = file.getFileName().toString();
        try {
            if (name.matches("segment-\\d+")) {
                segment(Long.parseLong(name.substring("segment-".length())));
            }
            findings.checked(disk.length(file));
        } catch (NoSuchFileException gone) {
            // It was merged with others meanwhile.
        } catch (IOException e) {
            if (!running || disk.exists(file)) {
                findings.damage(file, String.valueOf(e.getMessage()));
            }
        }
    }

    private void segment(long number) throws IOException {
        try (var segment = Segment.open(disk, folder, number);
                var reader = new RunReader()) {
            var bytes = segment.bytes();
            for (var at = (long) Segment.HEADER; at < bytes.byteSize(); ) {
                reader.open(bytes, at);
                at = RunReader.next(bytes, at);
            }
        }
    }
}
