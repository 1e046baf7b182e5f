package dev.orbweaver.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.CommittedLength;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netpreserve.jwarc.WarcReader;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * A WARC file has the suffix {@code .open} while it may change, and its final name when it cannot.
 */
class OpenFilesTest {

    private static final String URL = "http://a.test/x";

    @TempDir Path directory;
    private Instant now = Captures.TIME;

    @Test
    void aFileCarriesOpenUntilTheCrawlEnds() throws IOException {
        try (var sink = open(1 << 30, List.of())) {
            write(sink, 1);
            var marks = sink.commit();
            assertThat(names()).allMatch(name -> name.endsWith(".warc.gz.open")).hasSize(1);
            assertThat(marks)
                    .extracting(CommittedLength::name)
                    .noneMatch(name -> name.endsWith(".open"));
        }
        assertThat(names()).allMatch(name -> name.endsWith(".warc.gz")).hasSize(1);
        assertThat(entries())
                .extracting(PageLogEntry::warc)
                .containsExactly("warc/" + names().get(0));
    }

    @Test
    void aFullFileIsFinishedOnceTheBatchThatFilledItCannotBeTakenBack() throws IOException {
        try (var sink = open(1, List.of())) {
            write(sink, 1);
            var _ = sink.commit();
            write(sink, 2);
            assertThat(open()).hasSize(2);
            sink.rollBack();
            assertThat(open()).hasSize(1);
            write(sink, 2);
            var _ = sink.commit();
            assertThat(open()).hasSize(2);
            write(sink, 3);
            var _ = sink.commit();
            assertThat(open()).hasSize(2);
            assertThat(names()).hasSize(3);
        }
        assertThat(open()).isEmpty();
        assertThat(entries())
                .extracting(PageLogEntry::url)
                .containsExactly(URL + 1, URL + 2, URL + 3);
    }

    @Test
    void aFileLeftOpenByADeathIsCutBackAndFinished() throws IOException {
        var sink = open(1 << 30, List.of());
        write(sink, 1);
        var marks = sink.commit();
        write(sink, 2);
        var _ = sink.commit(); // Never committed: the process died here.
        var left = open().getFirst();
        assertThat(Files.size(directory.resolve("warc").resolve(left)))
                .isGreaterThan(marks.getFirst().length());
        try (var again = open(1 << 30, marks)) {
            assertThat(open()).isEmpty();
            assertThat(directory.resolve(marks.getFirst().name()))
                    .hasSize(marks.getFirst().length());
            write(again, 3);
            var _ = again.commit();
        }
        assertThat(entries()).extracting(PageLogEntry::url).containsExactly(URL + 1, URL + 3);
        for (var name : names()) {
            assertThat(records(name)).isEqualTo(3);
        }
        sink.close();
    }

    @Test
    void aFileThatNoCommitNamesIsMovedAsideOpenOrNot() throws IOException {
        Files.createDirectories(directory.resolve("warc"));
        Files.writeString(
                directory.resolve("warc/orbweaver-20260301115959-00009.warc.gz.open"), "x");
        Files.writeString(directory.resolve("warc/orbweaver-20260301115959-00008.warc.gz"), "x");
        open(1 << 30, List.of()).close();
        assertThat(names()).isEmpty();
        assertThat(new RealDisk().list(directory.resolve(DirectoryLayout.RECOVERED))).hasSize(2);
    }

    @Test
    void aCaptureIsReadFromTheOpenFileAndAfterItsRename() throws IOException {
        var reader = new CaptureReader(directory);
        try (var sink = open(1 << 30, List.of())) {
            write(sink, 1);
            var _ = sink.commit();
            assertThat(body(reader)).isEqualTo("body 1");
        }
        assertThat(body(reader)).isEqualTo("body 1");
    }

    @Test
    void aMissingFileIsSaidToBeMissing() throws IOException {
        try (var sink = open(1 << 30, List.of())) {
            write(sink, 1);
            var _ = sink.commit();
        }
        Files.delete(directory.resolve("warc").resolve(names().getFirst()));
        assertThatThrownBy(() -> body(new CaptureReader(directory)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("of the page log is missing");
    }

    @Test
    void namesSortAsTheFilesWereBegunAlsoWhenTheClockIsSetBack() throws IOException {
        var all = new LinkedHashMap<String, CommittedLength>();
        try (var sink = open(1, List.of())) {
            write(sink, 1);
            now = now.minus(Duration.ofHours(1));
            write(sink, 2);
            sink.commit().forEach(mark -> all.put(mark.name(), mark));
        }
        now = now.minus(Duration.ofHours(1));
        try (var sink = open(1, List.copyOf(all.values()))) {
            write(sink, 3);
            sink.commit().forEach(mark -> all.put(mark.name(), mark));
        }
        assertThat(entries()).extracting(PageLogEntry::warc).isSorted().doesNotHaveDuplicates();
    }

    private String body(CaptureReader reader) throws IOException {
        var exchange = reader.exchange(entries().getFirst(), Captures.url(URL));
        var body = (Body.InMemory) exchange.body();
        return new String(body.bytes(), 0, body.size(), UTF_8);
    }

    private int records(String name) throws IOException {
        try (var reader = new WarcReader(directory.resolve("warc").resolve(name))) {
            return Math.toIntExact(reader.records().count());
        }
    }

    private List<String> open() throws IOException {
        return names().stream().filter(name -> name.endsWith(WarcFiles.OPEN)).toList();
    }

    private List<String> names() throws IOException {
        return new RealDisk()
                .list(directory.resolve("warc")).stream()
                        .map(file -> file.getFileName().toString())
                        .toList();
    }

    private List<PageLogEntry> entries() throws IOException {
        var entries = new ArrayList<PageLogEntry>();
        PageLog.read(directory.resolve(DirectoryLayout.PAGE_LOG), entries::add);
        return entries;
    }

    private static void write(WarcSink sink, int number) throws IOException {
        var _ = sink.write(sink.prepare(Captures.page(URL + number, "body " + number)));
    }

    private WarcSink open(long fileBytesMax, List<CommittedLength> marks) throws IOException {
        InstantSource clock = () -> now;
        return WarcSink.open(
                new RealDisk(),
                directory,
                Captures.settings(Compression.GZIP, fileBytesMax, directory),
                marks,
                clock);
    }
}
