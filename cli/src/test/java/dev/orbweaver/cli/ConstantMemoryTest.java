package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Runs exports in their own process with a heap smaller than their input. An export that keeps all
 * lines or URLs in memory fails.
 */
@Slow
class ConstantMemoryTest {

    private static final int LINES = 100_000;

    @TempDir static Path directory;

    @BeforeAll
    static void writeLogs() throws Exception {
        write("a", 0);
        write("b", LINES / 2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "export a --format jsonl --to out.jsonl",
                "export a b --format csv --to out.csv",
                "export a --format sitemap --lastmod none --to map",
                "export a --format duplicates --to duplicates.csv",
                "export a b --format parquet --to out.parquet",
                "query a 'select host, count(*) from pages group by all order by all'"
            })
    void anExportNeedsNoMoreMemoryThanItHas(String line) throws Exception {
        var said = run(line);
        assertThat(said.code()).as(said.err()).isZero();
        if (line.contains("a b")) {
            // The second crawl begins in the middle of the first.
            assertThat(said.out()).startsWith("%,d pages".formatted(LINES + LINES / 2));
        }
    }

    private static void write(String name, int from) throws Exception {
        var crawl = Files.createDirectory(directory.resolve(name));
        var config = CrawlConfig.of("http://a.test/");
        Files.writeString(crawl.resolve("crawl.yaml"), YamlFile.write(config.settingValues()));
        var title = "words ".repeat(100);
        try (var out = Files.newBufferedWriter(crawl.resolve("pages.log"))) {
            for (var i = from; i < from + LINES; i++) {
                out.write(line(i, title));
            }
        }
    }

    private static String line(int i, String title) {
        var url = "http://h" + i % 20 + ".test/some/where/deep/down/page-" + i;
        var sketch = new byte[32];
        new Random(i).nextBytes(sketch);
        return """
        {"seq":%d,"url":"%s","kind":"page","status":200,"time":"2030-01-01T00:00:00Z",\
        "type":"text/html","title":"%s","minhash":"%s","bytes":9,"digest":"%d","warc":"x"}
        """
                .formatted(
                        i + 1,
                        url,
                        title,
                        Base64.getUrlEncoder().withoutPadding().encodeToString(sketch),
                        i);
    }

    private static CommandResult run(String line) throws IOException, InterruptedException {
        var command = new ArrayList<>(CommandResult.java());
        command.add(1, "-Xmx64m");
        command.add(2, "-XX:+UseSerialGC");
        for (var part : line.split("'", -1)) {
            if (part.startsWith("select")) {
                command.add(part);
            } else {
                command.addAll(List.of(part.strip().split(" ", -1)));
            }
        }
        command.removeIf(String::isEmpty);
        var out = directory.resolve("out.txt");
        var err = directory.resolve("err.txt");
        var process =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
        if (!process.waitFor(10, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new IOException("no end after ten minutes: " + line);
        }
        return new CommandResult(process.exitValue(), Files.readString(out), Files.readString(err));
    }
}
