package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import dev.orbweaver.internal.archive.PageFilter;
import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.testing.Golden;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

class CrawlDiffTest {

    @TempDir Path directory;

    private CrawlFixture old;
    private CrawlFixture young;

    @BeforeEach
    void open() throws IOException {
        old = CrawlFixture.in(Files.createDirectory(directory.resolve("old")));
        young = CrawlFixture.in(Files.createDirectory(directory.resolve("young")));
        old.page("http://a.test/same", "<main><h1>Same</h1><p>Words.</p></main>")
                .page("http://a.test/gone", "<title>Was here</title><p>gone</p>")
                .page("http://a.test/theme", "<main><h1>T</h1><p>Words.</p></main>")
                .page("http://a.test/text", text("eight"));
        young.page("http://a.test/text", text("six"))
                .page("http://a.test/new?a=1&b=<2>", "<title>A \u0007 & B</title><p>new</p>")
                .page("http://a.test/theme", "<body class=x><main><h1>T</h1><p>Words.</p></main>")
                .page("http://a.test/same", "<main><h1>Same</h1><p>Words.</p></main>")
                .notFound("http://a.test/gone");
    }

    @AfterEach
    void close() throws IOException {
        old.close();
        young.close();
    }

    private CrawlDiff.Counts run(CrawlDiff.Settings settings, OutputStream out) throws IOException {
        return CrawlDiff.run(
                old.pages(),
                young.pages(),
                PageFilter.ALL,
                settings,
                new ExportTarget.StreamTarget(out));
    }

    private String written(ChangeFormat format, boolean markup) throws IOException {
        var out = new ByteArrayOutputStream();
        var _ = run(new CrawlDiff.Settings(format, markup), out);
        return out.toString(UTF_8);
    }

    @Test
    void newRemovedAndChangedPagesAreReportedWithATextDiff() throws IOException {
        var out = new ByteArrayOutputStream();
        assertThat(run(CrawlDiff.Settings.DEFAULT, out))
                .isEqualTo(new CrawlDiff.Counts(1, 1, 1, 2, 1));
        Golden.check("export/diff.txt", out.toString(UTF_8));
    }

    @Test
    void everyKindOfChangeIsALineOfJson() throws IOException {
        var lines = written(ChangeFormat.JSONL, true);
        // The length of a record depends on the compression library.
        Golden.check(
                "export/changes.jsonl",
                lines.replaceAll("\"(offset|length)\":[1-9][0-9]*", "\"$1\":0"));
    }

    @Test
    void changesAreAFeed() throws Exception {
        var feed = written(ChangeFormat.ATOM, true);
        Golden.check("export/changes.atom", feed);
        AtomRules.check(feed);
    }

    @Test
    void otherMarkupIsListedOnRequestOnly() throws IOException {
        for (var format : ChangeFormat.values()) {
            assertThat(written(format, true)).contains("markup", "http://a.test/theme");
            assertThat(written(format, false)).doesNotContain("http://a.test/theme");
        }
    }

    @Test
    void entriesOfAFeedKeepTheirIdsWhenTheCrawlContinues() throws IOException {
        var before = ids(written(ChangeFormat.ATOM, false));
        young.page("http://a.test/later", "<p>later</p>");
        var after = ids(written(ChangeFormat.ATOM, false));
        assertThat(before).hasSize(4).doesNotHaveDuplicates();
        assertThat(after).hasSize(5).containsAll(before).doesNotHaveDuplicates();
    }

    private static List<String> ids(String feed) {
        return feed.lines().filter(line -> line.contains("<id>")).map(String::strip).toList();
    }

