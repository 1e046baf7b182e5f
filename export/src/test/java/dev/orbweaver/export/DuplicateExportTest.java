package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.Tombstones;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Generated pages of one template, of which {@code bench/run duplicates} is the long form. */
class DuplicateExportTest {

    private static final int PAGES = 150;
    private static final long SEED = Long.getLong("orbweaver.seed", 20_271L);

    @TempDir Path directory;

    private final Random random = new Random(SEED);
    private final String menu = String.join(" ", words(80));
    private final String footer = String.join(" ", words(30));

    @Test
    void copiesWithATenthOfTheirWordsReplacedAreFound() throws IOException {
        assertThat(shareFound(10)).as("seed %d", SEED).isGreaterThanOrEqualTo(0.95);
    }

    @Test
    void copiesWithATwentiethOfTheirWordsReplacedAreFound() throws IOException {
        assertThat(shareFound(5)).as("seed %d", SEED).isGreaterThanOrEqualTo(0.99);
    }

    @Test
    void copiesWithAQuarterOfTheirWordsReplacedAreNot() throws IOException {
        assertThat(shareFound(25)).as("seed %d", SEED).isLessThanOrEqualTo(0.01);
    }

    @Test
    void pagesOfOneTemplateWithDifferentTextAreNotNear() throws IOException {
        try (var crawl = CrawlFixture.in(directory)) {
            for (var i = 0; i < 2 * PAGES; i++) {
                crawl.page("http://a.test/" + i, page(words(15 + random.nextInt(300))));
            }
            assertThat(rows(crawl.pages()).size())
                    .as("seed %d", SEED)
                    .isLessThanOrEqualTo(2 * PAGES / 100);
        }
    }

    /** A part that both have is at most as long as the boilerplate of the template. */
    @Test
    void aTextWithAnotherPartOfItsOwnIsNotNear() throws IOException {
        try (var crawl = CrawlFixture.in(directory)) {
            var text = words(400);
            var longer = new ArrayList<>(text);
            longer.addAll(words(100));
            var other = new ArrayList<>(text.subList(0, 310));
            other.addAll(words(90));
            crawl.page("http://a.test/1", page(text))
                    .page("http://a.test/longer", page(longer))
                    .page("http://a.test/other", page(other));
            assertThat(rows(crawl.pages())).isEmpty();
        }
    }

    @Test
    void aPageNearToAnotherButNotToTheFirstFormsAFurtherCluster() throws IOException {
        try (var crawl = CrawlFixture.in(directory)) {
            var first = words(300);
            var second = replaced(first, 0, 27);
            var third = replaced(second, 100, 127);
            var fourth = replaced(second, 27, 30);
            crawl.page("http://a.test/1", page(first))
                    .page("http://a.test/2", page(second))
                    .page("http://a.test/3", page(third))
                    .page("http://a.test/4", page(fourth));
            assertThat(rows(crawl.pages()))
                    .containsExactly(
                            "1,3,\"first\",\"http://a.test/1\"",
                            "1,3,\"near\",\"http://a.test/2\"",
                            "1,3,\"near\",\"http://a.test/4\"",
                            "2,2,\"first\",\"http://a.test/2\"",
                            "2,2,\"near\",\"http://a.test/3\"");
        }
    }

    @Test
    void pagesOfALogWithoutSketchesAreReadInstead() throws IOException {
        var text = words(200);
        var copy = replaced(text, 10);
        try (var crawl = CrawlFixture.in(directory)) {
            crawl.page("http://a.test/1", page(text))
                    .page("http://a.test/2", page(copy))
                    .page("http://a.test/3", page(words(200)))
                    .page("http://a.test/empty", "<p></p>")
                    .commit();
        }
        var log = directory.resolve("pages.log");
        var lines = Files.readAllLines(log);
        assertThat(lines.getFirst()).containsPattern("\"minhash\":\"[\\w-]{43}\"");
        assertThat(lines.getLast()).doesNotContain("minhash");
        // Of the first page only, as in a crawl that an earlier version began.
        lines.set(0, lines.getFirst().replaceAll("\"minhash\":\"[^\"]*\",", ""));
        Files.write(log, lines);
        assertThat(rows(reopened()))
                .containsExactly(
                        "1,2,\"first\",\"http://a.test/1\"", "1,2,\"near\",\"http://a.test/2\"");
    }

