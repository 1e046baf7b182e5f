package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The commands forget and compact. */
class ForgetCommandTest {

    @TempDir Path directory;
    private SmallSite site;
    private String archive = "";

    @BeforeEach
    void crawl() throws IOException {
        site = new SmallSite();
        archive = directory.resolve("archive").toString();
        var said =
                CommandResult.run(
                        "crawl",
                        site.url(),
                        "--delay=0",
                        "--contact=me@a.test",
                        "--quiet",
                        "--out",
                        archive);
        assertThat(said.code()).as(said.err()).isZero();
    }

    @AfterEach
    void close() {
        site.close();
    }

    @Test
    void aUrlIsTakenDownThenRemoved() {
        var said = CommandResult.run("forget", archive, site.url() + "b");
        assertThat(said.out()).contains("1 line of the page log hidden");
        assertThat(said.code()).isZero();
        assertThat(exported()).contains(site.url() + "c").doesNotContain(site.url() + "b");
        assertThat(CommandResult.run("compact", archive).out())
                .contains("1 line removed, 1 WARC file rewritten");
        assertThat(CommandResult.run("compact", archive).out()).contains("nothing to remove");
        assertThat(exported()).contains(site.url() + "c").doesNotContain(site.url() + "b");
    }

    @Test
    void noLinkToItIsListedAndTheStatusSaysWhatIsHidden() throws IOException {
        assertThat(CommandResult.run("status", archive).out()).doesNotContain("forgotten");
        var _ = CommandResult.run("forget", archive, site.url() + "b", "elsewhere.invalid");
        var graph = directory.resolve("graph");
        var _ = CommandResult.run("export", archive, "--format=links", "--to=" + graph);
        for (var file : List.of("links.csv", "pages.csv", "hosts.csv", "host-links.csv")) {
            assertThat(Files.readString(graph.resolve(file)))
                    .as(file)
                    .doesNotContain(site.url() + "b\"", "elsewhere.invalid");
        }
        assertThat(CommandResult.run("query", archive, "select target from links").out())
                .doesNotContain(site.url() + "b", "elsewhere.invalid");
        assertThat(CommandResult.run("status", archive).out())
                .contains("forgotten 1 URL and 1 host; exports and queries leave them out");
    }

    @Test
    void aHostIsTakenDownByItsName() {
        var said = CommandResult.run("forget", archive, "127.0.0.1");
        assertThat(said.out()).contains("4 lines of the page log hidden");
        assertThat(exported()).isEmpty();
    }

    @Test
    void whatIsNeitherIsRefusedAndNothingIsDone() {
        var said = CommandResult.run("forget", archive, site.url() + "b", "a host/with a path");
        assertThat(said.code()).isEqualTo(2);
        assertThat(said.err()).contains("'a host/with a path' is neither");
        assertThat(directory.resolve("archive/tombstones.tsv")).doesNotExist();
    }

    private String exported() {
        return CommandResult.run("export", archive, "--format", "jsonl", "--to", "-").out();
    }
}
