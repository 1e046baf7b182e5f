package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Slow;
import dev.orbweaver.testkit.SimulatedDns;
import dev.orbweaver.testkit.SimulatedWeb;
import dev.orbweaver.testkit.WebSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A seed that fails or is refused is reported at once, and can be tried again. */
@Slow
class SeedFailureTest {

    @TempDir Path directory;

    @Test
    void aMistypedHostNameEndsTheCrawlWithoutRetries() throws IOException {
        try (var dns =
                SimulatedDns.start(SimulatedWeb.of(WebSpec.demo(1)), 0, Duration.ofDays(1))) {
            var out = directory.resolve("x");
            var said =
                    crawl(
                            out,
                            "http://mistyped.test/",
                            "--dns-server",
                            "127.0.0.1:" + dns.address().getPort());
            assertThat(said.err())
                    .contains(
                            "warning: seed http://mistyped.test/ failed: dns: no such host:"
                                    + " mistyped.test\n");
            assertThat(said.out()).contains("http://mistyped.test/: dns: no such host");
            assertThat(said.code()).isEqualTo(3);
            assertThat(Files.readString(out.resolve("pages.log")))
                    .contains("\"kind\":\"failed\"")
                    .doesNotContain("retried");
        }
    }

    @Test
    void aSeedThatIsRetriedIsReportedBeforeTheRetry() {
        var said =
                crawl(
                        directory.resolve("x"),
                        "http://127.0.0.1:1/",
                        "--max-retries=1",
                        "--retry-delay=10ms",
                        "--error-backoff=0");
        assertThat(said.err().lines().filter(line -> line.startsWith("warning: seed")))
                .singleElement()
                .asString()
                .startsWith("warning: seed http://127.0.0.1:1/ failed: connect: ")
                .endsWith("; retrying");
    }

    @Test
    void theSameCommandTriesFailedSeedsAgain() throws IOException {
        try (var site = new SmallSite()) {
            var out = directory.resolve("x");
            site.startFailing();
            assertThat(crawl(out, site.url(), "--max-retries=0").code()).isEqualTo(3);
            site.stopFailing();
            var again = crawl(out, site.url(), "--max-retries=0");
            assertThat(again.err()).contains("1 URL that failed is tried again\n");
            assertThat(again.code()).isZero();
            assertThat(again.out()).contains("3 pages");
        }
    }

    @Test
    void seedsThatWereRefusedNeedANewDirectory() throws IOException {
        try (var site = new SmallSite()) {
            var url = site.url().replace("127.0.0.1", "inside.test");
            var out = directory.resolve("x");
            var resolve = "--resolve=inside.test=127.0.0.1";
            assertThat(crawl(out, url, resolve).code()).isEqualTo(3);
            var again = crawl(out, url, resolve, "--allow-private");
            var sentence =
                    "orbweaver: the crawl in %s has refused all its URLs (address 1), and URLs that were refused stay refused; start again with another --out, or delete the directory first\n"
                            .formatted(out);
            assertThat(again.err()).isEqualTo(sentence);
            assertThat(again.code()).isEqualTo(2);
            var resumed = CommandResult.run("resume", out.toString(), "--set=allow-private=true");
            assertThat(resumed.err()).isEqualTo(sentence);
            assertThat(crawl(directory.resolve("y"), url, resolve, "--allow-private").code())
                    .isZero();
        }
    }

    private static CommandResult crawl(Path out, String url, String... more) {
        var arguments =
                new ArrayList<>(
                        List.of("crawl", url, "--out", out.toString(), "--contact=me@a.test"));
        arguments.addAll(List.of("--delay=0"));
        arguments.addAll(List.of(more));
        return CommandResult.run(arguments.toArray(String[]::new));
    }
}
