package dev.orbweaver.imports;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.seeds.SeedEntry;
import dev.orbweaver.internal.seeds.SeedOutput;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A site of a million URLs in sitemaps is read in constant memory. */
@Slow
class SitemapMemoryTest {

    private static final int SITEMAPS = 20;
    private static final int ENTRIES = 50_000;

    @TempDir private Path directory;

    @Test
    void aMillionEntriesAreReadWith256MegabytesOfHeap() throws Exception {
        try (var server = SourceServer.start(request -> reply(request.path()))) {
            var log = directory.resolve("log.txt");
            var process =
                    new ProcessBuilder(
                                    Path.of(System.getProperty("java.home"), "bin", "java")
                                            .toString(),
                                    "-Xmx256m",
                                    "-XX:+UseSerialGC",
                                    "--enable-native-access=ALL-UNNAMED",
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    SitemapMemoryRun.class.getName(),
                                    server.url("/index.xml"),
                                    directory.toString())
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start();
            try {
                assertThat(process.waitFor(4, TimeUnit.MINUTES)).isTrue();
            } finally {
                process.destroyForcibly();
            }
            var output = Files.readString(log);
            System.out.println(output);

            assertThat(process.exitValue()).as(output).isZero();
            assertThat(output).contains("entries: " + SITEMAPS * ENTRIES);
        }
    }

    private static SourceServer.Reply reply(String path) {
        if (path.equals("/robots.txt")) {
            return new SourceServer.Reply(404, "text/plain", "");
        }
        var xml = new StringBuilder();
        if (path.equals("/index.xml")) {
            xml.append("<sitemapindex>");
            for (var i = 0; i < SITEMAPS; i++) {
                xml.append("<sitemap><loc>/").append(i).append(".xml</loc></sitemap>");
            }
            return new SourceServer.Reply(
                    200, "text/xml", xml.append("</sitemapindex>").toString());
        }
        var number = path.substring(1, path.indexOf('.'));
        xml.append("<urlset>");
        for (var i = 0; i < ENTRIES; i++) {
            xml.append("<url><loc>https://site.example/section-")
                    .append(number)
                    .append("/a-page-with-a-name-of-usual-length-")
                    .append(i)
                    .append("</loc><lastmod>2026-01-02</lastmod></url>\n");
        }
        return new SourceServer.Reply(200, "text/xml", xml.append("</urlset>").toString());
    }

    /** The process with little memory. */
    static final class SitemapMemoryRun {

        private SitemapMemoryRun() {}

        public static void main(String[] arguments) throws Exception {
            var counts = new Counts();
            var before = cpuNanos();
            try (var sources =
                    new SeedSources(SourceRun.config(), Path.of(arguments[1]), System.in)) {
                sources.open(SourceSpec.parse("sitemap:" + arguments[0])).read(counts);
            }
            System.out.println("entries: " + counts.entries);
            System.out.printf(
                    "%,d entries per CPU-second%n",
                    counts.entries * 1_000_000_000L / (cpuNanos() - before));
        }

        private static long cpuNanos() throws IOException {
            return ProcessHandle.current()
                    .info()
                    .totalCpuDuration()
                    .orElseThrow(() -> new IOException("no CPU time"))
                    .toNanos();
        }
    }

    private static final class Counts implements SeedOutput {

        private long entries;

        @Override
        public void add(long number, SeedEntry entry) {
            entries += entry.lastModified().isPresent() ? 1 : 0;
        }

        @Override
        public void reject(long line, String text, String reason) {}

        @Override
        public void progress(String what) {}
    }
}
