package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.frontier.FrontierDamagedException;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.SharedFrontier;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The files of a frontier at its last commit, with the length of each that counts, and the lengths
 * of the output files at the same commit. Copies of these files up to these lengths open as the
 * frontier does after a crash at that moment, and never change: journal and logs only grow.
 *
 * <p>The journal counts up to its last complete frame. Segments count if the snapshot or the
 * journal names them; logs of seen keys and dead letters count up to the length that the snapshot
 * names, because the journal has the rest. Tables of seen keys are rebuilt from their logs.
 *
 * @param files by name in the frontier's directory
 * @param outputs the committed length of every output file
 */
public record CommittedFrontier(SortedMap<String, Long> files, List<CommittedLength> outputs) {

    private static final String SEGMENT = "segment-";

    public CommittedFrontier {
        files = Collections.unmodifiableSortedMap(new TreeMap<>(files));
        outputs = List.copyOf(outputs);
    }

    /** Reads the frontier in a directory; memory does not grow with its journal. */
    public static CommittedFrontier read(Disk disk, Path directory) throws IOException {
        var collector = new Collector(disk, directory, new TreeMap<>(), new LinkedHashMap<>());
        var number = Journal.newestNumber(disk, directory);
        if (number > 0) {
            collector.readSnapshot("snapshot-" + number);
        }
        collector.readJournal("journal-" + number);
        collector.addWhole(FingerprintKeyFile.NAME);
        return new CommittedFrontier(collector.files, List.copyOf(collector.outputs.values()));
    }

    private record Collector(
            Disk disk,
            Path directory,
            SortedMap<String, Long> files,
            Map<String, CommittedLength> outputs) {

        void readSnapshot(String name) throws IOException {
            var file = directory.resolve(name);
            try (var mapped = disk.map(file)) {
                var extent = Frames.read(file, mapped.bytes(), this::add);
                if (extent.validLength() < mapped.bytes().byteSize()) {
                    throw new FrontierDamagedException(
                            file, "is damaged at byte " + extent.validLength());
                }
                files.put(name, extent.validLength());
            }
            addSegmentLengths();
        }

        void readJournal(String name) throws IOException {
            var file = directory.resolve(name);
            try (var mapped = disk.map(file)) {
                var extent = Frames.read(file, mapped.bytes(), this::add);
                Frames.rejectDamage(file, mapped.bytes(), extent);
                files.put(name, extent.validLength());
            }
            addSegmentLengths();
        }

        private void add(FrontierEvent event) {
            switch (event) {
                case FrontierEvent.FileState state -> files.put(state.name(), state.length());
                case FrontierEvent.BufferFlushed flushed ->
                        files.put(SEGMENT + flushed.segment(), 0L);
                case FrontierEvent.LengthCommitted length ->
                        outputs.put(length.committed().name(), length.committed());
                case FrontierEvent.JobDeleted deleted -> {
                    var prefix = SharedFrontier.directoryOf(new JobId(deleted.job()));
                    outputs.keySet().removeIf(name -> name.startsWith(prefix));
                }
                default -> {
                    // Changes no file.
                }
            }
        }

        /** A segment is immutable and counts as a whole, with its index. */
        private void addSegmentLengths() throws IOException {
            for (var name : List.copyOf(files.keySet())) {
                if (name.startsWith(SEGMENT) && !name.endsWith(".index")) {
                    addWhole(name);
                    addWhole(name + ".index");
                }
            }
        }

        void addWhole(String name) throws IOException {
            files.put(name, disk.length(directory.resolve(name)));
        }
    }
}
