package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;

@Slow
class SeedCommandTest {

    @TempDir Path directory;

    private static CommandResult run(Object... words) {
        return CommandResult.run(
                List.of(words).stream().map(Object::toString).toArray(String[]::new));
    }

    private Path out() {
        return directory.resolve("out");
    }

    private long pages() throws Exception {
        return StoredCrawl.open(out(), Settings.CORE).stats().ledger().pages();
    }

    @Test
    void aFinishedCrawlContinuesWithAddedUrlsButNotWithRemovedOnes() throws Exception {
        try (var site = new SmallSite()) {
            assertThat(
                            run(
                                    "crawl",
                                    site.url(),
                                    "--out",
                                    out(),
                                    "--delay=0",
                                    "--max-depth=0",
                                    "--quiet"))
                    .extracting(CommandResult::code)
                    .isEqualTo(0);
            var before = pages();
            assertThat(run("seed", out(), site.url() + "x?1", site.url() + "x?2", "--priority=+5"))
                    .isEqualTo(
                            new CommandResult(
                                    0,
                                    "added 2 URLs; effective with the next orbweaver resume "
                                            + out()
                                            + "\n",
                                    ""));
            assertThat(run("seed", out(), "--remove", site.url() + "x?2").out())
                    .startsWith("removed 1 URL; effective with the next orbweaver resume ");
            assertThat(run("resume", out(), "--quiet").code()).isZero();
            var ledger = StoredCrawl.open(out(), Settings.CORE).stats().ledger();
            assertThat(ledger.accepted()).isEqualTo(before + 2);
            assertThat(ledger.withdrawn()).isEqualTo(1);
        }
    }

    @Test
    void aMillionURLsCanBeRemovedAndOneMoreIsAnError() throws Exception {
        try (var site = new SmallSite()) {
            assertThat(run("crawl", site.url(), "--out", out(), "--max-depth=0", "--quiet").code())
                    .isZero();
            var removed = out().resolve("seed-lists/removed.txt");
            Files.createDirectories(removed.getParent());
            Files.writeString(removed, "x\n".repeat(999_999));
            assertThat(run("seed", out(), "--remove", "http://a.test/1").code()).isZero();
            assertThat(run("seed", out(), "--remove", "http://a.test/2"))
                    .isEqualTo(
                            new CommandResult(
                                    2,
                                    "",
                                    "orbweaver: 1,000,000 URLs were removed from this crawl before;"
                                            + " with 1 more they exceed 1,000,000, so no URL was"
                                            + " removed: exclude hosts instead\n"));
            assertThat(Files.readString(removed)).endsWith("x\nhttp://a.test/1\n");
        }
    }

    @Test
    void aLongListIsReadWhileTheCrawlRuns() throws Exception {
        try (var site = new SmallSite()) {
            var lines = new ArrayList<String>();
            for (var i = 0; i < SeedsFile.SHORT_MAX + 10; i++) {
                lines.add(i % 100 == 0 ? "not a URL" : site.url() + "?" + i);
            }
            var file = Files.write(directory.resolve("urls.txt"), lines);
            var crawl =
                    run(
                            "crawl",
                            "--seeds",
                            file,
                            "--out",
                            out(),
                            "--delay=0",
                            "--allow-private",
                            "--max-pages=50");
            assertThat(crawl.err())
                    .contains(
                            "urls.txt has more than 10,000 lines: the crawl reads it while it"
                                    + " runs");
            var config = StoredCrawl.open(out(), Settings.CORE).config();
            assertThat(config.seeds()).hasSize(1);
            assertThat(Files.size(out().resolve("crawl.yaml"))).isLessThan(5_000);
            assertThat(out().resolve("seed-lists/000001-urls-txt.ref.rejected.tsv")).exists();
        }
    }

    @Test
    void everyRejectedLineOfALongStandardInputIsListed() throws Exception {
        try (var site = new SmallSite()) {
            var text = new StringBuilder("not a URL\n");
            for (var i = 0; i < SeedsFile.SHORT_MAX + 10; i++) {
                text.append(site.url()).append('?').append(i).append('\n');
            }
            var crawl =
                    CommandResult.runWithInput(
                            text.append("nor this\n").toString(),
                            "crawl",
                            "--seeds",
                            "-",
                            "--out",
                            out().toString(),
                            "--delay=0",
                            "--allow-private",
                            "--max-pages=1");
            assertThat(crawl.err()).doesNotContain("error");
            assertThat(run("seed", out(), site.url() + "x").code()).isZero();
            try (var lists = Files.list(out().resolve("seed-lists"))) {
                var list = lists.filter(file -> file.toString().contains("input-")).findFirst();
                assertThat(Files.readAllLines(list.orElseThrow()))
                        .hasSize(SeedsFile.SHORT_MAX + 12)
                        .startsWith("not a URL")
                        .endsWith("nor this");
            }
        }
    }

