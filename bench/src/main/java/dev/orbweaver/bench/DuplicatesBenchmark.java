package dev.orbweaver.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.export.CrawlFixture;
import dev.orbweaver.export.ExportFormat;
import dev.orbweaver.export.ExportRunner;
import dev.orbweaver.export.ExportSettings;
import dev.orbweaver.export.ExportTarget;
import dev.orbweaver.export.markdown.MarkdownConverter;
import dev.orbweaver.export.markdown.RepeatedBlocks;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.Tombstones;
import dev.orbweaver.internal.parse.MinHash;
import dev.orbweaver.internal.parse.SimHash;
import dev.orbweaver.internal.parse.WordIterator;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.spi.Document;

import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.TextNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Measures how many near-duplicates the export {@code duplicates} finds in real manuals, and how
 * many of those it reports are none.
 *
 * <p>Recall: a part of the words of a page's main text, at random positions, is replaced by words
 * of the same manual. The copy must be in a cluster with the original. False positives: the pages
 * of a manual alone. A page that is reported as near is compared word by word with the first page
 * of its cluster (longest common subsequence); it is false if more than a fifth of the words
 * differ.
 */
final class DuplicatesBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "duplicates",
                    "recall and false positives of near-duplicates, CPU time of the sketches"
                            + " [--corpus DIR,DIR --pages 1000 --copies 300 --seed N]",
                    options -> new DuplicatesBenchmark(options).run());

    private static final int[] PERCENT_REPLACED = {1, 2, 5, 10, 15, 20};
    private static final int[] PERCENT_DIFFERENT = {2, 5, 10, 15, 20, 100};
    private static final int FALSE_PERCENT = 20;

    /** Shorter texts are never near-duplicates. */
    private static final int WORDS_MIN = 17;

    private static final int PAGE_BYTES_MAX = 300_000;
    private static final int BLOCKS = 10;
    private static final int PASSES = 7;
    private static final double TYPICAL_BYTES = 23_000;

    /** The containers of DocBook, which are directly in the body. */
    private static final String DOCBOOK =
            "^(article|appendix|bibliography|chapter|part|preface|refentry|reference|sect1|section)$";

    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}]+");

    private final CrawlUrls urls = new CrawlUrls(Normalisation.DEFAULT);
    private final List<Path> manuals;
    private final int pagesMax;
    private final int copies;
    private final long seed;

    /** A page of a manual; {@code words} are those of its main text. */
    private record ManualPage(String url, String html, List<String> words) {}

    /** A line of the report. */
    private record Row(int cluster, String how, String url) {}

    private DuplicatesBenchmark(Options options) {
        manuals =
                Stream.of(
                                options.text("corpus", ParseBenchmark.directory(options).toString())
                                        .split(",", -1))
                        .map(Path::of)
                        .toList();
        pagesMax = options.number("pages", 1_000);
        copies = options.number("copies", 300);
        seed = options.number("seed", 1);
    }

    private Map<String, Object> run() throws IOException {
        var figures = new LinkedHashMap<String, Object>();
        var worstRecall = 1.0;
        var worstFalse = 0.0;
        var all = new ArrayList<ManualPage>();
        for (var manual : manuals) {
            var pages = read(manual);
            all.addAll(pages);
            System.err.printf("bench: %s: %d pages%n", manual, pages.size());
            worstRecall = Math.min(worstRecall, printRecall(pages));
            worstFalse = Math.max(worstFalse, printFalse(pages));
        }
        figures.put("leastRecallOfTenPercent", worstRecall);
        figures.put("mostFalsePages", worstFalse);
        figures.put("simHashMicrosPer23KB", micros(all, false));
        figures.put("bothMicrosPer23KB", micros(all, true));
        return figures;
    }

    /** Reads pages in several blocks of neighbours, which are the most similar. */
    private List<ManualPage> read(Path directory) throws IOException {
        var files = PageCorpus.in(directory).files();
        var block = Math.max(1, pagesMax / BLOCKS);
        var pages = new ArrayList<ManualPage>();
        for (var i = 0; i < files.size() && pages.size() < pagesMax; i++) {
            var inBlock = files.size() <= pagesMax || i % (files.size() / BLOCKS) < block;
            if (inBlock && Files.size(files.get(i)) <= PAGE_BYTES_MAX) {
                // Written by jsoup like the copies, so that only the replaced words differ.
                var tree = Jsoup.parse(Files.readString(files.get(i), UTF_8));
                tree.outputSettings().prettyPrint(false);
                var html = tree.outerHtml();
                pages.add(new ManualPage("http://manual.test/" + i, html, mainWords(html)));
            }
        }
        return pages;
    }

    private List<String> mainWords(String html) {
        var bytes = html.getBytes(UTF_8);
        var document =
                new Document(
                        urls.parse("http://manual.test/").orElseThrow(),
                        "text/html; charset=utf-8",
                        List.of(),
                        bytes,
                        bytes.length);
        var converter = new MarkdownConverter(new RepeatedBlocks(), false);
        var body = converter.convert(document, Instant.EPOCH).body();
        var iterator = new WordIterator(body.replaceAll("\\]\\([^)\\s]*\\)", "]"));
        var words = new ArrayList<String>();
        while (iterator.next(1)) {
            words.add(iterator.current().toLowerCase(Locale.ROOT));
        }
        return words;
    }

    private double printRecall(List<ManualPage> pages) throws IOException {
        var random = new Random(seed);
        var vocabulary = pages.stream().flatMap(page -> page.words.stream()).distinct().toList();
        var longEnough =
                new ArrayList<>(
                        pages.stream().filter(page -> page.words.size() >= WORDS_MIN).toList());
        Collections.shuffle(longEnough, random);
        var originals = longEnough.subList(0, Math.min(copies, longEnough.size()));
        System.err.printf(
                "bench: %d pages have fewer than %d words in their main text%n",
                pages.size() - longEnough.size(), WORDS_MIN);
        var result = 0.0;
        for (var percent : PERCENT_REPLACED) {
            var crawl = new ArrayList<>(pages);
            for (var page : originals) {
                var html = replaceWords(page.html, percent, vocabulary, random);
                crawl.add(new ManualPage(copyUrl(page), html, List.of()));
            }
            var clusters = new HashMap<String, List<Integer>>();
            for (var row : report(crawl)) {
                clusters.computeIfAbsent(row.url, _ -> new ArrayList<>()).add(row.cluster);
            }
            var reported = 0;
            var found = 0;
            for (var page : originals) {
                var ofCopy = clusters.getOrDefault(copyUrl(page), List.of());
                reported += ofCopy.isEmpty() ? 0 : 1;
                found +=
                        Collections.disjoint(ofCopy, clusters.getOrDefault(page.url, List.of()))
                                ? 0
                                : 1;
            }
            System.err.printf(
                    Locale.ROOT,
                    "bench:   %2d %% replaced: %5.1f %% with the original, %5.1f %% reported%n",
                    percent,
                    100.0 * found / originals.size(),
                    100.0 * reported / originals.size());
            if (percent == 10) {
                result = (double) found / originals.size();
            }
        }
        return result;
    }

    private static String copyUrl(ManualPage page) {
        return page.url + "/copy";
    }

    private static String replaceWords(
            String html, int percent, List<String> vocabulary, Random random) {
        var tree = Jsoup.parse(html);
        tree.outputSettings().prettyPrint(false);
        var nodes = new ArrayList<TextNode>();
        mainElement(tree)
                .traverse(
                        (node, _) -> {
                            if (node instanceof TextNode text) {
                                nodes.add(text);
                            }
                        });
        var count =
                nodes.stream().mapToLong(node -> WORD.matcher(text(node)).results().count()).sum();
        var replaced = new boolean[(int) count];
        for (var left = Math.round(count * percent / 100.0); left > 0; ) {
            var at = random.nextInt(replaced.length);
            left -= replaced[at] ? 0 : 1;
            replaced[at] = true;
        }
        var at = new int[1];
        for (var node : nodes) {
            node.text(
                    WORD.matcher(text(node))
                            .replaceAll(
                                    match ->
                                            replaced[at[0]++]
                                                    ? vocabulary.get(
                                                            random.nextInt(vocabulary.size()))
                                                    : match.group()));
        }
        return tree.outerHtml();
    }

    private static String text(TextNode node) {
        return node.getWholeText();
    }

    /** Returns the container that the themes of these manuals have for the main text. */
    private static Element mainElement(org.jsoup.nodes.Document tree) {
        return Stream.of("div.body", "#main-content", "main", "body > div[class~=" + DOCBOOK + "]")
                .flatMap(selector -> tree.select(selector).stream())
                .findFirst()
                .orElse(tree.body());
    }

    private double printFalse(List<ManualPage> pages) throws IOException {
        var words = new HashMap<String, List<String>>();
        pages.forEach(page -> words.put(page.url, page.words));
        var counts = new int[PERCENT_DIFFERENT.length];
        var reported = 0;
        var wrong = 0;
        var first = "";
        for (var row : report(pages)) {
            first = row.how.equals("first") ? row.url : first;
            if (row.how.equals("near")) {
                var different = 100 * difference(words.get(first), words.get(row.url));
                reported++;
                wrong += different > FALSE_PERCENT ? 1 : 0;
                var bucket = 0;
                while (different > PERCENT_DIFFERENT[bucket]) {
                    bucket++;
                }
                counts[bucket]++;
            }
        }
        var text = new StringBuilder();
        for (var i = 0; i < counts.length; i++) {
            text.append(" <=%d%%: %d".formatted(PERCENT_DIFFERENT[i], counts[i]));
        }
        System.err.printf(
                Locale.ROOT,
                "bench:   reported as near: %d of %d pages; words that differ:%s; false: %.2f %% of"
                        + " pages%n",
                reported,
                pages.size(),
                text,
                100.0 * wrong / pages.size());
        return (double) wrong / pages.size();
    }

    /** Returns the share of the longer text that is not in the longest common subsequence. */
    private static double difference(List<String> a, List<String> b) {
        var above = new int[b.size() + 1];
        var row = new int[b.size() + 1];
        for (var word : a) {
            for (var j = 1; j < row.length; j++) {
                row[j] =
                        word.equals(b.get(j - 1))
                                ? above[j - 1] + 1
                                : Math.max(above[j], row[j - 1]);
            }
            var swap = above;
            above = row;
            row = swap;
        }
        return 1 - (double) above[b.size()] / Math.max(1, Math.max(a.size(), b.size()));
    }

    /** Stores pages as a crawl does, and exports their duplicates. */
    private static List<Row> report(List<ManualPage> pages) throws IOException {
        var directory = Files.createTempDirectory("orbweaver-bench");
        try (var fixture = CrawlFixture.in(directory.resolve("crawl"))) {
            for (var page : pages) {
                fixture.page(page.url, page.html);
            }
            var file = directory.resolve("duplicates.csv");
            var begun = Cpu.processNanos();
            var _ =
                    ExportRunner.run(
                            new CrawlPages(List.of(fixture.commit().crawl()), Tombstones.NONE),
                            ExportSettings.of(
                                    ExportFormat.DUPLICATES, new ExportTarget.PathTarget(file)));
            System.err.printf(
                    Locale.ROOT,
                    "bench:   export: %.1f ms of CPU per page%n",
                    (Cpu.processNanos() - begun) / 1e6 / pages.size());
            var rows = new ArrayList<Row>();
            var lines = Files.readAllLines(file);
            for (var line : lines.subList(1, lines.size())) {
                var cells = line.split(",", 5);
                rows.add(
                        new Row(
                                Integer.parseInt(cells[0]),
                                cells[2].replace("\"", ""),
                                cells[3].replace("\"", "")));
            }
            return rows;
        } finally {
            CrawlProcess.delete(directory);
        }
    }

    /** Returns the CPU time of the sketches of a page's visible text, per 23 KB of HTML. */
    private static double micros(List<ManualPage> pages, boolean both) {
        var bytes = 0L;
        var texts = new ArrayList<byte[]>();
        for (var page : pages) {
            bytes += page.html.length();
            texts.add(Jsoup.parse(page.html).text().getBytes(UTF_8));
        }
        var best = Long.MAX_VALUE;
        var sum = 0L;
        for (var pass = 0; pass < PASSES; pass++) {
            var begun = Cpu.threadNanos();
            for (var text : texts) {
                if (both) {
                    var minHash = new MinHash(MinHash.PAGE_BINS);
                    sum += SimHash.of(text, 0, text.length, minHash) + minHash.value()[0];
                } else {
                    sum += SimHash.of(text, 0, text.length);
                }
            }
            best = Math.min(best, Cpu.threadNanos() - begun);
        }
        if (sum == 0) {
            throw new IllegalStateException("the pages have no text");
        }
        return best / 1e3 / bytes * TYPICAL_BYTES;
    }
}
