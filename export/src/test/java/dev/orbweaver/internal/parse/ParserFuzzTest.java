package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.export.markdown.MarkdownConverter;
import dev.orbweaver.export.markdown.RepeatedBlocks;
import dev.orbweaver.internal.robots.SitemapParser;
import dev.orbweaver.internal.url.LinkResolver;
import dev.orbweaver.internal.url.WhatwgUrl;
import dev.orbweaver.spi.Document;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

/**
 * Runs every parser of the package on random and mutated inputs: none throws or takes more than a
 * second of CPU time. A few thousand inputs by default; {@code -Dorbweaver.fuzz=1000000} for a long
 * run.
 */
@Slow
class ParserFuzzTest {

    private static final long CPU_NANOS_MAX = 1_000_000_000L;
    private static final int INPUTS = Integer.getInteger("orbweaver.fuzz", 3_000);
    private static final int WARM_UP = 200;

    private static final List<String> PIECES =
            List.of(
                    "<",
                    ">",
                    "/",
                    "\"",
                    "'",
                    "=",
                    "&",
                    ";",
                    "#",
                    "--",
                    "!",
                    "<!--",
                    "-->",
                    "<![CDATA[",
                    "]]>",
                    "</",
                    "<a href=",
                    "<script>",
                    "</script>",
                    "<table>",
                    "<tr>",
                    "<td>",
                    "</table>",
                    "<pre>",
                    "</pre>",
                    "<ul><li>",
                    "</ul>",
                    "<h1>",
                    "</h1>",
                    "<svg>",
                    "<template>",
                    "<base href=",
                    "<meta charset=",
                    "&#x",
                    "&amp",
                    "%",
                    "%2e",
                    "..",
                    "//",
                    "\\",
                    "?",
                    "@",
                    ":",
                    "[",
                    "]",
                    "xn--",
                    "\u0000",
                    "\u00FF",
                    "ü",
                    "é",
                    "<item>",
                    "<link>",
                    "</link>",
                    "<entry>",
                    "<rss>",
                    "<feed>",
                    "``",
                    "|",
                    "*",
                    "\n",
                    " ");

    /** The parsers to fuzz. */
    enum Target {
        HTML {
            @Override
            Object read(byte[] input, String type) {
                return new HtmlParser(Pages.URLS, true).parse(document(input, type));
            }
        },
        FEED {
            @Override
            Object read(byte[] input, String type) {
                return new FeedParser(Pages.URLS).parse(document(input, type));
            }
        },
        SITEMAP {
            @Override
            Object read(byte[] input, String type) {
                return SitemapParser.parse(input, input.length, type, Pages.ADDRESS);
            }
        },
        MARKDOWN {
            @Override
            Object read(byte[] input, String type) {
                var memory = new RepeatedBlocks();
                memory.addPage(document(input, type));
                return new MarkdownConverter(memory, true)
                        .convert(document(input, type), Instant.EPOCH)
                        .withFrontMatter();
            }
        },
        DETAILS {
            @Override
            Object read(byte[] input, String type) {
                return PageMetadata.of(document(input, type), Pages.URLS);
            }
        },
        URL {
            @Override
            Object read(byte[] input, String type) {
                var resolver = new LinkResolver(Pages.URLS, Pages.ADDRESS);
                var resolved = resolver.resolve(input, 0, input.length);
                var text = new String(input, ISO_8859_1);
                var slowly =
                        WhatwgUrl.parse(
                                        new String(input, UTF_8),
                                        WhatwgUrl.parse(Pages.ADDRESS).orElseThrow())
                                .flatMap(Pages.URLS::of);
                assertThat(resolved).as("%s", text).isEqualTo(slowly);
                return resolved;
            }
        };

        abstract Object read(byte[] input, String type);

        static Document document(byte[] input, String type) {
            return new Document(
                    Pages.URLS.parse(Pages.ADDRESS).orElseThrow(),
                    type,
                    List.of(),
                    input,
                    input.length);
        }
    }

