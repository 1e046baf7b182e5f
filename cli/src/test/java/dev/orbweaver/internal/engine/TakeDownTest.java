package dev.orbweaver.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.export.CrawlDiff;
import dev.orbweaver.export.ExportFormat;
import dev.orbweaver.export.ExportRunner;
import dev.orbweaver.export.ExportSettings;
import dev.orbweaver.export.ExportTarget;
import dev.orbweaver.export.SqlQuery;
import dev.orbweaver.internal.archive.PageFilter;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.CrashingDisk;
import dev.orbweaver.internal.disk.PowerLossDisk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcResponse;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What is taken down is gone for every reader at once, and from the files once they are compacted.
 */
@Slow
class TakeDownTest {

    private static final String SHARED = "words that two pages share ".repeat(40);

    /** A chain, so that each is committed before the next is asked for. */
    private static final Map<String, String> PAGES =
            new TreeMap<>(
                    Map.of(
                            "/", "<title>Start</title>start <a href=/original>1</a>",
                            "/original", "<title>Same</title>" + SHARED + "<a href=/copy>2</a>",
                            "/private", "<title>Secret</title>private words <a href=/last>4</a>",
                            "/last", "<title>Last</title>the last words"));

    @TempDir Path temporary;
    private final List<String> requestedPaths = new CopyOnWriteArrayList<>();
    private HtmlSite site;
    private Path directory;
    private CrawlConfig config;

    @BeforeEach
    void serve() throws Exception {
        site =
                HtmlSite.serve(
                        (path, exchange) -> {
                            requestedPaths.add(path);
                            // The copy and its original have the same body, so the way on is in a
                            // header.
                            if (path.equals("/copy")) {
                                exchange.getResponseHeaders().add("Link", "</private>; rel=next");
                            }
                            return PAGES.getOrDefault(
                                    path.equals("/copy") ? "/original" : path, "");
                        });
        directory = temporary.resolve("crawl");
        config =
                CrawlConfig.of(url("/"))
                        .withSetting("delay", "0")
                        .withSetting("warc-compression", "none")
                        .withSetting("max-warc-size", "2KB")
                        .withSetting("contact", "me@a.test");
    }

    @AfterEach
    void stop() {
        site.close();
    }

    private String url(String path) {
        return site.url(path);
    }

    private CrawlUrl crawlUrl(String path) {
        return new CrawlUrls(config.normalisation()).parse(url(path)).orElseThrow();
    }

    private void crawl() throws Exception {
        try (var crawl = CrawlOpener.open(config, directory)) {
            var _ = crawl.run();
        }
    }

