package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.DirectoryLock;
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

    @TempDir Path directory;

    /** Three letters of two causes. */
    private ScriptedCrawl crawl() throws Exception {
        var crawl = ScriptedCrawl.create(directory);
        crawl.offer("a.example", 2);
        crawl.failNext(FailureCause.TLS);
        crawl.advance(1);
        crawl.failNext(FailureCause.TIMEOUT);
        crawl.offer("b.example", 1);
        crawl.failNext(FailureCause.TIMEOUT);
        return crawl;
    }

    private CommandResult dead(String what, String... more) {
        var line = new ArrayList<>(List.of("dead", what, directory.toString()));
        line.addAll(List.of(more));
        return CommandResult.run(line.toArray(String[]::new));
    }

    private static String listed(CommandResult said) {
        assertThat(said.code()).isZero();
        assertThat(said.err()).isEmpty();
        return said.out()
                .lines()
                .skip(1) // The header, or that there are none.
                .map(line -> line.replaceAll(".* ", ""))
                .collect(Collectors.joining(" "));
    }

    @Test
    void everyDeadLetterIsListedWithItsDetails() throws Exception {
        crawl().close();
        assertThat(dead("list"))
                .isEqualTo(
                        new CommandResult(
                                0,
                                """
                                cause          retries  depth  found at                  URL
                                tls                  0      1  2030-01-01T00:00:00Z      http://a.example/0
                                timeout              0      1  2030-01-01T00:00:00Z      http://a.example/1
                                timeout              0      1  2030-01-01T00:00:01Z      http://b.example/0
                                """,
                                ""));
        assertThat(listed(dead("list", "--cause", "tls"))).isEqualTo("http://a.example/0");
        assertThat(dead("list", "--cause=dns"))
                .isEqualTo(new CommandResult(0, "no dead letters\n", ""));
        assertThat(dead("list", "--cause=dns", "--json").out()).isEmpty();
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
        try (var running = ScriptedCrawl.reopen(directory)) {
            running.offer("c.example", 1);
            running.advance(5);
            running.failNext(FailureCause.DNS);
            assertThat(listed(dead("list")))
                    .isEqualTo(
                            "http://a.example/0 http://a.example/1 http://b.example/0"
                                    + " http://c.example/0");
        }
    }

    @Test
    void retriedDeadLettersLeaveTheListAndEnterTheQueue() throws Exception {
        crawl().close();
        assertThat(dead("retry", "--cause", "timeout", "http://a.example/1", "http://a.example/0"))
                .isEqualTo(
                        new CommandResult(
                                0,
                                "1 queued again; to fetch it: orbweaver resume " + directory + "\n",
                                "warning: not a dead letter: http://a.example/0\n"));
        assertThat(listed(dead("list"))).isEqualTo("http://a.example/0 http://b.example/0");
        assertThat(CommandResult.run("status", directory.toString()).out())
                .contains("4 = 1 queued + 0 leased + 1 done + 2 dead + 0 withdrawn")
                .contains("failed    timeout 1, tls 1");
        assertThat(dead("retry").out()).startsWith("2 queued again; to fetch them: ");
        assertThat(dead("retry").out()).isEqualTo("no URLs to retry\n");
        assertThat(listed(dead("list"))).isEmpty();
    }

    @Test
    void nothingIsRetriedWhileTheCrawlRuns() throws Exception {
        crawl().close();
        try (var _ = DirectoryLock.tryLock(directory.resolve(".lock")).orElseThrow()) {
            assertThat(dead("retry"))
                    .isEqualTo(
                            new CommandResult(
                                    4,
                                    "",
                                    "orbweaver: a crawl is running in %s: wait for it or stop it\n"
                                            .formatted(directory)));
        }
        assertThat(dead("list").out().lines()).hasSize(1 + 3);
    }

    @Test
    void causesAndUrlsThatThereAreNot() throws Exception {
        crawl().close();
        for (var what : List.of("list", "retry")) {
            var said = dead(what, "--cause", "bad-luck");
            assertThat(said.code()).isEqualTo(2);
            assertThat(said.err())
                    .startsWith("orbweaver: unknown cause 'bad-luck'; expected one of dns, ")
                    .hasLineCount(1);
        }
        var said = dead("retry", "nonsense");
        assertThat(said.code()).isEqualTo(2);
        assertThat(said.err()).isEqualTo("orbweaver: 'nonsense' is not an http or https URL\n");
        assertThat(CommandResult.run("dead").code()).isEqualTo(2);
        assertThat(CommandResult.run("dead").out()).contains("list ", "retry ");
        assertThat(CommandResult.run("dead", "lits", "x").err()).contains("did you mean");
    }

    @Test
    void aHostThatRecoveredIsFetchedAfterARetry() throws Exception {
        try (var site = new SmallSite()) {
            site.startFailing();
            var out = directory.resolve("out").toString();
            var first =
                    CommandResult.run(
                            "crawl", site.url(), "--out", out, "--max-retries=0", "--delay=0");
            assertThat(first.code()).isEqualTo(3);
            assertThat(CommandResult.run("dead", "list", out).out())
                    .contains("\nserver-error ")
                    .endsWith(site.url() + "\n");
            site.stopFailing();
            assertThat(CommandResult.run("dead", "retry", out, site.url()).out())
                    .startsWith("1 queued again");
            assertThat(CommandResult.run("status", out).out()).contains("1 queued", "unfinished");
            assertThat(CommandResult.run("resume", out).code()).isZero();
            assertThat(CommandResult.run("status", out).out())
                    .contains("complete", "3 = 0 queued + 0 leased + 3 done + 0 dead");
            assertThat(CommandResult.run("dead", "list", out))
                    .isEqualTo(new CommandResult(0, "no dead letters\n", ""));
        }
    }

    @Test
    void retriedDeadLettersSurviveACrash() throws Exception {
        crawl().close();
        assertThat(dead("retry").out()).startsWith("3 queued again");
        var copy = Files.createDirectory(directory.resolve("copy"));
        try (var running = ScriptedCrawl.reopen(directory)) {
            running.advance(5);
            running.failNext(FailureCause.CONNECT);
            copy(directory, copy); // As it would be found if the process died here.
        }
        assertThat(CommandResult.run("dead", "list", copy.toString()).out().lines()).hasSize(1 + 1);
        assertThat(CommandResult.run("status", copy.toString()).out())
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
