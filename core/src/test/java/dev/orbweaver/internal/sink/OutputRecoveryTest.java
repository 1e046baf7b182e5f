package dev.orbweaver.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.disk.RunningChecksum;
import dev.orbweaver.model.CommittedLength;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How opening handles output beyond the frontier's committed lengths. */
class OutputRecoveryTest {

    private static final String URL = "http://a.example/";

    @TempDir private Path directory;
    private final Map<String, CommittedLength> marks = new LinkedHashMap<>();

    /** The committed lengths after each batch. */
    private final List<List<CommittedLength>> history = new ArrayList<>(List.of(List.of()));

    @Test
    void marksHaveTheChecksumOfEveryFile() throws IOException {
        batches(1_500, 5);
        requireTrueMarks();
        batches(1 << 20, 3);
        requireTrueMarks();
        assertThat(marks).hasSizeGreaterThan(3);
    }

    private void requireTrueMarks() throws IOException {
        for (var mark : marks.values()) {
            var file = WarcFiles.find(directory, mark.name());
            assertThat(file).hasSize(mark.length());
            assertThat(RunningChecksum.of(file, mark.length())).isEqualTo(mark.checksum());
        }
    }

    @Test
    void aRolledBackBatchLeavesMarksTrue() throws IOException {
        try (var sink = open(1 << 20)) {
            write(sink, 1);
            updateMarks(sink.commit());
            write(sink, 2);
            sink.rollBack();
            write(sink, 3);
            updateMarks(sink.commit());
        }
        requireTrueMarks();
    }

    @Test
    void theLastBatchAloneIsCutAway() throws IOException {
        batches(1_500, 4);
        marks.clear();
        updateMarks(history.get(3));
        try (var sink = open(1_500)) {
            assertThat(sink.recovered()).isEmpty();
        }
        requireTrueMarks();
        assertThat(directory.resolve(DirectoryLayout.RECOVERED)).doesNotExist();
    }

    @Test
    void aBatchThatTheFrontierCouldNotCommitIsCutAwayAfterAnOrderlyClose() throws IOException {
        try (var sink = open(1 << 20)) {
            write(sink, 1);
            updateMarks(sink.commit());
            sink.confirmCommit();
            write(sink, 2);
            var _ = sink.commit(); // The frontier fails, so these lengths are in no journal.
        }
        try (var sink = open(1 << 20)) {
            assertThat(sink.recovered()).isEmpty();
        }
        requireTrueMarks();
    }

    @Test
    void aBatchThatTheFrontierCommittedAndLostIsMovedAside() throws IOException {
        try (var sink = open(1 << 20)) {
            write(sink, 1);
            updateMarks(sink.commit());
            sink.confirmCommit();
            write(sink, 2);
            var _ = sink.commit();
            sink.confirmCommit();
        }
        try (var sink = open(1 << 20)) {
            assertThat(sink.recovered()).hasSize(2);
        }
        requireTrueMarks();
    }

    @Test
    void outputsOfSeveralLostBatchesAreMovedAsideAndNoByteIsLost() throws IOException {
        batches(1_500, 6);
        var before = contents();
        marks.clear();
        updateMarks(history.get(2)); // As after a journal that lost its end, four batches of it.
        List<String> recovered;
        try (var sink = open(1_500)) {
            recovered = sink.recovered();
            write(sink, 9);
            updateMarks(sink.commit());
        }
        requireTrueMarks();
        assertThat(recovered).isNotEmpty().allMatch(line -> line.contains("recovered/"));
        before.forEach(
                (name, bytes) -> {
                    var mark = history.get(2).stream().filter(m -> m.name().equals(name));
                    var kept = (int) mark.mapToLong(CommittedLength::length).findFirst().orElse(0);
                    var file = Path.of(name).getFileName() + (kept == 0 ? "" : "." + kept);
                    if (kept < bytes.length) {
                        assertThat(directory.resolve("recovered").resolve(file))
                                .hasBinaryContent(Arrays.copyOfRange(bytes, kept, bytes.length));
                    }
                });
    }

    @Test
    void aSecondLossKeepsWhatTheFirstLeft() throws IOException {
        for (var loss = 0; loss < 2; loss++) {
            marks.clear();
            history.removeIf(list -> !list.isEmpty());
            try (var sink = open(1 << 20)) {
                write(sink, 1);
                updateMarks(sink.commit());
                write(sink, 2);
                updateMarks(sink.commit());
            }
        }
        marks.clear();
        open(1 << 20).close();
        assertThat(new RealDisk().list(directory.resolve("recovered")))
                .extracting(file -> file.getFileName().toString())
                .contains("pages.log", "pages.log-2");
    }

    @Test
    void aShortFileIsRefusedWithAdviceAndNothingIsChanged() throws IOException {
        batches(1 << 20, 3);
        var log = directory.resolve(DirectoryLayout.PAGE_LOG);
        new RealDisk().truncate(log, Files.size(log) - 1);
        var before = contents();
        assertThatThrownBy(() -> open(1 << 20))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("pages.log has")
                .hasMessageContaining("orbweaver verify " + directory)
                .hasMessageContaining("orbweaver repair " + directory);
        contents().forEach((name, bytes) -> assertThat(bytes).isEqualTo(before.get(name)));
    }

    @Test
    void aNewVersionThatACompactionDidNotFinishIsDeleted() throws IOException {
        batches(1 << 20, 2);
        var warc = history.getLast().getFirst().name();
        Files.writeString(directory.resolve(WarcRewriter.nextVersion(warc)), "half");
        open(1 << 20).close();
        assertThat(directory.resolve(WarcRewriter.nextVersion(warc))).doesNotExist();
        assertThat(directory.resolve(DirectoryLayout.RECOVERED)).doesNotExist();
    }

    /** Writes batches and crashes: nothing is closed. */
    private void batches(long fileBytesMax, int count) throws IOException {
        var sink = open(fileBytesMax);
        for (var batch = 0; batch < count; batch++) {
            write(sink, 10 * batch);
            write(sink, 10 * batch + 1);
            updateMarks(sink.commit());
            history.add(List.copyOf(marks.values()));
        }
    }

    private void updateMarks(List<CommittedLength> changed) {
        changed.forEach(mark -> marks.put(mark.name(), mark));
    }

    private Map<String, byte[]> contents() throws IOException {
        var contents = new LinkedHashMap<String, byte[]>();
        contents.put(
                DirectoryLayout.PAGE_LOG,
                Files.readAllBytes(directory.resolve(DirectoryLayout.PAGE_LOG)));
        for (var file : new RealDisk().list(directory.resolve(DirectoryLayout.WARC))) {
            contents.put(
                    WarcFiles.finishedName("warc/" + file.getFileName()), Files.readAllBytes(file));
        }
        return contents;
    }

    private static void write(WarcSink sink, int number) throws IOException {
        var _ = sink.write(sink.prepare(Captures.page(URL + number, "body " + number)));
    }

    private WarcSink open(long fileBytesMax) throws IOException {
        return WarcSink.open(
                new RealDisk(),
                directory,
                Captures.settings(Compression.GZIP, fileBytesMax, directory),
                List.copyOf(marks.values()),
                InstantSource.fixed(Captures.TIME));
    }
}