    @ParameterizedTest
    @EnumSource
    void noInputMakesAParserThrowOrExceedItsTime(Target target) throws IOException {
        var seed = Long.getLong("orbweaver.seed", 1_000_003L);
        var random = new Random(seed);
        var samples = samples();
        var slowest = 0L;
        for (var run = 0; run < INPUTS; run++) {
            var input = input(samples, random, target);
            var type =
                    List.of("text/html", "", "application/xml", "text/html; charset=euc-jp")
                            .get(random.nextInt(4));
            var about = "seed " + seed + ", run " + run + ", " + type;
            var begun = cpuNanos();
            try {
                assertThat(target.read(input, type)).as(about).isNotNull();
            } catch (RuntimeException | StackOverflowError e) {
                throw new AssertionError(about + ": " + new String(input, ISO_8859_1), e);
            }
            var taken = cpuNanos() - begun;
            slowest = run < WARM_UP ? 0 : Math.max(slowest, taken);
            assertThat(taken).as(about).isLessThan(CPU_NANOS_MAX * (run < WARM_UP ? 10 : 1));
        }
        System.out.printf(
                "%s | %d inputs, slowest %.1f ms of CPU%n", target, INPUTS, slowest / 1e6);
    }

    private static byte[] input(List<byte[]> samples, Random random, Target target) {
        if (target == Target.URL || random.nextInt(4) == 0) {
            var text = new StringBuilder();
            for (var i = random.nextInt(30); i >= 0; i--) {
                text.append(PIECES.get(random.nextInt(PIECES.size())));
            }
            return text.toString().getBytes(random.nextBoolean() ? UTF_8 : ISO_8859_1);
        }
        return mutated(samples.get(random.nextInt(samples.size())), random);
    }

    /** Mutates a page a few times: deletes, repeats, overwrites and inserts. */
    private static byte[] mutated(byte[] page, Random random) {
        var utf8Buffer = new Utf8Buffer();
        var at = 0;
        for (var times = 1 + random.nextInt(8); times > 0 && at < page.length; times--) {
            var to = at + random.nextInt(page.length - at + 1);
            utf8Buffer.append(page, at, to);
            switch (random.nextInt(4)) {
                case 0 -> to = Math.min(page.length, to + random.nextInt(20));
                case 1 -> {
                    var piece = PIECES.get(random.nextInt(PIECES.size())).getBytes(ISO_8859_1);
                    for (var i = random.nextInt(6); i >= 0; i--) {
                        utf8Buffer.append(piece, 0, piece.length);
                    }
                }
                case 2 -> utf8Buffer.append((byte) random.nextInt(256));
                default -> to = Math.max(0, to - random.nextInt(200));
            }
            at = to;
        }
        return Arrays.copyOf(utf8Buffer.array(), utf8Buffer.length());
    }

    private static List<byte[]> samples() throws IOException {
        var samples = new ArrayList<byte[]>();
        Pages.SAMPLES.forEach(page -> samples.add(page.getBytes(UTF_8)));
        try (var files = Files.walk(Path.of("src", "test", "resources", "markdown"))) {
            for (var file : files.filter(f -> f.toString().endsWith(".html")).sorted().toList()) {
                samples.add(Files.readAllBytes(file));
            }
        }
        samples.add(
                """
                <?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>T</title>
                <item><link>https://spider.example/1</link><guid isPermaLink="true">x</guid></item>
                <item><link><![CDATA[https://spider.example/2]]></link></item></channel></rss>
                """
                        .getBytes(UTF_8));
        samples.add(
                "<feed xml:base='/b/'><entry><link rel='alternate' href='x'/></entry></feed>"
                        .getBytes(UTF_8));
        var sitemap =
                """
                <urlset><url><loc>https://spider.example/a?b&amp;c</loc><lastmod>2026-01-01</lastmod>
                <priority>0.5</priority></url><url><loc><![CDATA[https://spider.example/d]]></loc></url></urlset>
                """
                        .getBytes(UTF_8);
        samples.add(sitemap);
        samples.add(
                "<sitemapindex><sitemap><loc>/s.xml</loc></sitemap></sitemapindex>"
                        .getBytes(UTF_8));
        samples.add("https://spider.example/1\nhttps://spider.example/2\n".getBytes(UTF_8));
        var packed = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(packed)) {
            gzip.write(sitemap);
        }
        samples.add(packed.toByteArray());
        return samples;
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