    @Test
    void aLongChangeIsLimitedInJsonAndFeed() throws IOException {
        var line = "<p>" + "spider ".repeat(200) + "%d</p>";
        var lines = IntStream.range(0, 150).mapToObj(line::formatted).collect(joining());
        old.page("http://a.test/long", "<main>" + lines + "</main>");
        young.page("http://a.test/long", "<main><p>Short.</p></main>");
        var limit = ChangedLines.LINES_MAX * (ChangedLines.LINE_CHARS_MAX + 10);
        assertThat(written(ChangeFormat.JSONL, false))
                .contains("\"lines-omitted\":50")
                .hasSizeLessThan(limit + 4_000);
        assertThat(written(ChangeFormat.ATOM, false))
                .contains("(50 more lines)")
                .hasSizeLessThan(limit + 4_000);
    }

    /** The record of an unchanged page is destroyed: reading it would fail. */
    @Test
    void contentIsReadOnlyWhereTheDigestDiffers() throws IOException {
        var page = new ArrayList<StoredPage>();
        old.pages().forEachPage(page::add);
        assertThat(page.getFirst().url()).endsWith("/same");
        try (var file = new RandomAccessFile(warc("old").toFile(), "rw")) {
            file.seek(page.getFirst().offset());
            file.write(new byte[(int) page.getFirst().length()]);
        }
        assertThatThrownBy(() -> old.pages().response(page.getFirst()))
                .isInstanceOf(IOException.class);
        assertThat(run(CrawlDiff.Settings.DEFAULT, OutputStream.nullOutputStream()))
                .isEqualTo(new CrawlDiff.Counts(1, 1, 1, 2, 1));
    }

    private Path warc(String crawl) throws IOException {
        try (var files = Files.list(directory.resolve(crawl).resolve(DirectoryLayout.WARC))) {
            return files.findFirst().orElseThrow();
        }
    }

    private static String text(String legs) {
        return "<main><h1>Spiders</h1><p>They are not insects. They have %s legs. They weave.</p>"
                        .formatted(legs)
                + "<p>Some live in water.</p><pre>legs: %s</pre></main>".formatted(legs);
    }

    @Test
    void aDiffTurnsOneTextIntoTheOther() {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        for (var round = 0; round < 500; round++) {
            var before = lines(random);
            var after = new ArrayList<>(before);
            for (var edits = random.nextInt(6); edits > 0; edits--) {
                if (random.nextBoolean() && !after.isEmpty()) {
                    after.remove(random.nextInt(after.size()));
                } else {
                    after.add(random.nextInt(after.size() + 1), "n" + random.nextInt(5));
                }
            }
            var diff = LineDiff.of(before, after);
            assertThat(diff.isEmpty()).as("seed %d", seed).isEqualTo(before.equals(after));
            assertThat(applied(before, diff)).as("seed %d: %s", seed, diff).isEqualTo(after);
        }
    }

    @Test
    void textsWithLittleInCommonAreReportedAsReplaced() {
        var before = new ArrayList<String>();
        var after = new ArrayList<String>();
        for (var i = 0; i < 3_000; i++) {
            before.add("a" + i);
            after.add("b" + i);
        }
        assertThat(LineDiff.of(before, after)).hasSize(6_001);
    }

    private static List<String> lines(Random random) {
        var lines = new ArrayList<String>();
        for (var i = random.nextInt(30); i > 0; i--) {
            lines.add("l" + random.nextInt(10));
        }
        return lines;
    }

    private static List<String> applied(List<String> before, List<String> diff) {
        var result = new ArrayList<String>();
        var at = 0;
        for (var line : diff) {
            if (line.startsWith("@@")) {
                var from = Integer.parseInt(line.substring(4, line.indexOf(' ', 4))) - 1;
                result.addAll(before.subList(at, from));
                at = from;
            } else if (line.startsWith("+")) {
                result.add(line.substring(1));
            } else {
                assertThat(before.get(at)).isEqualTo(line.substring(1));
                at++;
                if (line.startsWith(" ")) {
                    result.add(line.substring(1));
                }
            }
        }
        result.addAll(before.subList(at, before.size()));
        return result;
    }
}
