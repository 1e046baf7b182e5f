package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.crawl.RobotsPolicy;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Capture.Kind;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** The setting robots, from the command line to the archive. */
class RobotsPolicyTest {

    @TempDir Path directory;

    @Test
    void aCustomFileReplacesTheRobotsTxtOfEveryHost() throws Exception {
        var file = directory.resolve("mine.txt");
        Files.writeString(file, "user-agent: *\ndisallow: /c\n");
        try (var site = new SmallSite()) {
            var out = directory.resolve("site");
            var said = crawl(out, "--robots", "custom", file.toString(), site.url());
            assertThat(said.code()).isZero();
            assertThat(said.err())
                    .contains("warning: mine.txt replaces the robots.txt of every host");
            assertThat(log(out))
                    .extracting(PageLogEntry::kind)
                    .as("the host's own file is not asked for, /c is not taken")
                    .containsExactly(Kind.PAGE, Kind.PAGE);
            assertThat(CommandResult.run("status", out.toString()).out()).contains("robots 1");
            var policy =
                    (RobotsPolicy.Custom)
                            StoredCrawl.open(out, Settings.CORE).config().crawl().robots();
            assertThat(policy.file()).isEqualTo("mine.txt");
            assertThat(policy.digest()).matches("sha256:[0-9a-f]{64}");
            assertThat(warcinfo(out)).contains("robots: custom mine.txt " + policy.digest());
            assertThat(Files.readString(out.resolve("crawl.yaml")))
                    .as("its whole path, for who goes on elsewhere")
                    .contains("custom " + file);
        }
    }

    @Test
    void ignoringRobotsWarnsAndIsRecordedInTheArchive() throws IOException {
        try (var site = new SmallSite()) {
            var out = directory.resolve("site");
            var said = crawl(out, "--robots", "ignore", site.url());
            assertThat(said.err()).contains("warning: robots.txt is ignored: pages that");
            assertThat(log(out)).hasSize(3).noneMatch(entry -> entry.kind() == Kind.ROBOTS);
            assertThat(warcinfo(out)).contains("robots: ignore");
            var obeying = directory.resolve("obeying");
            assertThat(crawl(obeying, site.url()).err()).doesNotContain("robots");
            assertThat(warcinfo(obeying)).contains("robots: obey");
        }
    }

    @Test
    void aDelayInTheFileHoldsForEveryHost() throws Exception {
        var file = directory.resolve("slow.txt");
        Files.writeString(file, "user-agent: *\ncrawl-delay: 7\n");
        var slow = CrawlConfig.of("http://a.test/").withSetting("robots", "custom " + file);
        assertThat(slow.politeness().hostDelay()).isEqualTo(Duration.ofSeconds(7));
        assertThat(slow.withSetting("delay", "9s").politeness().hostDelay())
                .isEqualTo(Duration.ofSeconds(9));
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        var said =
                CommandResult.run("crawl", "http://a.test/", "--robots", "custom", "no/such.txt");
        assertThat(said.code()).isEqualTo(2);
        assertThat(said.err()).contains("robots: cannot read file 'no/such.txt'");
        var lonely = CommandResult.run("crawl", "http://a.test/", "--robots", "custom");
        assertThat(lonely.code()).isEqualTo(2);
        assertThat(lonely.err()).contains("robots: 'custom' is not obey, ignore or custom FILE");
    }

    private static CommandResult crawl(Path out, String... more) {
        var arguments = new ArrayList<>(List.of("crawl", "--delay", "0", "--out", out.toString()));
        arguments.addAll(List.of(more));
        return CommandResult.run(arguments.toArray(String[]::new));
    }

    private static List<PageLogEntry> log(Path out) throws IOException {
        var entries = new ArrayList<PageLogEntry>();
        PageLog.read(out.resolve(DirectoryLayout.PAGE_LOG), entries::add);
        return entries;
    }

    /** The first record of the archive, as text. */
    private static String warcinfo(Path out) throws IOException {
        try (var files = Files.list(out.resolve("warc"))) {
            var first = files.sorted().findFirst().orElseThrow();
            try (var in =
                    new GZIPInputStream(new BufferedInputStream(Files.newInputStream(first)))) {
                return new String(in.readNBytes(2000), StandardCharsets.UTF_8);
            }
        }
    }
}
