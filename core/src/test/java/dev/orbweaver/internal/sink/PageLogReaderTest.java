package dev.orbweaver.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.model.Capture.Kind;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

class PageLogReaderTest {

    @TempDir Path directory;

    @Test
    void aLogThatIsNotThereYetIsEmptyAndIsReadOnceItIs() throws IOException {
        try (var log = PageLogReader.open(directory)) {
            assertThat(log.next(10)).isEmpty();
            write(entry(1, "one"));
            assertThat(titles(log.next(10))).containsExactly("one");
        }
    }

    /** However the writer's bytes are split: lines in order, each once, none before its end. */
    @Test
    void aTornLastLineIsNotYetThere() throws IOException {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        var all = new ByteArrayOutputStream();
        var expected = new ArrayList<String>();
        for (var i = 1; i <= 300; i++) {
            var title =
                    i + "日本" + "x".repeat(random.nextInt(random.nextInt(20) == 0 ? 300_000 : 90));
            expected.add(title);
            all.write(entry(i, title).toJsonLine());
        }
        var bytes = all.toByteArray();
        var read = new ArrayList<String>();
        try (var log = PageLogReader.open(directory)) {
            for (var at = 0; at < bytes.length; ) {
                var piece = Math.min(bytes.length - at, 1 + random.nextInt(20_000));
                append(Arrays.copyOfRange(bytes, at, at + piece));
                at += piece;
                read.addAll(titles(log.next(1 + random.nextInt(5))));
            }
            read.addAll(titles(log.next(1_000)));
        }
        assertThat(read).as("seed " + seed).isEqualTo(expected);
    }

    @Test
    void whatIsNotCommittedIsNotSeenEvenWhenItIsTakenBackAndWrittenOtherwise() throws IOException {
        var committed = new AtomicLong();
        write(entry(1, "one"), entry(2, "two"));
        var first = entry(1, "one").toJsonLine().length;
        try (var log = PageLogReader.open(directory, committed::get)) {
            assertThat(log.next(10)).isEmpty();
            committed.set(first);
            assertThat(titles(log.next(10))).containsExactly("one");
            truncate(first);
            write(entry(2, "another two"));
            committed.set(Files.size(file()));
            assertThat(titles(log.next(10))).containsExactly("another two");
        }
    }

    @Test
    void halfALineThatIsCutOffAndWrittenOtherwiseIsReadAsItIsNow() throws IOException {
        write(entry(1, "one"));
        var length = Files.size(file());
        append("{\"seq\":2,\"url\":\"http://gone".getBytes(UTF_8));
        try (var log = PageLogReader.open(directory)) {
            assertThat(titles(log.next(10))).containsExactly("one");
            truncate(length);
            write(entry(2, "two"));
            assertThat(log.next(1).getFirst().entry()).isEqualTo(entry(2, "two"));
        }
    }

    @Test
    void itGoesOnFromAPositionThatWasKept() throws IOException {
        write(entry(1, "one"), entry(2, "x".repeat(400_000)), entry(3, "three"));
        PageLogPosition kept;
        try (var log = PageLogReader.open(directory)) {
            kept = log.next(2).getLast().after();
            assertThat(kept).isEqualTo(log.position());
        }
        assertThat(kept.seq()).isEqualTo(2);
        try (var log = PageLogReader.open(directory)) {
            assertThat(log.seek(kept)).isTrue();
            assertThat(titles(log.next(10))).containsExactly("three");
            assertThat(log.seek(PageLogPosition.START)).isTrue();
            assertThat(log.next(10)).hasSize(3);
        }
    }

    @Test
    void aPositionThatTheLogNoLongerHasIsRefused() throws IOException {
        write(entry(1, "one"), entry(2, "two"));
        PageLogPosition kept;
        try (var log = PageLogReader.open(directory)) {
            kept = log.next(2).getLast().after();
        }
        truncate(entry(1, "one").toJsonLine().length);
        try (var log = PageLogReader.open(directory)) {
            assertThat(log.seek(kept)).as("a log that is shorter now").isFalse();
            write(entry(2, "owt"));
            assertThat(log.seek(kept)).as("another line of the same length").isFalse();
            assertThat(titles(log.next(10))).containsExactly("one", "owt");
        }
    }

    @Test
    void itWaitsForLinesButNotForEver() throws Exception {
        write(entry(1, "one"));
        try (var log = PageLogReader.open(directory)) {
            assertThat(titles(log.await(10, Duration.ofMillis(50)))).containsExactly("one");
            var writer = Thread.ofVirtual().start(() -> writeLater(entry(2, "two")));
            assertThat(titles(log.await(1, Duration.ofMinutes(1)))).containsExactly("two");
            writer.join();
        }
    }

    @Test
    void aWholeLineThatIsNoEntryIsAnError() throws IOException {
        append("{}\n".getBytes(UTF_8));
        try (var log = PageLogReader.open(directory)) {
            assertThatThrownBy(() -> log.next(1))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("not a valid entry");
        }
    }

    @Test
    void linesAreFoundByUrlHostTimeAndStatus() {
        var entry = entry(7, "seven");
        var time = entry.time();
        assertThat(PageLogFilter.ALL).accepts(entry);
        assertThat(PageLogFilter.ALL.url("http://a.test:81/7").host("a.test").status(200))
                .accepts(entry);
        assertThat(PageLogFilter.ALL.url("http://a.test:81/8")).rejects(entry);
        assertThat(PageLogFilter.ALL.host("b.test")).rejects(entry);
        assertThat(PageLogFilter.ALL.status(404)).rejects(entry);
        assertThat(PageLogFilter.ALL.between(time, time.plusMillis(1))).accepts(entry);
        assertThat(PageLogFilter.ALL.between(time.plusMillis(1), time.plusMillis(2)))
                .rejects(entry);
        assertThat(PageLogFilter.ALL.between(time.minusMillis(1), time)).rejects(entry);
    }

    private void writeLater(PageLogEntry entry) {
        try {
            Thread.sleep(30);
            write(entry);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private Path file() {
        return directory.resolve(DirectoryLayout.PAGE_LOG);
    }

    private void write(PageLogEntry... entries) throws IOException {
        for (var entry : entries) {
            append(entry.toJsonLine());
        }
    }

    private void append(byte[] bytes) throws IOException {
        Files.write(file(), bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private void truncate(long length) throws IOException {
        try (var channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
            channel.truncate(length);
        }
    }

    private static List<String> titles(List<PageLogLine> lines) {
        return lines.stream().map(line -> line.entry().title()).toList();
    }

    private static PageLogEntry entry(long seq, String title) {
        return PageLogEntry.of(seq, "http://a.test:81/" + seq, Kind.PAGE)
                .status(200)
                .time(Instant.ofEpochMilli(seq))
                .title(title)
                .build();
    }
}
