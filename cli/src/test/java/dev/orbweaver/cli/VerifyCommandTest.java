package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

class VerifyCommandTest {

    @TempDir private Path directory;

    @Test
    void anIntactCrawlPassesAndDamageIsReportedWithFileAndByte() throws Exception {
        var crawl = directory.resolve("c");
        try (var site = new SmallSite()) {
            var crawled =
                    CommandResult.run(
                            "crawl", site.url(), "--out", crawl.toString(), "--delay", "0");
            assertThat(crawled.code()).isZero();
        }
        var sound = CommandResult.run("verify", crawl.toString());
        assertThat(sound.out()).contains("no damage found");
        assertThat(sound.code()).isZero();
        Path warc;
        try (var files = Files.list(crawl.resolve("warc"))) {
            warc = files.findFirst().orElseThrow();
        }
        var bytes = Files.readAllBytes(warc);
        bytes[bytes.length / 2] ^= 4;
        Files.write(warc, bytes);
        var damaged = CommandResult.run("verify", crawl.toString());
        assertThat(damaged.code()).isEqualTo(6);
        assertThat(damaged.out())
                .containsPattern("warc/" + warc.getFileName() + ", byte \\d+: ")
                .contains("do not match the checksum of their commit")
                .contains("orbweaver repair " + crawl);
    }

    @Test
    void theRateIsShownOnlyAfterASecond() {
        assertThat(VerifyCommand.amount(3_000, 10_000_000)).isEqualTo("2.9 KB");
        assertThat(VerifyCommand.amount(200_000_000, 2_000_000_000)).endsWith(" (100 MB/s)");
    }

    @Test
    void aDirectoryWithoutACrawlIsReported() {
        var said = CommandResult.run("verify", directory.toString());
        assertThat(said.code()).isEqualTo(2);
        assertThat(said.err()).contains("there is no crawl in " + directory);
    }
}