    @Test
    void fieldsOfTheLinesOfAListApply() throws Exception {
        try (var site = new SmallSite()) {
            var file = directory.resolve("urls.gz");
            try (var gzip = new GZIPOutputStream(Files.newOutputStream(file))) {
                gzip.write(
                        "\n%1$sb\tpriority=-20\n%1$sc\tnot-before=2999-01-01T00:00:00Z\n%1$sd\tvisited\n%1$se\tprio=1\n"
                                .formatted(site.url())
                                .getBytes(UTF_8));
            }
            var command =
                    new Object[] {
                        "crawl",
                        "--seeds",
                        file,
                        "--out",
                        out(),
                        "--delay=0",
                        "--max-depth=0",
                        "--allow-private",
                        "--max-idle-wait=0"
                    };

            var crawl = run(command);

            assertThat(crawl.err())
                    .contains("urls.gz, line 5: unknown field 'prio=1'; expected priority,")
                    .contains("skipped 1 of 4 lines");
            assertThat(fetched()).containsExactly(site.url() + "robots.txt", site.url() + "b");
            var _ = run(command);
            try (var lists = Files.list(out().resolve("seed-lists"))) {
                assertThat(lists.map(Path::toString))
                        .as("the list is there")
                        .filteredOn(name -> name.endsWith(".list"))
                        .hasSize(1);
            }
        }
    }

    @Test
    void aLongStandardInputIsCheckedToItsEndAndKept() throws Exception {
        try (var site = new SmallSite()) {
            var lines = new StringBuilder();
            for (var i = 0; i < SeedsFile.SHORT_MAX + 10; i++) {
                lines.append(site.url()).append('?').append(i).append('\n');
            }
            var command =
                    new String[] {
                        "crawl",
                        "--strict",
                        "--seeds=-",
                        "--out=" + out(),
                        "--allow-private",
                        "--delay=0",
                        "--max-pages=1"
                    };
            assertThat(CommandResult.runWithInput(lines + "bad\n", command).err())
                    .contains("standard input, line 10011: 'bad' is not an http or https URL");
            assertThat(out()).doesNotExist();
            var _ = CommandResult.runWithInput(lines.toString(), command);
            try (var lists = Files.list(out().resolve("seed-lists"))) {
                var list = lists.filter(file -> file.toString().endsWith(".list")).findFirst();
                assertThat(list.orElseThrow()).hasSize(lines.length());
            }
        }
    }

    @Test
    void seedsComeFromASource() throws Exception {
        try (var site = new SmallSite()) {
            var csv =
                    Files.writeString(
                            directory.resolve("urls.csv"),
                            "id,link\n1,%1$sa\n%2$s3,%1$sb\n"
                                    .formatted(site.url(), "2,nothing\n".repeat(30)));
            var text = Files.writeString(directory.resolve("urls.txt"), site.url() + "c\n");
            var abandoned = Files.createDirectories(directory.resolve(".out.seeds-1"));
            var command =
                    new Object[] {
                        "crawl",
                        "--seed-from",
                        "csv:" + csv + "#column=link",
                        "--seed-from",
                        "txt:" + text,
                        "--out",
                        out(),
                        "--delay=0",
                        "--allow-private",
                        "--max-depth=0"
                    };
            var first = run(command);
            assertThat(first.err())
                    .contains("urls.csv#column=link, entry 3: 'nothing' is not an http or https")
                    .contains("entry 22: ")
                    .doesNotContain("entry 23: ")
                    .contains("urls.csv#column=link: 2 URLs, 30 entries rejected")
                    .contains("urls.txt: 1 URL\n");
            var rejections = out().resolve(listOf("csv") + ".source.rejected.tsv");
            assertThat(first.err()).contains("rejected entries: " + rejections);
            assertThat(rejections)
                    .content()
                    .startsWith("3\t'nothing' is not an http or https URL\tnothing\n")
                    .contains("\n32\t");
            assertThat(StoredCrawl.open(out(), Settings.CORE).stats().ledger().accepted())
                    .isEqualTo(3);
            assertThat(abandoned).doesNotExist();
            assertThat(directory).isDirectoryNotContaining("glob:**/.out.seeds-*");
            assertThat(run(command).err())
                    .doesNotContain("reading ")
                    .contains("urls.csv#column=link: already read (2 URLs)");
        }
    }

    /** Returns the only list whose name contains a text. */
    private Path listOf(String text) throws Exception {
        try (var lists = Files.list(out().resolve("seed-lists"))) {
            return out().relativize(
                            lists.filter(file -> file.toString().endsWith(".list"))
                                    .filter(file -> file.getFileName().toString().contains(text))
                                    .findFirst()
                                    .orElseThrow());
        }
    }