    @Test
    void aDamagedSketchIsRefusedInASentence() throws IOException {
        try (var crawl = CrawlFixture.in(directory)) {
            crawl.page("http://a.test/1", page(words(200))).commit();
        }
        var log = directory.resolve("pages.log");
        Files.writeString(
                log,
                Files.readString(log).replaceAll("\"minhash\":\"[^\"]*\"", "\"minhash\":\"AAEC\""));
        assertThatThrownBy(() -> rows(reopened()))
                .isInstanceOf(IOException.class)
                .hasMessage("the page log has an invalid minhash for http://a.test/1: AAEC");
    }

    private CrawlPages reopened() throws IOException {
        return new CrawlPages(List.of(CrawlFixture.withoutFrontier(directory)), Tombstones.NONE);
    }

    /** Returns the share of copies that are in a cluster with their original. */
    private double shareFound(int percent) throws IOException {
        try (var crawl = CrawlFixture.in(directory)) {
            var copies = new ArrayList<List<String>>();
            for (var i = 0; i < PAGES; i++) {
                var text = words(20 + random.nextInt(300));
                copies.add(replaced(text, percent));
                crawl.page("http://a.test/" + i, page(text));
            }
            for (var i = 0; i < PAGES; i++) {
                crawl.page("http://a.test/copy" + i, page(copies.get(i)));
            }
            Map<String, String> clusters = new HashMap<>();
            for (var row : rows(crawl.pages())) {
                var cells = row.split(",", -1);
                clusters.putIfAbsent(cells[3].replaceAll("\"|http://a.test/", ""), cells[0]);
            }
            var found =
                    IntStream.range(0, PAGES)
                            .filter(
                                    i ->
                                            clusters.getOrDefault("copy" + i, "none")
                                                    .equals(clusters.get("" + i)))
                            .count();
            return (double) found / PAGES;
        }
    }

    /** Returns cluster, size, kind and URL of each row. */
    private static List<String> rows(CrawlPages pages) throws IOException {
        var out = new ByteArrayOutputStream();
        var target = new ExportTarget.StreamTarget(out);
        var _ = ExportRunner.run(pages, ExportSettings.of(ExportFormat.DUPLICATES, target));
        return out.toString(UTF_8)
                .lines()
                .skip(1)
                .map(row -> row.substring(0, row.indexOf(",\"title")))
                .toList();
    }

    private String page(List<String> text) {
        var paragraphs =
                IntStream.range(0, text.size())
                        .mapToObj(i -> (i % 40 == 0 ? "<p>" : "") + text.get(i))
                        .collect(Collectors.joining(" "));
        return "<title>title</title><nav>%s</nav><main><h1>Heading</h1>%s</main><footer>%s</footer>"
                .formatted(menu, paragraphs, footer);
    }

    /** Returns words of which some are frequent. */
    private List<String> words(int count) {
        return IntStream.range(0, count)
                .mapToObj(_ -> "w" + (int) (4_000 * Math.pow(random.nextDouble(), 3)))
                .toList();
    }

    private List<String> replaced(List<String> text, int percent) {
        var copy = new ArrayList<>(text);
        var positions = new ArrayList<>(IntStream.range(0, text.size()).boxed().toList());
        Collections.shuffle(positions, random);
        positions
                .subList(0, Math.round(text.size() * percent / 100f))
                .forEach(at -> copy.set(at, words(1).getFirst()));
        return copy;
    }

    private List<String> replaced(List<String> text, int from, int to) {
        var copy = new ArrayList<>(text);
        IntStream.range(from, to).forEach(at -> copy.set(at, "new" + at));
        return copy;
    }
}
