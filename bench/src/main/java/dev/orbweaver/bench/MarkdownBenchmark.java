package dev.orbweaver.bench;

import dev.orbweaver.export.Chunker;
import dev.orbweaver.export.markdown.MarkdownConverter;
import dev.orbweaver.export.markdown.MarkdownPage;
import dev.orbweaver.export.markdown.RepeatedBlocks;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.spi.Document;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Converts the pages of manuals to Markdown and compares each with the page's own main container:
 * no heading, definition term, code block or footnote may be lost, and at most 1 % of the output
 * may come from outside the container.
 *
 * <p>A manual is {@code NAME=DIRECTORY@SELECTOR}; manuals are separated by semicolons. The selector
 * names the theme's container (several are tried from left to right, separated by {@code |}); pages
 * without it are not counted. The default manuals are Debian packages: python3.11-doc,
 * postgresql-doc-15, openjdk-17-doc, rust-doc.
 */
final class MarkdownBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "markdown",
                    "content lost and boilerplate left by Markdown of manuals [--manuals"
                            + " NAME=DIR@SELECTOR;... --pages 100000 --show 20 --chunk-tokens 512]",
                    options -> new MarkdownBenchmark(options).run());

    private static final String MANUALS =
            "python=/usr/share/doc/python3.11/html@div.body;postgresql=/usr/share/doc/postgresql-doc-15/html@div.book,"
                + " div.part, div.preface, div.chapter, div.appendix, div.sect1, div.reference,"
                + " div.refentry, div.bibliography, div.index, div.legalnotice;"
                + "openjdk=/usr/share/doc/openjdk-17-jre-headless/api@main;"
                + "rust=/usr/share/doc/rust-doc/html@#main-content|main";

    /** An export counts the repeated blocks of at most this many pages per site. */
    private static final int COUNTED_PAGES_MAX = 1_000;

    private static final double BOILERPLATE_MAX = 0.01;

    /** The largest score of an index; other pages with it are short. */
    private static final int LOW_QUALITY_MAX = 25;

    private final CrawlUrls urls = new CrawlUrls(Normalisation.DEFAULT);
    private final Options options;
    private int toShow;

    private MarkdownBenchmark(Options options) {
        this.options = options;
        this.toShow = options.number("show", 20);
    }

    private Map<String, Object> run() throws IOException {
        var figures = new LinkedHashMap<String, Object>();
        var held = true;
        var rows = new ArrayList<String>();
        for (var manual : options.text("manuals", MANUALS).split(";", -1)) {
            var total = measure(manual);
            rows.add(total.row());
            held &= total.lost() == 0 && total.boilerplate() <= BOILERPLATE_MAX;
            held &= total.largestChunk <= options.number("chunk-tokens", 512);
            figures.putAll(total.figures());
        }
        System.err.println(ManualTotals.HEADER);
        rows.forEach(System.err::println);
        figures.put(Benchmark.HELD, held);
        return figures;
    }

    private ManualTotals measure(String manual) throws IOException {
        var name = manual.substring(0, manual.indexOf('='));
        var directory = Path.of(manual.substring(name.length() + 1, manual.indexOf('@')));
        var selectors = List.of(manual.substring(manual.indexOf('@') + 1).split("\\|", -1));
        var files = files(directory);
        System.err.println("bench: " + name + ", " + files.size() + " files");
        var memory = new RepeatedBlocks();
        for (var file : evenly(files, COUNTED_PAGES_MAX)) {
            memory.addPage(document(name, directory, file));
        }
        var totals = new ManualTotals(name);
        for (var file : evenly(files, options.number("pages", 100_000))) {
            var document = document(name, directory, file);
            var container = MarkdownComparison.container(document, selectors);
            if (container.isEmpty()) {
                continue;
            }
            var before = Cpu.threadNanos();
            var page = new MarkdownConverter(memory, false).convert(document, Instant.EPOCH);
            totals.nanos += Cpu.threadNanos() - before;
            var result = new MarkdownComparison(container.get(), page.body()).compare();
            totals.add(result, largestChunk(page), page.quality());
            show(name, directory.relativize(file), result);
        }
        return totals;
    }

    private int largestChunk(MarkdownPage page) {
        return Chunker.chunks(page.body(), options.number("chunk-tokens", 512)).stream()
                .mapToInt(Chunker.Chunk::tokens)
                .max()
                .orElse(0);
    }

    private void show(String name, Path file, MarkdownComparison.Result result) {
        for (var lost : result.lost()) {
            if (toShow-- > 0) {
                System.err.println("  lost, " + name + " " + file + ": " + lost);
            }
        }
        if (result.outsideChars() * 100L > result.outputChars() * 5L && toShow-- > 0) {
            System.err.println(
                    "  boilerplate, %s %s: %d of %d: %s"
                            .formatted(
                                    name,
                                    file,
                                    result.outsideChars(),
                                    result.outputChars(),
                                    result.outside()));
        }
    }

    private static List<Path> files(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw new IOException(directory + " is not a directory; expected a manual in HTML");
        }
        try (var files = Files.walk(directory, java.nio.file.FileVisitOption.FOLLOW_LINKS)) {
            return files.filter(file -> file.toString().endsWith(".html"))
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
        }
    }

    /** Returns at most {@code most} elements at equal distances. */
    private static List<Path> evenly(List<Path> files, int most) {
        var chosen = new ArrayList<Path>();
        for (var i = 0; i < Math.min(files.size(), most); i++) {
            chosen.add(files.get((int) ((long) i * files.size() / Math.min(files.size(), most))));
        }
        return chosen;
    }

    private Document document(String name, Path directory, Path file) throws IOException {
        var bytes = Files.readAllBytes(file);
        var path = directory.relativize(file).toString().replace("%", "%25").replace("?", "%3F");
        var url = urls.parse("http://" + name + ".test/" + path.replace("#", "%23")).orElseThrow();
        return new Document(url, "text/html", List.of(), bytes, bytes.length);
    }

    /** The sums of one manual. */
    private static final class ManualTotals {

        static final String HEADER =
                "%-12s %6s %14s %14s %14s %12s %12s %9s %9s %7s %8s"
                        .formatted(
                                "manual",
                                "pages",
                                "headings lost",
                                "terms lost",
                                "code lost",
                                "notes lost",
                                "output chars",
                                "outside",
                                "ms/page",
                                "chunk",
                                "low");

        private final String name;
        private final Map<MarkdownComparison.Kind, int[]> counts = new LinkedHashMap<>();
        private int pages;
        private long outputChars;
        private long outsideChars;
        private long nanos;
        private int largestChunk;
        private int lowQuality;

        ManualTotals(String name) {
            this.name = name;
            for (var kind : MarkdownComparison.Kind.values()) {
                counts.put(kind, new int[2]);
            }
        }

        void add(MarkdownComparison.Result result, int chunk, int quality) {
            pages++;
            result.found().forEach((kind, found) -> counts.get(kind)[0] += found);
            result.lost().forEach(lost -> counts.get(lost.kind())[1]++);
            outputChars += result.outputChars();
            outsideChars += result.outsideChars();
            largestChunk = Math.max(largestChunk, chunk);
            lowQuality += quality <= LOW_QUALITY_MAX ? 1 : 0;
        }

        int lost() {
            return counts.values().stream().mapToInt(count -> count[1]).sum();
        }

        double boilerplate() {
            return (double) outsideChars / Math.max(1, outputChars);
        }

        String row() {
            var cells = counts.values().stream().map(c -> c[0] + c[1] + " " + c[1]).toList();
            return "%-12s %6d %14s %14s %14s %12s %12d %8.2f%% %9.2f %7d %8d"
                    .formatted(
                            name,
                            pages,
                            cells.get(0),
                            cells.get(1),
                            cells.get(2),
                            cells.get(3),
                            outputChars,
                            boilerplate() * 100,
                            nanos / 1e6 / Math.max(1, pages),
                            largestChunk,
                            lowQuality);
        }

        Map<String, Object> figures() {
            var figures = new LinkedHashMap<String, Object>();
            figures.put(name + "Pages", pages);
            figures.put(name + "Lost", lost());
            figures.put(name + "BoilerplatePercent", boilerplate() * 100);
            figures.put(name + "CpuMillisPerPage", nanos / 1e6 / Math.max(1, pages));
            figures.put(name + "LargestChunk", largestChunk);
            figures.put(name + "LowQualityPages", lowQuality);
            return figures;
        }
    }
}