    @Test
    void aSourceThatFailedBeforeItsEndIsReadAgainAndItsEntriesHaveTheirPriority() throws Exception {
        try (var site = new SmallSite()) {
            var entry = "<url><loc>%s%s</loc><lastmod>%s</lastmod>%s</url>";
            var sitemap =
                    "<urlset>"
                            + entry.formatted(
                                    site.url(),
                                    "b",
                                    Instant.now().truncatedTo(ChronoUnit.SECONDS),
                                    "")
                            + entry.formatted(
                                    site.url(), "c", "2020-01-01", "<priority>0.9</priority>");
            site.page("/s.xml", sitemap);
            var command =
                    new Object[] {
                        "crawl",
                        "--seed-from",
                        "sitemap:" + site.url() + "s.xml",
                        "--out",
                        out(),
                        "--delay=150ms",
                        "--allow-private",
                        "--max-depth=0"
                    };

            assertThat(run(command).err()).contains("/s.xml is incomplete or damaged");
            assertThat(Files.readAllLines(out().resolve(listOf("partial-sitemap"))))
                    .satisfiesExactly(
                            line ->
                                    assertThat(line)
                                            .startsWith(site.url() + "b\tpriority=-5\tlastmod="),
                            line ->
                                    assertThat(line)
                                            .startsWith(site.url() + "c\tpriority=+6\tlastmod="));
            assertThat(site.shortestGap())
                    .as("the crawl waits after the last request of the source")
                    .isGreaterThanOrEqualTo(Duration.ofMillis(149));
            site.page(
                    "/s.xml",
                    sitemap + entry.formatted(site.url(), "d", "2020-01-01", "") + "</urlset>");
            assertThat(run(command).err()).contains("s.xml: 3 URLs");
            assertThat(fetched()).contains(site.url() + "d");
            assertThat(run(command).err()).contains("s.xml: already read (3 URLs)");
        }
    }

    @Test
    void capturesOfAnArchiveAreNotFetchedAgain() throws Exception {
        try (var site = new SmallSite()) {
            var first = directory.resolve("first");
            assertThat(
                            run("crawl", site.url(), "--out", first, "--delay=0", "--max-depth=1")
                                    .code())
                    .isZero();
            var archive = "warc:" + onlyFile(first.resolve("warc"));
            var command =
                    new Object[] {
                        "crawl",
                        site.url(),
                        "--seed-from",
                        archive,
                        "--import-captures",
                        "--out",
                        out(),
                        "--delay=0"
                    };
            var second = run(command);
            assertThat(second.code()).as(second.err()).isZero();
            assertThat(second.err()).contains(archive + ": 3 captures");
            assertThat(out().resolve("crawl.yaml"))
                    .as("payloads of the archive are referred to")
                    .content()
                    .contains("dedupe-with", archive.substring("warc:".length()));
            assertThat(fetched())
                    .as("the page that was named, and robots.txt as always")
                    .containsExactly(site.url() + "robots.txt", site.url());
            assertThat(run(command).err()).as("the list is there").doesNotContain("reading warc:");
            assertThat(run("seed", out(), site.url() + "b", site.url() + "c").code()).isZero();
            assertThat(run("resume", out(), "--quiet").code()).isZero();
            assertThat(fetched()).endsWith(site.url(), site.url() + "c").hasSize(3);
        }
    }

    @Test
    void aCaptureOfAServerErrorDoesNotCountAsVisited() throws Exception {
        try (var site = new SmallSite()) {
            var index =
                    Files.writeString(
                            directory.resolve("index.cdxj"),
                            "b 20260101000000 {\"url\":\"%sb\",\"status\":\"503\"}\nc 20260101000000 {\"url\":\"%sc\",\"status\":\"404\"}\n"
                                    .formatted(site.url(), site.url()));
            var crawl =
                    run(
                            "crawl",
                            site.url(),
                            "--seed-from",
                            "cdxj:" + index,
                            "--import-captures",
                            "--out",
                            out(),
                            "--delay=0");
            assertThat(crawl.code()).as(crawl.err()).isZero();
            assertThat(fetched()).endsWith(site.url(), site.url() + "b").hasSize(3);
        }
    }

    private static Path onlyFile(Path directory) throws Exception {
        try (var files = Files.list(directory)) {
            return files.filter(file -> file.toString().contains(".warc"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private List<String> fetched() throws Exception {
        var urls = new ArrayList<String>();
        PageLog.read(out().resolve("pages.log"), entry -> urls.add(entry.url()));
        return urls;
    }

    @Test
    void wrongUseGetsOneSentence() throws Exception {
        try (var site = new SmallSite()) {
            assertThat(
                            run("crawl", site.url(), "--out", out(), "--delay=0", "--max-depth=0")
                                    .code())
                    .isZero();
            assertThat(run("seed", out()).err())
                    .contains("no URL given; expected URL, --seeds FILE or --seed-from SOURCE");
            assertThat(run("seed", out(), "ftp://example.com/").err())
                    .contains("is not an http or https URL");
            assertThat(run("seed", out(), site.url(), "--priority=high").err())
                    .contains("'priority=high' is not valid");
            assertThat(run("seed", out(), "--remove", "--seeds", "x").err())
                    .contains("--remove takes URLs as arguments only");
            assertThat(run("crawl", site.url(), "--import-captures", "--seed-from", "txt:x").err())
                    .contains("--import-captures needs an archive: --seed-from warc:FILE");
            assertThat(run("seed", directory.resolve("none"), site.url()).code()).isEqualTo(2);
            assertThat(run("crawl", "--seed-from", "nothing:x", "--out", out()).err())
                    .contains("expected TYPE:ARGUMENT, where TYPE is one of sitemap, feed");
        }
    }
}
