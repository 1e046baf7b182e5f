package dev.orbweaver.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.disk.GrowingChecksum;
import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.model.FileMark;

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

/** What opening does with output that the frontier's marks do not cover. */
class CommittedOutputsTest {

    private static final String URL = "http://a.example/";

    @TempDir private Path folder;
    private final Map<String, FileMark> marks = new LinkedHashMap<>();

    /** The marks after each batch. */
    private final List<List<FileMark>> history = new ArrayList<>(List.of(List.of()));

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
            var file = WarcFiles.find(folder, mark.name());
            assertThat(file).hasSize(mark.length());
            assertThat(GrowingChecksum.of(file, mark.length())).isEqualTo(mark.checksum());
        }
    }

    @Test
    void aRolledBackBatchLeavesMarksTrue() throws IOException {
        try (var sink = open(1 << 20)) {
            write(sink, 1);
            keep(sink.commit());
            write(sink, 2);
            sink.rollBack();
            write(sink, 3);
            keep(sink.commit());
        }
        requireTrueMarks();
    }

    @Test
    void theLastBatchAloneIsCutAway() throws IOException {
        batches(1_500, 4);
        marks.clear();
        keep(history.get(3));
        try (var sink = open(1_500)) {
            assertThat(sink.recovered()).isEmpty();
        }
        requireTrueMarks();
        assertThat(folder.resolve(CommittedOutputs.RECOVERED)).doesNotExist();
    }

    @Test
    void aBatchThatTheFrontierCouldNotCommitIsCutAwayAfterAnOrderlyClose() throws IOException {
        try (var sink = open(1 << 20)) {
            write(sink, 1);
            keep(sink.commit());
            sink.confirmCommit();
            write(sink, 2);
            var _ = sink.commit(); // The frontier fails, so these marks are in no journal.
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
            keep(sink.commit());
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
        keep(history.get(2)); // As after a journal that lost its end, four batches of it.
        List<String> recovered;
        try (var sink = open(1_500)) {
            recovered = sink.recovered();
            write(sink, 9);
            keep(sink.commit());
        }
        requireTrueMarks();
        assertThat(recovered).isNotEmpty().allMatch(line -> line.contains("recovered/"));
        before.forEach(
                (name, bytes) -> {
                    var mark = history.get(2).stream().filter(m -> m.name().equals(name));
                    var kept = (int) mark.mapToLong(FileMark::length).findFirst().orElse(0);
                    var file = Path.of(name).getFileName() + (kept == 0 ? "" : "." + kept);
                    if (kept < bytes.length) {
                        assertThat(folder.resolve("recovered").resolve(file))
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
                keep(sink.commit());
                write(sink, 2);
                keep(sink.commit());
            }
        }
        marks.clear();
        open(1 << 20).close();
        assertThat(new RealDisk().list(folder.resolve("recovered")))
                .extracting(file -> file.getFileName().toString())
                .contains("pages.log", "pages.log-2");
    }

    @Test
    void aShortFileIsRefusedWithAdviceAndNothingIsChanged() throws IOException {
        batches(1 << 20, 3);
        var log = folder.resolve(PageLog.FILE);
        new RealDisk().truncate(log, Files.size(log) - 1);
        var before = contents();
        assertThatThrownBy(() -> open(1 << 20))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("pages.log has")
                .hasMessageContaining("orbweaver verify " + folder)
                .hasMessageContaining("orbweaver repair " + folder);
        contents().forEach((name, bytes) -> assertThat(bytes).isEqualTo(before.get(name)));
    }

    @Test
    void aNewVersionThatACompactionDidNotFinishIsDeleted() throws IOException {
        batches(1 << 20, 2);
        var warc = history.getLast().getFirst().name();
        Files.writeString(folder.resolve(Rewriter.next(warc)), "half");
        open(1 << 20).close();
        assertThat(folder.resolve(Rewriter.next(warc))).doesNotExist();
        assertThat(folder.resolve(CommittedOutputs.RECOVERED)).doesNotExist();
    }

    /** Writes batches and dies: nothing is closed. */
    private void batches(long fileBytesMax, int count) throws IOException {
        var sink = open(fileBytesMax);
        for (var batch = 0; batch < count; batch++) {
            write(sink, 10 * batch);
            write(sink, 10 * batch + 1);
            keep(sink.commit());
            history.add(List.copyOf(marks.values()));
        }
    }

    private void keep(List<FileMark> changed) {
        changed.forEach(mark -> marks.put(mark.name(), mark));
    }

    private Map<String, byte[]> contents() throws IOException {
        var contents = new LinkedHashMap<String, byte[]>();
        contents.put(PageLog.FILE, Files.readAllBytes(folder.resolve(PageLog.FILE)));
        for (var file : new RealDisk().list(folder.resolve(WarcSink.FOLDER))) {
            contents.put(
                    WarcFiles.finished("warc/" + file.getFileName()), Files.readAllBytes(file));
        }
        return contents;
    }

    private static void write(WarcSink sink, int number) throws IOException {
        var _ = sink.write(sink.prepare(Captures.page(URL + number, "body " + number)));
    }

    private WarcSink open(long fileBytesMax) throws IOException {
        return WarcSink.open(
                new RealDisk(),
                folder,
                Captures.settings(Compression.GZIP, fileBytesMax, folder),
                List.copyOf(marks.values()),
                InstantSource.fixed(Captures.TIME));
    }
}
