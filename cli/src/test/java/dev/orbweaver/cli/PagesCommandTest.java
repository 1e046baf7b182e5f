package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

class PagesCommandTest {

    private static final Instant NOW = Instant.parse("2030-01-31T12:00:00Z");

    @TempDir private Path directory;

    @Test
    void visitedPagesAreListedByTimeStatusAndHost() throws Exception {
        var crawl = directory.resolve("c").toString();
        try (var site = new SmallSite()) {
            var crawled = CommandResult.run("crawl", site.url(), "--out", crawl, "--delay", "0");
            assertThat(crawled.code()).isZero();
            var all = CommandResult.run("pages", crawl);
            assertThat(all.err()).isEmpty();
            assertThat(all.out().lines())
                    .as("robots.txt is not a page")
                    .hasSize(3)
                    .allMatch(line -> line.matches("20\\S+Z  200 +http://127.0.0.1:\\d+/[bc]?"));
            assertThat(CommandResult.run("pages", crawl, "--since", "1h").out())
                    .isEqualTo(all.out());
            assertThat(CommandResult.run("pages", crawl, "--until", "1h").out()).isEmpty();
            assertThat(CommandResult.run("pages", crawl, "--status", "4xx").out()).isEmpty();
            assertThat(CommandResult.run("pages", crawl, "--status", "2xx", "--limit", "2").out())
                    .isEqualTo(
                            all.out()
                                    .substring(
                                            0,
                                            all.out().indexOf('\n', all.out().indexOf('\n') + 1)
                                                    + 1));
            assertThat(CommandResult.run("pages", crawl, "--host", "127.0.0.1").out())
                    .isEqualTo(all.out());
            assertThat(CommandResult.run("pages", crawl, "--host", "other.test").out()).isEmpty();
            var lines = Files.readAllLines(Path.of(crawl, "pages.log"));
            assertThat(CommandResult.run("pages", crawl, "--format", "jsonl").out().lines())
                    .as("the lines of the page log")
                    .hasSize(3)
                    .allMatch(lines::contains);
            assertThat(CommandResult.run("forget", crawl, site.url() + "b").code()).isZero();
            assertThat(CommandResult.run("pages", crawl).out().lines())
                    .hasSize(2)
                    .noneMatch(line -> line.endsWith("/b"));
        }
    }

    @Test
    void aTimeIsADateADateAndTimeOrAnAge() {
        assertThat(PagesCommand.parseTime("7d", NOW)).contains(NOW.minusSeconds(7 * 86_400));
        assertThat(PagesCommand.parseTime("2030-01-02", NOW))
                .contains(Instant.parse("2030-01-02T00:00:00Z"));
        assertThat(PagesCommand.parseTime("2030-01-02T03:04", NOW))
                .contains(Instant.parse("2030-01-02T03:04:00Z"));
        assertThat(PagesCommand.parseTime("2030-01-02T03:04:05+02:00", NOW))
                .contains(Instant.parse("2030-01-02T01:04:05Z"));
        for (var wrong : new String[] {"", "yesterday", "2030-13-01", "7", "7x", "2030-01-02T"}) {
            assertThat(PagesCommand.parseTime(wrong, NOW)).as(wrong).isEmpty();
        }
    }

    @Test
    void everyMistakeIsExplained() throws Exception {
        var crawl = directory.resolve("c").toString();
        try (var site = new SmallSite()) {
            assertThat(
                            CommandResult.run("crawl", site.url(), "--out", crawl, "--delay", "0")
                                    .code())
                    .isZero();
        }
        assertThat(error("pages", crawl, "--since", "soon"))
                .startsWith("orbweaver: --since: expected a date such as 2030-01-31");
        assertThat(error("pages", crawl, "--since", "1h", "--until", "2h"))
                .contains("must be before");
        assertThat(error("pages", crawl, "--status", "9999"))
                .contains("404, 4xx or none, not '9999'");
        assertThat(error("pages", crawl, "--host", "a/b")).contains("a host name without port");
        assertThat(error("pages", crawl, "--format", "xml")).contains("expected text or jsonl");
        assertThat(error("pages", crawl, "--limit", "0")).contains("a number from 1, not '0'");
        assertThat(error("pages", directory.toString())).contains("there is no crawl in");
    }

    private static String error(String... arguments) {
        var result = CommandResult.run(arguments);
        assertThat(result.code()).isEqualTo(2);
        return result.err();
    }
}
