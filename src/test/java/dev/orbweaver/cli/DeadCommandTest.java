package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.disk.FolderLock;
import dev.orbweaver.model.FailureCause;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

class DeadCommandTest {

    @TempDir Path folder;

    /** Three letters of two causes. */
    private StillCrawl crawl() throws Exception {
        var crawl = StillCrawl.begin(folder);
        crawl.offer("a.example", 2);
        crawl.dies(FailureCause.TLS);
        crawl.later(1);
        crawl.dies(FailureCause.TIMEOUT);
        crawl.offer("b.example", 1);
        crawl.dies(FailureCause.TIMEOUT);
        return crawl;
    }

    private Console dead(String what, String... more) {
        var line = new ArrayList<>(List.of("dead", what, folder.toString()));
        line.addAll(List.of(more));
        return Console.run(line.toArray(String[]::new));
    }

    private static String listed(Console said) {
        assertThat(said.code()).isZero();
        assertThat(said.err()).isEmpty();
        return said.out()
                .lines()
                .map(line -> line.replaceAll(".* ", ""))
                .collect(Collectors.joining(" "));
    }

    @Test
    void everyLetterIsListedWithWhatIsKnownOfIt() throws Exception {
        crawl().close();
        assertThat(dead("list"))
                .isEqualTo(
                        new Console(
                                0,
                                """
                                tls             0   1  2030-01-01T00:00:00Z  http://a.example/0
                                timeout         0   1  2030-01-01T00:00:00Z  http://a.example/1
                                timeout         0   1  2030-01-01T00:00:01Z  http://b.example/0
                                """,
                                ""));
        assertThat(listed(dead("list", "--cause", "tls"))).isEqualTo("http://a.example/0");
        assertThat(listed(dead("list", "--cause=dns"))).isEmpty();
        var json = dead("list", "--json", "--cause", "tls").out();
        assertThat(json.lines()).hasSize(1);
        assertThat(JsonMapper.shared().readTree(json))
                .isEqualTo(
                        JsonMapper.shared()
                                .readTree(
                                        """
                                        {"job": 0, "url": "http://a.example/0", "cause": "tls",
                                         "attempts": 0, "foundAt": "2030-01-01T00:00:00Z", "depth": 1}
                                        """));
    }

    @Test
    void lettersOfACrawlThatRunsAreListedToo() throws Exception {
        crawl().close();
        try (var running = StillCrawl.goOn(folder)) {
            running.offer("c.example", 1);
            running.later(5);
            running.dies(FailureCause.DNS);
            assertThat(listed(dead("list")))
                    .isEqualTo(
                            "http://a.example/0 http://a.example/1 http://b.example/0"
                                    + " http://c.example/0");
        }
    }

    @Test
    void lettersTakenBackAreGoneFromTheListAndInTheQueue() throws Exception {
        crawl().close();
        assertThat(dead("retry", "--cause", "timeout", "http://a.example/1", "http://a.example/0"))
                .isEqualTo(
                        new Console(
                                0,
                                "1 taken back; to fetch it: ./orbweaver resume " + folder + "\n",
                                "warning: no dead letter: http://a.example/0\n"));
        assertThat(listed(dead("list"))).isEqualTo("http://a.example/0 http://b.example/0");
        assertThat(Console.run("status", folder.toString()).out())
                .contains("4 = 1 queued + 0 leased + 1 done + 2 dead + 0 withdrawn")
                .contains("failed    timeout 1, tls 1");
        assertThat(dead("retry").out()).startsWith("2 taken back; to fetch them: ");
        assertThat(dead("retry").out()).isEqualTo("nothing to take back\n");
        assertThat(listed(dead("list"))).isEmpty();
    }

    @Test
    void nothingIsTakenBackUnderTheHandsOfACrawlThatRuns() throws Exception {
        crawl().close();
        try (var _ = FolderLock.tryLock(folder.resolve(".lock")).orElseThrow()) {
            assertThat(dead("retry"))
                    .isEqualTo(
                            new Console(
                                    4,
                                    "",
                                    "orbweaver: another process is crawling into %s: wait for it or stop it\n"
                                            .formatted(folder)));
        }
        assertThat(dead("list").out().lines()).hasSize(3);
    }

    @Test
    void causesAndUrlsThatThereAreNot() throws Exception {
        crawl().close();
        for (var what : List.of("list", "retry")) {
            var said = dead(what, "--cause", "bad-luck");
            assertThat(said.code()).isEqualTo(2);
            assertThat(said.err())
                    .startsWith("orbweaver: there is no cause 'bad-luck'; choose one of dns, ")
                    .hasLineCount(1);
        }
        var said = dead("retry", "nonsense");
        assertThat(said.code()).isEqualTo(2);
        assertThat(said.err()).isEqualTo("orbweaver: 'nonsense' is not an http or https URL\n");
        assertThat(Console.run("dead").code()).isEqualTo(2);
        assertThat(Console.run("dead").out()).contains("list ", "retry ");
        assertThat(Console.run("dead", "lits", "x").err()).contains("did you mean");
    }

    @Test
    void aHostThatIsMendedIsFetchedAfterARetry() throws Exception {
        try (var site = new SmallSite()) {
            site.breakDown();
            var out = folder.resolve("out").toString();
            var first = Console.run("crawl", site.url(), "--out", out, "--retries=0", "--delay=0");
            assertThat(first.code()).isEqualTo(3);
            assertThat(Console.run("dead", "list", out).out())
                    .startsWith("server-error ")
                    .endsWith(site.url() + "\n");
            site.mend();
            assertThat(Console.run("dead", "retry", out, site.url()).out()).startsWith("1 taken");
            assertThat(Console.run("status", out).out()).contains("1 queued", "broken off");
            assertThat(Console.run("resume", out).code()).isZero();
            assertThat(Console.run("status", out).out())
                    .contains("complete", "3 = 0 queued + 0 leased + 3 done + 0 dead");
            assertThat(Console.run("dead", "list", out)).isEqualTo(new Console(0, "", ""));
        }
    }

    @Test
    void whatWasTakenBackSurvivesADeath() throws Exception {
        crawl().close();
        assertThat(dead("retry").out()).startsWith("3 taken back");
        var copy = Files.createDirectory(folder.resolve("copy"));
        try (var running = StillCrawl.goOn(folder)) {
            running.later(5);
            running.dies(FailureCause.CONNECT);
            copy(folder, copy); // As it would be found if the process died here.
        }
        assertThat(Console.run("dead", "list", copy.toString()).out().lines()).hasSize(1);
        assertThat(Console.run("status", copy.toString()).out())
                .contains("4 = 2 queued + 0 leased + 1 done + 1 dead");
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.copy(from.resolve("crawl.yaml"), to.resolve("crawl.yaml"));
        Files.createDirectory(to.resolve("frontier"));
        try (var files = Files.list(from.resolve("frontier"))) {
            for (var file : files.toList()) {
                Files.copy(file, to.resolve("frontier").resolve(file.getFileName()));
            }
        }
    }
}
