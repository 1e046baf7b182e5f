package dev.orbweaver.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.model.Capture.Kind;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

class PageLogTest {

    @TempDir Path directory;

    @Test
    void everyEntryComesBackAsItWasWritten() throws IOException {
        var odd = new StringBuilder("\"\\/\u2028\u2029\ufeff\ud83d\ude00 \ud800 \udc00 end\ud83d");
        for (var c = 0; c < 0x100; c++) {
            odd.append((char) c);
        }
        var entries =
                List.of(
                        entry(1, "http://a.test/", ""),
                        entry(2, "http://a.test/" + "u".repeat(8178), odd.toString()),
                        entry(Long.MAX_VALUE, "http://a.test/?q=\"|'{}", "naïve 日本語"));
        var log = log(entries);
        assertThat(read(log)).isEqualTo(entries);
        assertThat(Files.readAllLines(log)).as("one line each").hasSize(3);
    }

    @Test
    void anyTextComesBackAsItWasWritten() throws IOException {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        var entries = new ArrayList<PageLogEntry>();
        for (var i = 1; i <= 200; i++) {
            var text = new StringBuilder();
            random.ints(random.nextInt(40), 0, 0x10000).forEach(c -> text.append((char) c));
            entries.add(entry(i, "http://a.test/", text.toString()));
        }
        assertThat(read(log(entries))).as("seed " + seed).isEqualTo(entries);
    }

    @Test
    void aLastLineThatIsNotWholeYetIsLeftOutWhereverItIsTorn() throws IOException {
        var first = entry(1, "http://a.test/1", "one");
        var last = entry(2, "http://a.test/2", "日本 \ud83d\ude00").toJsonLine();
        for (var cut = 0; cut < last.length - 2; cut++) {
            var log = log(List.of(first));
            Files.write(log, Arrays.copyOf(last, cut), StandardOpenOption.APPEND);
            assertThat(read(log)).as("cut at " + cut).containsExactly(first);
        }
    }

    @Test
    void aBrokenLineInTheMiddleIsNotPassedOver() throws IOException {
        var log = log(List.of(entry(1, "http://a.test/1", "")));
        Files.writeString(log, "{\"seq\":\n{}\n", StandardOpenOption.APPEND);
        assertThatThrownBy(() -> read(log))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not JSON");
    }

    /** Found by mutation: JSON, but with a time or a kind that no crawl writes. */
    @Test
    void aLineThatIsJsonButNoEntryIsRefusedInASentenceToo() throws IOException {
        for (var line :
                List.of(
                        "{}",
                        "{\"kind\":\"pgge\"}",
                        "{\"kind\":\"page\",\"time\":\"\"}",
                        "{\"kind\":\"page\",\"time\":\"2026-03-01T12:00:00Z\",\"simhash\":\"zz\"}")) {
            var log = log(List.of(entry(1, "http://a.test/1", "")));
            Files.writeString(log, line + "\n{}\n", StandardOpenOption.APPEND);
            assertThatThrownBy(() -> read(log))
                    .isInstanceOf(IOException.class)
                    .hasMessage("the page log has a line that is not a valid entry: " + line);
        }
    }

    @Test
    void theLastNumberIsFoundHoweverLongItsLine() throws IOException {
        assertThat(PageLog.lastSequence(log(List.of()))).isZero();
        assertThat(PageLog.lastSequence(log(List.of(entry(7, "http://a.test/", ""))))).isEqualTo(7);
        var long1 = entry(8, "http://a.test/", "\u0080".repeat(100_000));
        var long2 = entry(9, "http://a.test/", "\u0080".repeat(100_000));
        assertThat(PageLog.lastSequence(log(List.of(long1)))).isEqualTo(8);
        assertThat(PageLog.lastSequence(log(List.of(long1, long2)))).isEqualTo(9);
    }

    @Test
    void aLogThatEndsInNonsenseIsRefusedInASentence() throws IOException {
        var log = Files.writeString(directory.resolve("bad.log"), "nonsense\n", UTF_8);
        assertThatThrownBy(() -> PageLog.lastSequence(log))
                .isInstanceOf(IOException.class)
                .hasMessage("the page log ends in a line that is not JSON: nonsense");
    }

    private Path log(List<PageLogEntry> entries) throws IOException {
        var log = directory.resolve(DirectoryLayout.PAGE_LOG);
        Files.deleteIfExists(log);
        Files.createFile(log);
        for (var entry : entries) {
            Files.write(log, entry.toJsonLine(), StandardOpenOption.APPEND);
        }
        return log;
    }

    private static List<PageLogEntry> read(Path log) throws IOException {
        var entries = new ArrayList<PageLogEntry>();
        PageLog.read(log, entries::add);
        return entries;
    }

    private static PageLogEntry entry(long seq, String url, String text) {
        return PageLogEntry.of(seq, url, Kind.REDIRECT)
                .status(301)
                .time(Instant.parse("2026-03-01T12:00:00.000000001Z"))
                .milliseconds(12)
                .depth(3)
                .parent(seq - 1)
                .retries(2)
                .mediaType("text/html")
                .charset("UTF-8")
                .title(text)
                .links(5)
                .simHash(seq << 62 | 5)
                .minHash("AAEC")
                .bytes(1L << 40)
                .digest("sha1:X")
                .location(text)
                .detail(text)
                .stored(new WarcLocation("warc/x.warc.gz", 1L << 33, 77))
                .linksDeferred(true)
                .directives(text)
                .build();
    }
}
