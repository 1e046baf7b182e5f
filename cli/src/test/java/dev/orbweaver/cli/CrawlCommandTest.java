package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

@Slow
class CrawlCommandTest {

    @TempDir Path directory;

    @Test
    void aSiteIsCrawledReportedAndResumedWhenComplete() throws IOException {
        try (var site = new SmallSite()) {
            var out = directory.resolve("site");
            var said = crawl(site.url(), "--out", out.toString(), "--contact", "me@a.test");
            assertThat(said.code()).isZero();
            assertThat(said.err()).isEmpty();
            assertThat(said.out())
                    .startsWith("crawling " + site.url() + " into " + out + "/")
                    .contains("Complete: no URLs are left.", "3 pages", "scope 1");
            assertThat(out)
                    .isDirectoryContaining("glob:**/crawl.yaml")
                    .isDirectoryContaining("glob:**/pages.log")
                    .isDirectoryContaining("glob:**/summary.json")
                    .isDirectoryContaining("glob:**/crawl.log")
                    .isDirectoryContaining("glob:**/warc")
                    .isDirectoryContaining("glob:**/frontier");

            assertThat(CommandResult.run("resume", out.toString()).code()).isZero();
            var again = crawl(site.url(), "--out", out.toString(), "--contact", "me@a.test");
            assertThat(again.code())
                    .as("the same seeds in the same directory resume the crawl")
                    .isZero();
            assertThat(again.err())
                    .contains("resuming the crawl in " + out + " with the same settings");
            var other =
                    crawl(
                            site.url(),
                            "--out",
                            out.toString(),
                            "--max-depth",
                            "7",
                            "--header",
                            "a X: y");
            assertThat(other.err())
                    .contains(
                            "with changed settings: max-depth 7 (was none), contact empty (was"
                                + " me@a.test), header; links that were refused stay refused\n");
            assertThat(pages(out)).hasSize(3);

            var status = CommandResult.run("status", out.toString());
            assertThat(status.code()).isZero();
            assertThat(status.out())
                    .contains("state     complete", "pages     3", "3 = 0 queued")
                    .contains("failed    none", "refused   scope 1", "hosts     1: ");
        }
    }

    @Test
    void aPrivateAddressInAFileOfSeedsIsNotConnectedTo() throws IOException {
        try (var site = new SmallSite()) {
            var file = Files.writeString(directory.resolve("seeds.txt"), site.url() + "\n");
            var out = directory.resolve("f").toString();
            var refused =
                    CommandResult.run(
                            "crawl", "--delay=0", "--seeds", file.toString(), "--out", out);
            assertThat(refused.code()).as(refused.out()).isEqualTo(2);
            assertThat(refused.err())
                    .contains("private address", "--allow-private", "--allow-addresses");
            assertThat(Path.of(out)).doesNotExist();
            var config =
                    Files.writeString(
                            directory.resolve("c.yaml"), "seeds: ['%s']\n".formatted(site.url()));
            var byConfig =
                    CommandResult.run(
                            "crawl",
                            "--config",
                            config.toString(),
                            "--out",
                            directory.resolve("c").toString());
            assertThat(byConfig.code()).as(byConfig.out()).isEqualTo(2);

            var allowed = directory.resolve("a").toString();
            assertThat(
                            CommandResult.run(
                                            "crawl",
                                            "--delay=0",
                                            "--seeds",
                                            file.toString(),
                                            "--allow-addresses",
                                            "127.0.0.0/8",
                                            "--out",
                                            allowed)
                                    .code())
                    .isZero();
            var named = directory.resolve("n").toString();
            assertThat(crawl(site.url(), "--seeds", file.toString(), "--out", named).code())
                    .isZero();
            assertThat(CommandResult.run("resume", named).code()).isZero();
        }
    }

    @Test
    void asJsonNothingButTheSummaryIsOnStandardOutput() throws IOException {
        try (var site = new SmallSite()) {
            var said = crawl(site.url(), "--out", directory.resolve("j").toString(), "--json");
            var summary = JsonMapper.shared().readTree(said.out());
            assertThat(summary.path("pages").asInt()).isEqualTo(3);
            assertThat(summary.path("reason").asString()).isEqualTo("complete");
            assertThat(summary.propertyNames())
                    .contains(
                            "pages",
                            "failed",
                            "refused",
                            "deadLetters",
                            "urlsSeen",
                            "bytes",
                            "seconds",
                            "cpuSeconds",
                            "pagesPerSecond",
                            "pagesPerCpuSecond",
                            "peakRssBytes",
                            "reason");
            assertThat(said.err()).contains("crawling ", "Complete", "warning: no --contact given");
            assertThat(summary)
                    .isEqualTo(
                            JsonMapper.shared()
                                    .readTree(
                                            AtomicFile.read(
                                                    new RealDisk(),
                                                    directory.resolve("j/summary.json"))));
        }
    }

    @Test
    void quietMeansQuiet() throws IOException {
        try (var site = new SmallSite()) {
            var out = directory.resolve("q").toString();
            assertThat(crawl(site.url(), "--out", out, "--quiet"))
                    .isEqualTo(new CommandResult(0, "", ""));
        }
    }

