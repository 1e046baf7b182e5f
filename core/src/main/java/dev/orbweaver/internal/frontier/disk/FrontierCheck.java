package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.Findings;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.Politeness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks the files of a frontier's directory with the readers that opening uses; changes nothing.
 * While a crawl is running, files are created and deleted, so only immutable content is checked.
 */
public final class FrontierCheck {

    private final Disk disk;
    private final Path directory;
    private final boolean running;
    private final Findings findings;

    private FrontierCheck(Disk disk, Path directory, boolean running, Findings findings) {
        this.disk = disk;
        this.directory = directory;
        this.running = running;
        this.findings = findings;
    }

    /** Returns the approximate number of bytes that a check reads. */
    public static long bytes(Disk disk, Path directory) throws IOException {
        var bytes = 0L;
        for (var file : disk.list(directory)) {
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
     * @param running whether a process is using it
     */
    public static void run(
            Disk disk,
            Path directory,
            Politeness politeness,
            DiskSettings settings,
            boolean running,
            Instant now,
            Findings findings)
            throws IOException {
        var check = new FrontierCheck(disk, directory, running, findings);
        check.checkState(politeness, settings, now);
        for (var file : check.snapshotFiles()) {
            check.checkSnapshotFile(file);
        }
        for (var file : disk.list(directory)) {
            check.checkFile(file);
        }
        check.checkDeadLetterTail();
    }

    /**
     * Checks bytes after the last snapshot. Before the first snapshot all dead letters are also in
     * the journal, so nothing is lost.
     */
    private void checkDeadLetterTail() {
        var file = directory.resolve(DeadLetterLog.NAME);
        try {
            if (!running && disk.exists(file)) {
                var length = disk.length(file);
                if (DeadLetterLog.read(disk, file, length, _ -> {}).validLength()
                        < Math.max(length, Frames.HEADER)) {
                    findings.note(
                            file, "ends in bytes that no snapshot includes, or has no header");
                }
            }
        } catch (IOException | RuntimeException e) {
            findings.damage(file, String.valueOf(e.getMessage()));
        }
    }

    /** Replays snapshot and journal, and reads the dead letters. */
    private void checkState(Politeness politeness, DiskSettings settings, Instant now)
            throws IOException {
        try {
            var found =
                    DiskFrontier.inspect(
                            disk,
                            directory,
                            politeness,
                            settings,
                            new FrontierInspection.InspectionOptions(0, 0, false),
                            now);
            var journal = directory.resolve("journal-" + found.snapshot());
            var good = found.journalBytes() + Frames.HEADER;
            if (!running && disk.exists(journal) && disk.length(journal) < Frames.HEADER) {
                findings.damage(journal, disk.length(journal), "the header is truncated");
            } else if (!running && disk.exists(journal) && disk.length(journal) > good) {
                findings.damage(
                        journal,
                        good,
                        "%d bytes are not a complete frame: an interrupted call, or damage"
                                .formatted(disk.length(journal) - good));
            }
        } catch (IOException | UncheckedIOException e) {
            findings.damage(directory, String.valueOf(e.getMessage()));
        }
    }

    private List<FrontierEvent.FileState> snapshotFiles() {
        var fileState = new ArrayList<FrontierEvent.FileState>();
        try {
            var snapshot = directory.resolve("snapshot-" + Journal.newestNumber(disk, directory));
            if (disk.exists(snapshot)) {
                try (var mappedFile = disk.map(snapshot)) {
                    var _ =
                            Frames.read(
                                    snapshot,
                                    mappedFile.bytes(),
                                    event -> {
                                        if (event instanceof FrontierEvent.FileState file) {
                                            fileState.add(file);
                                        }
                                    });
                }
            }
        } catch (IOException | RuntimeException e) {
            // The replay has already reported it.
            fileState.clear();
        }
        return fileState;
    }

    private void checkSnapshotFile(FrontierEvent.FileState fileState) {
        try {
            snapshotFiles(fileState);
        } catch (NoSuchFileException e) {
            if (!running) {
                findings.damage(directory.resolve(fileState.name()), "the file is missing");
            }
        } catch (IOException | RuntimeException e) {
            findings.damage(directory.resolve(fileState.name()), String.valueOf(e.getMessage()));
        }
    }

    private void snapshotFiles(FrontierEvent.FileState fileState) throws IOException {
        var file = directory.resolve(fileState.name());
        if (fileState.name().startsWith("seen-")) {
            if (DiskSeenSet.differs(disk, file, fileState)) {
                findings.damage(file, "the keys do not match the checksum in the snapshot");
            }
        } else if (fileState.name().equals(DeadLetterLog.NAME)) {
            var good = DeadLetterLog.read(disk, file, fileState.length(), _ -> {}).validLength();
            if (good < fileState.length()) {
                findings.damage(file, good, "the frame is damaged");
            }
        }
    }

    private void checkFile(Path file) throws IOException {
        var name = file.getFileName().toString();
        try {
            if (name.matches("segment-\\d+")) {
                checkSegment(Long.parseLong(name.substring("segment-".length())));
            }
            findings.checked(disk.length(file));
        } catch (NoSuchFileException gone) {
            // It was merged with others in the meantime.
        } catch (IOException e) {
            if (!running || disk.exists(file)) {
                findings.damage(file, String.valueOf(e.getMessage()));
            }
        }
    }

    private void checkSegment(long number) throws IOException {
        try (var segment = Segment.open(disk, directory, number);
                var reader = new UrlBlockReader()) {
            var bytes = segment.bytes();
            for (var at = (long) Segment.HEADER; at < bytes.byteSize(); ) {
                reader.open(bytes, at);
                at = UrlBlockReader.next(bytes, at);
            }
        }
    }
}