    private void takeDown(String... paths) throws IOException {
        for (var path : paths) {
            assertThat(new StoredCrawl(directory, config).takeDown(crawlUrl(path))).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(ExportFormat.class)
    void noExportShowsIt(ExportFormat exportFormat) throws Exception {
        crawl();
        takeDown("/private");
        var target = temporary.resolve("out" + (exportFormat == ExportFormat.WARC ? ".warc" : ""));
        var _ =
                ExportRunner.run(
                        StoredCrawl.pages(List.of(directory), Settings.CORE),
                        ExportSettings.of(exportFormat, new ExportTarget.PathTarget(target)));
        var all = everythingBelow(target);
        assertThat(all).isNotEmpty().doesNotContain("private words", "Secret");
        if (exportFormat == ExportFormat.JSONL
                || exportFormat == ExportFormat.SITEMAP
                || exportFormat == ExportFormat.CDXJ) {
            assertThat(all).contains("/original").doesNotContain("/private");
        }
    }

    @Test
    void neitherQueryNorDiffShowIt() throws Exception {
        crawl();
        takeDown("/private");
        var out = new ByteArrayOutputStream();
        SqlQuery.run(
                StoredCrawl.pages(List.of(directory), Settings.CORE),
                "select url from urls",
                SqlQuery.OutputFormat.byId("csv").orElseThrow(),
                out);
        assertThat(out.toString(UTF_8)).contains("/original").doesNotContain("/private");
        var links = new ByteArrayOutputStream();
        takeDown("/last");
        SqlQuery.run(
                StoredCrawl.pages(List.of(directory), Settings.CORE),
                "select target from links union all select host from hosts",
                SqlQuery.OutputFormat.byId("csv").orElseThrow(),
                links);
        assertThat(links.toString(UTF_8)).contains("/copy").doesNotContain("/last", "/private");
        var young = temporary.resolve("young");
        try (var crawl = CrawlOpener.open(config, young)) {
            var _ = crawl.run();
        }
        var _ = new StoredCrawl(young, config).takeDown(crawlUrl("/private"));
        var said = new ByteArrayOutputStream();
        var _ =
                CrawlDiff.run(
                        StoredCrawl.pages(List.of(directory), Settings.CORE),
                        StoredCrawl.pages(List.of(young), Settings.CORE),
                        PageFilter.ALL,
                        CrawlDiff.Settings.DEFAULT,
                        new ExportTarget.StreamTarget(said));
        assertThat(said.toString(UTF_8)).doesNotContain("/private");
    }

    @Test
    void aTakeDownInOneCrawlHidesTheUrlInMergedExports() throws Exception {
        crawl();
        var other = temporary.resolve("other");
        try (var crawl = CrawlOpener.open(config, other)) {
            var _ = crawl.run();
        }
        takeDown("/private");
        assertThat(exported(List.of(other, directory))).doesNotContain("private words");
    }

    @Test
    void aHostIsTakenDownAsAWhole() throws Exception {
        crawl();
        assertThat(new StoredCrawl(directory, config).takeDownHost("127.0.0.1")).isEqualTo(6);
        assertThat(exported(List.of(directory))).isEmpty();
        assertThat(new StoredCrawl(directory, config).compact().captures()).isEqualTo(6);
        assertThat(new RealDisk().list(directory.resolve("warc"))).isEmpty();
    }

    @Test
    void takenDownUrlsAreNotFetchedQueuedOrFound() throws Exception {
        config = config.withSetting("max-pages", "1");
        crawl();
        var _ =
                new StoredCrawl(directory, config)
                        .takeDown(crawlUrl("/original")); // It is in the queue.
        config = config.withSetting("max-pages", "100");
        requestedPaths.clear();
        crawl();
        assertThat(requestedPaths).doesNotContain("/original");
        assertThat(new StoredCrawl(directory, config).compact().captures()).isEqualTo(1);
        crawl();
        assertThat(requestedPaths).doesNotContain("/original");
    }

    @Test
    void compactingRemovesItFromEveryFileAndKeepsTheRest() throws Exception {
        crawl();
        var before = visible();
        var bodies = exported(List.of(directory));
        assertThat(CrawlFiles.entries(directory))
                .anyMatch(entry -> !entry.original().warc().isEmpty());
        takeDown("/private", "/original");
        var outcome = new StoredCrawl(directory, config).compact();
        assertThat(outcome.captures()).isEqualTo(2);
        assertThat(outcome.files()).isPositive();
        for (var part : List.of("warc", "pages.log")) {
            assertThat(everythingBelow(directory.resolve(part)))
                    .doesNotContain("private words", "/private HTTP", "\"" + url("/private"));
        }
        before.remove(url("/private"));
        before.remove(url("/original"));
        assertThat(visible()).isEqualTo(before);
        // The copy referred to the original; now it has the words itself.
        assertThat(bodies).contains(SHARED.strip());
        assertThat(responses().get(url("/copy"))).contains(SHARED);
        assertThat(exported(List.of(directory))).contains(SHARED.strip());
        assertThat(new StoredCrawl(directory, config).compact().captures()).isZero();
    }

    @Test
    void countsOfTheLogAsItWasDoNotOutliveIt() throws Exception {
        crawl();
        assertThat(directory.resolve("answers.tsv")).exists();
        takeDown("/private");
        var _ = new StoredCrawl(directory, config).compact();
        assertThat(directory.resolve("answers.tsv")).doesNotExist();
        // And counts that are of another log all the same are made again.
        Files.writeString(directory.resolve("answers.tsv"), "length\t7\n");
        crawl();
        assertThat(new StoredCrawl(directory, config).stats().ledger().balances()).isTrue();
    }

    @Test
    void sequenceNumbersAreNotReusedAndTheCrawlResumes() throws Exception {
        config = config.withSetting("max-pages", "2");
        crawl();
        var last = CrawlFiles.entries(directory).getLast();
        assertThat(last.url()).isEqualTo(url("/original"));
        takeDown("/original");
        var _ = new StoredCrawl(directory, config).compact();
        config = config.withSetting("max-pages", "100");
        crawl();
        assertThat(visible()).containsKey(url("/last")).doesNotContainKey(url("/original"));
        assertThat(CrawlFiles.entries(directory))
                .extracting(PageLogEntry::seq)
                .isSorted()
                .doesNotHaveDuplicates()
                .doesNotContain(last.seq());
    }

    /** Dies at every change to the disk in turn; readers see the same before and after. */
    @Test
    void aCompactionMayDieAtAnyStep() throws Exception {
        crawl();
        takeDown("/private", "/original");
        var expected = visible();
        var bodies = exported(List.of(directory));
        var whole = temporary.resolve("whole");
        CrawlFiles.copy(directory, whole);
        var deaths = 0;
        for (var step = 0; ; step++) {
            CrawlFiles.delete(directory);
            CrawlFiles.copy(whole, directory);
            var disk = new CrashingDisk(new RealDisk(), step);
            try {
                var _ = new StoredCrawl(directory, config).compact(disk);
            } catch (IOException | RuntimeException e) {
                assertThat(disk.hasCrashed()).as("step %d: %s", step, e).isTrue();
            }
            if (!disk.hasCrashed()) {
                break;
            }
            deaths++;
            assertThat(visible()).as("read after dying at step %d", step).isEqualTo(expected);
            assertThat(exported(List.of(directory))).as("step %d", step).isEqualTo(bodies);
            if (step % 2 == 0) {
                crawl(); // Whoever opens it next puts it in order.
                assertThat(visible()).as("crawled after step %d", step).isEqualTo(expected);
            }
            var _ = new StoredCrawl(directory, config).compact();
            assertThat(visible()).as("compacted after step %d", step).isEqualTo(expected);
            assertThat(exported(List.of(directory))).as("step %d", step).isEqualTo(bodies);
            assertThat(everythingBelow(directory.resolve("warc")))
                    .as("step %d", step)
                    .doesNotContain("private words");
            assertThat(directory.resolve("compaction.tsv")).doesNotExist();
            assertThat(directory.resolve("pages.log.compacted")).doesNotExist();
        }
        assertThat(deaths).isGreaterThan(20);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCompactionThatMeetsAFullDiskOrALossOfPowerLosesNothing(boolean power) throws Exception {
        crawl();
        takeDown("/private");
        var expected = visible();
        var whole = temporary.resolve("whole");
        CrawlFiles.copy(directory, whole);
        var random = new Random(7);
        var met = 0;
        for (var step = 3; ; step += 7) {
            CrawlFiles.delete(directory);
            CrawlFiles.copy(whole, directory);
            var trash = Files.createDirectories(temporary.resolve("trash-" + power + step));
            var disk = new PowerLossDisk(trash, step, !power);
            try {
                var _ = new StoredCrawl(directory, config).compact(disk);
            } catch (IOException | RuntimeException e) {
                assertThat(disk.failed()).as("step %d: %s", step, e).isTrue();
            }
            if (!disk.failed()) {
                break;
            }
            met++;
            if (power) {
                disk.losePower(random);
            }
            var _ = new StoredCrawl(directory, config).compact();
            assertThat(visible()).as("compacted after step %d", step).isEqualTo(expected);
            assertThat(CrawlFiles.damages(directory)).as("step %d", step).isEmpty();
        }
        assertThat(met).isGreaterThan(3);
    }

    /** Lines that readers show, by their URLs, with the text of their answers. */
    private Map<String, String> visible() throws Exception {
        var lines = new TreeMap<String, String>();
        var out = new ByteArrayOutputStream();
        var _ =
                ExportRunner.run(
                        StoredCrawl.pages(List.of(directory), Settings.CORE),
                        ExportSettings.of(ExportFormat.JSONL, new ExportTarget.StreamTarget(out))
                                .withAllLines());
        for (var line : out.toString(UTF_8).lines().toList()) {
            var json = tools.jackson.databind.json.JsonMapper.shared().readTree(line);
            lines.put(
                    json.path("url").asString(),
                    json.path("kind").asString() + " " + json.path("digest").asString());
        }
        return lines;
    }

    private static String exported(List<Path> directories) throws Exception {
        var out = new ByteArrayOutputStream();
        var _ =
                ExportRunner.run(
                        StoredCrawl.pages(directories, Settings.CORE),
                        ExportSettings.of(ExportFormat.CHUNKS, new ExportTarget.StreamTarget(out)));
        return out.toString(UTF_8);
    }

    private Map<String, String> responses() throws IOException {
        var responses = new TreeMap<String, String>();
        for (var file : new RealDisk().list(directory.resolve("warc"))) {
            try (var reader = new WarcReader(file)) {
                for (var record : reader) {
                    if (record instanceof WarcResponse response) {
                        responses.put(
                                response.target(),
                                new String(response.http().body().stream().readAllBytes(), UTF_8));
                    }
                }
            }
        }
        return responses;
    }

    private static String everythingBelow(Path place) throws IOException {
        var text = new StringBuilder();
        try (var files = Files.walk(place)) {
            for (var file : files.filter(Files::isRegularFile).sorted().toList()) {
                text.append(new String(Files.readAllBytes(file), ISO_8859_1));
            }
        }
        return text.toString();
    }
}