    @Test
    void aLimitEndsTheCrawlAndItCanBeResumed() throws IOException {
        try (var site = new SmallSite()) {
            var out = directory.resolve("l");
            var said = crawl(site.url(), "--out", out.toString(), "--max-pages", "2");
            assertThat(said.code()).isZero();
            assertThat(said.out())
                    .contains("Stopped at the limit of 2 pages.", "orbweaver resume " + out);
            assertThat(pages(out)).hasSize(2);
            var more = CommandResult.run("resume", out.toString(), "--set", "max-pages=none");
            assertThat(more.code()).isZero();
            assertThat(pages(out)).hasSize(3);
            assertThat(urls(out, Kind.ROBOTS)).as("still fresh").hasSize(1);
        }
    }

    @Test
    void whenNothingCouldBeFetchedTheExitCodeSaysSo() throws IOException {
        var out = directory.resolve("n");
        var said = crawl("http://127.0.0.1:1/", "--out", out.toString(), "--max-retries", "0");
        assertThat(said.code()).isEqualTo(3);
        assertThat(said.out()).contains("1 failed", "failed: connect 1");
        assertThat(said.err()).doesNotContain("Exception");
    }

    @Test
    void anAddressWithoutASchemeFallsBackToHttp() throws IOException {
        try (var site = new SmallSite()) {
            var out = directory.resolve("g");
            var place = site.url().replace("http://", "");
            var said = crawl(place, "--out", out.toString(), "--connect-timeout", "1s");
            assertThat(said.code()).isZero();
            assertThat(pages(out)).hasSize(3).contains(site.url());
        }
    }

    @Test
    void seedsComeFromAFileOrFromStandardInput() throws Exception {
        var text = "# mine\n\n  http://127.0.0.1:1/a  \r\nhttp://127.0.0.1:1/b\n";
        var file = Files.writeString(directory.resolve("urls.txt"), text);
        var fromFile = directory.resolve("f");
        var fromInput = directory.resolve("i");
        var options =
                List.of(
                        "--max-retries",
                        "0",
                        "--delay",
                        "0",
                        "--quiet",
                        "--robots",
                        "ignore",
                        "--allow-private");
        var first = new ArrayList<>(List.of("crawl", "--seeds", file.toString()));
        first.addAll(List.of("--out", fromFile.toString(), "http://127.0.0.1:1/c"));
        first.addAll(options);
        var _ = CommandResult.run(first.toArray(String[]::new));
        assertThat(StoredCrawl.open(fromFile, Settings.CORE).config().seeds())
                .extracting(seed -> seed.url().text())
                .containsExactly(
                        "http://127.0.0.1:1/c", "http://127.0.0.1:1/a", "http://127.0.0.1:1/b");
        var second = new ArrayList<>(List.of("crawl", "--seeds", "-", "--out"));
        second.add(fromInput.toString());
        second.addAll(options);
        var _ = CommandResult.runWithInput(text, second.toArray(String[]::new));
        assertThat(StoredCrawl.open(fromInput, Settings.CORE).config().seeds()).hasSize(2);
    }

    @Test
    void flagsGoBeforePairsAndPairsBeforeTheFile() throws Exception {
        var file =
                Files.writeString(
                        directory.resolve("s.yaml"),
                        "max-depth: 1\nconcurrency: 1\nstop-grace: 1\n");
        var out = directory.resolve("p");
        var _ =
                CommandResult.run(
                        "crawl",
                        "http://127.0.0.1:1/",
                        "--config=" + file,
                        "--set=concurrency=2",
                        "--set=stop-grace=2",
                        "--stop-grace=3",
                        "--no-sitemaps",
                        "--page-requisites",
                        "--exclude=a",
                        "--exclude=b,c",
                        "--max-retries=0",
                        "--quiet",
                        "--out=" + out);
        var config = StoredCrawl.open(out, Settings.CORE).config();
        assertThat(config.scope().depthMax()).isEqualTo(1);
        assertThat(config.crawl().concurrency()).isEqualTo(2);
        assertThat(config.crawl().stopGrace()).hasSeconds(3);
        assertThat(config.crawl().sitemaps()).isFalse();
        assertThat(config.scope().requisites()).isTrue();
        assertThat(config.scope().exclude())
                .extracting(Object::toString)
                .containsExactly("a", "b,c");
    }

    @Test
    void withoutADirectoryOneIsNamedAfterTheHostAndThenNumbered() throws Exception {
        for (var expected : List.of("127.0.0.1", "127.0.0.1-2")) {
            var said =
                    CommandResult.process(
                            directory,
                            CommandResult.java(),
                            "crawl",
                            "http://127.0.0.1:1/",
                            "--max-retries",
                            "0",
                            "--robots",
                            "ignore");
            assertThat(said.code()).isEqualTo(3);
            assertThat(said.out()).contains(" into " + expected + "/");
            assertThat(directory.resolve(expected)).isDirectoryContaining("glob:**/summary.json");
            assertThat(said.err())
                    .contains("warning: robots.txt is ignored")
                    .contains("warning: no --contact given");
        }
    }

    private static CommandResult crawl(String url, String... options) {
        var line = new ArrayList<>(List.of("crawl", url, "--delay", "0", "--timeout", "10s"));
        line.addAll(List.of(options));
        return CommandResult.run(line.toArray(String[]::new));
    }

    private static List<String> pages(Path out) throws IOException {
        return urls(out, Kind.PAGE);
    }

    private static List<String> urls(Path out, Kind kind) throws IOException {
        var pages = new ArrayList<String>();
        PageLog.read(
                out.resolve(DirectoryLayout.PAGE_LOG),
                entry -> {
                    if (entry.kind() == kind) {
                        pages.add(entry.url());
                    }
                });
        return pages;
    }
}
