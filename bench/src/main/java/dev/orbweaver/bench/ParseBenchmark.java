package dev.orbweaver.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.management.ThreadMXBean;

import dev.orbweaver.bench.PageCorpus.BenchPage;
import dev.orbweaver.internal.parse.HtmlParser;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.LinkResolver;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.spi.Document;

import jodd.lagarto.EmptyTagVisitor;
import jodd.lagarto.LagartoParser;
import jodd.lagarto.Tag;

import org.jsoup.Jsoup;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * Measures link extraction on one thread, versus jsoup and Lagarto, and compares the links with
 * those of jsoup's tree.
 *
 * <p>Each parser finds the unresolved links; Orbweaver's also detects the charset. The additional
 * cost of resolution with normal form and fingerprint is printed to standard error. All results are
 * CPU time of the thread.
 */
final class ParseBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "parse",
                    "MB/s of link extraction, versus jsoup and Lagarto [--corpus DIR]",
                    options -> new ParseBenchmark().run(options));

    private static final long SAMPLE_BYTES = 256_000_000;
    private static final long OTHERS_BYTES = 64_000_000;
    private static final int PASSES = 5;
    private static final long PASS_BYTES_MIN = 50_000_000;

    private final CrawlUrls urls = new CrawlUrls(Normalisation.DEFAULT);

    private Map<String, Object> run(Options options) throws Exception {
        var corpus = PageCorpus.in(directory(options));
        System.err.println("bench: " + corpus.files().size() + " pages in " + corpus.directory());
        var pages = corpus.sample(SAMPLE_BYTES);
        var fewer = corpus.sample(OTHERS_BYTES);
        var figures = new LinkedHashMap<String, Object>();
        System.err.printf(
                "bench: %.0f MB/s with resolution, normal forms and fingerprints%n",
                megabytesPerSecond(pages, this::whole));
        figures.put("linkMegabytesPerSecond", megabytesPerSecond(pages, this::ours));
        figures.put("jsoupMegabytesPerSecond", megabytesPerSecond(fewer, ParseBenchmark::jsoup));
        figures.put(
                "lagartoMegabytesPerSecond", megabytesPerSecond(fewer, ParseBenchmark::lagarto));
        var comparison = new LinkComparison(urls);
        for (var file : corpus.files()) {
            comparison.compare(corpus.address(file), Files.readAllBytes(file));
        }
        figures.put("pagesWithSameLinks", comparison.same());
        figures.put("pages", comparison.pages());
        figures.put("urlNanos", urlNanos(fewer));
        figures.put("allocatedBytesPerByte", allocatedPerByte(pages));
        figures.put("simHashMicrosPer23KB", simHashMicros(pages));
        return figures;
    }

    /** Returns the bytes allocated by link extraction per byte of a page, without URLs. */
    private double allocatedPerByte(List<BenchPage> pages) {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        var documents = pages.stream().map(this::document).toList();
        var before = threads.getCurrentThreadAllocatedBytes();
        var parser = new HtmlParser(urls);
        for (var document : documents) {
            parser.references(document, (_, _, _, _) -> blackHole++);
        }
        var bytes = pages.stream().mapToLong(page -> page.bytes().length).sum();
        return (double) (threads.getCurrentThreadAllocatedBytes() - before) / bytes;
    }

    /** Measures the additional cost of the SimHash for a page of typical length. */
    private double simHashMicros(List<BenchPage> pages) {
        var without = megabytesPerSecond(pages, this::whole);
        var with = megabytesPerSecond(pages, this::wholeWithSimHash);
        return 23_000 / with - 23_000 / without;
    }

    private long wholeWithSimHash(BenchPage page) {
        return new HtmlParser(urls, true).parse(document(page)).simHash();
    }

    static Path directory(Options options) {
        var own =
                Path.of(
                        System.getProperty("orbweaver.root"),
                        "core",
                        "src",
                        "test",
                        "resources",
                        "pages");
        return Path.of(options.text("corpus", own.toString())).toAbsolutePath();
    }

    /** Returns the best of several passes, after as many warm-up passes. */
    private static double megabytesPerSecond(
            List<BenchPage> pages, ToLongFunction<BenchPage> read) {
        var bytes = pages.stream().mapToLong(page -> page.bytes().length).sum();
        var rounds = (int) Math.ceilDiv(PASS_BYTES_MIN, bytes);
        var best = Long.MAX_VALUE;
        var links = 0L;
        for (var pass = 0; pass < 2 * PASSES; pass++) {
            var begun = cpuNanos();
            for (var round = 0; round < rounds; round++) {
                for (var page : pages) {
                    links += read.applyAsLong(page);
                }
            }
            if (pass >= PASSES) {
                best = Math.min(best, cpuNanos() - begun);
            }
        }
        if (links == 0) {
            throw new IllegalStateException("the pages have no links");
        }
        return bytes * rounds * 1e3 / best;
    }

    private long whole(BenchPage page) {
        return new HtmlParser(urls).parse(document(page)).links().size();
    }

    private long ours(BenchPage page) {
        var length = new long[1];
        new HtmlParser(urls)
                .references(document(page), (_, start, end, _) -> length[0] += end - start);
        return length[0];
    }

    private Document document(BenchPage page) {
        return new Document(
                url(page.address()), "text/html", List.of(), page.bytes(), page.bytes().length);
    }

    private CrawlUrl url(String address) {
        return urls.parse(address).orElseThrow();
    }

    private static long jsoup(BenchPage page) {
        try {
            var tree = Jsoup.parse(new ByteArrayInputStream(page.bytes()), "UTF-8", page.address());
            var length = 0L;
            for (var element : tree.select("a[href], area[href]")) {
                length += element.attr("href").length();
            }
            for (var element : tree.select("img[src], script[src], iframe[src], frame[src]")) {
                length += element.attr("src").length();
            }
            for (var element : tree.select("link[href]")) {
                length += element.attr("href").length();
            }
            return length;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long lagarto(BenchPage page) {
        var lengths = new long[1];
        new LagartoParser(new String(page.bytes(), UTF_8).toCharArray())
                .parse(
                        new EmptyTagVisitor() {
                            @Override
                            public void tag(Tag tag) {
                                count(tag.getAttributeValue("href"));
                                count(tag.getAttributeValue("src"));
                            }

                            private void count(CharSequence value) {
                                if (value != null) {
                                    lengths[0] += value.length();
                                }
                            }
                        });
        return lengths[0];
    }

    /**
     * Resolves the bytes of an attribute to a URL, and computes the fingerprint of its normal form.
     */
    private double urlNanos(List<BenchPage> pages) {
        var references = new ArrayList<List<byte[]>>();
        var bases = new ArrayList<String>();
        var count = 0L;
        for (var page : pages) {
            var tree = Jsoup.parse(new String(page.bytes(), UTF_8));
            var relative =
                    tree.select("a[href]").stream()
                            .map(element -> element.attr("href"))
                            .filter(href -> !href.contains(":") && !href.startsWith("#"))
                            .map(href -> href.getBytes(UTF_8))
                            .toList();
            references.add(relative);
            bases.add(page.address());
            count += relative.size();
        }
        if (count == 0) {
            throw new IllegalStateException("the pages have no relative links");
        }
        var rounds = (int) Math.ceilDiv(500_000L, count);
        var best = Long.MAX_VALUE;
        for (var pass = 0; pass < 2 * PASSES; pass++) {
            var begun = cpuNanos();
            for (var round = 0; round < rounds; round++) {
                for (var i = 0; i < bases.size(); i++) {
                    resolve(bases.get(i), references.get(i));
                }
            }
            if (pass >= PASSES) {
                best = Math.min(best, cpuNanos() - begun);
            }
        }
        return (double) best / (count * rounds);
    }

    private void resolve(String base, List<byte[]> references) {
        var resolver = new LinkResolver(urls, base);
        for (var reference : references) {
            if (resolver.resolve(reference, 0, reference.length).isEmpty()) {
                blackHole++;
            }
        }
    }

    private long blackHole;

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
