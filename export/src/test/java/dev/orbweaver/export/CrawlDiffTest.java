package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.archive.PageFilter;
import dev.orbweaver.testing.Golden;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class CrawlDiffTest {

    @TempDir Path directory;

    @Test
    void newRemovedAndChangedPagesAreReportedWithATextDiff() throws IOException {
        try (var old = CrawlFixture.in(Files.createDirectory(directory.resolve("old")));
                var young = CrawlFixture.in(Files.createDirectory(directory.resolve("young")))) {
            old.page("http://a.test/same", "<main><h1>Same</h1><p>Words.</p></main>")
                    .page("http://a.test/gone", "<p>gone</p>")
                    .page("http://a.test/theme", "<main><h1>T</h1><p>Words.</p></main>")
                    .page("http://a.test/text", text("eight"));
            young.page("http://a.test/text", text("six"))
                    .page("http://a.test/new", "<p>new</p>")
                    .page(
                            "http://a.test/theme",
                            "<body class=x><main><h1>T</h1><p>Words.</p></main>")
                    .page("http://a.test/same", "<main><h1>Same</h1><p>Words.</p></main>");
            var out = new ByteArrayOutputStream();
            var counts =
                    CrawlDiff.run(
                            old.pages(),
                            young.pages(),
                            PageFilter.ALL,
                            new ExportTarget.StreamTarget(out));
            assertThat(counts).isEqualTo(new CrawlDiff.Counts(1, 1, 1, 2));
            Golden.check("export/diff.txt", out.toString(UTF_8));
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
