package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

class VerifyCommandTest {

    @TempDir private Path folder;

    @Test
    void aSoundCrawlIsSaidToBeSoAndDamageIsNamedWithFileAndByte() throws Exception {
        var crawl = folder.resolve("c");
        try (var site = new SmallSite()) {
            var crawled =
                    Console.run("crawl", site.url(), "--out", crawl.toString(), "--delay", "0");
            assertThat(crawled.code()).isZero();
        }
        var sound = Console.run("verify", crawl.toString());
        assertThat(sound.out()).contains("no damage found").contains("MB/s");
        assertThat(sound.code()).isZero();
        Path warc;
        try (var files = Files.list(crawl.resolve("warc"))) {
            warc = files.findFirst().orElseThrow();
        }
        var bytes = Files.readAllBytes(warc);
        bytes[bytes.length / 2] ^= 4;
        Files.write(warc, bytes);
        var damaged = Console.run("verify", crawl.toString());
        assertThat(damaged.code()).isEqualTo(6);
        assertThat(damaged.out())
                .containsPattern("warc/" + warc.getFileName() + ", byte \\d+: ")
                .contains("do not match the checksum of their commit")
                .contains("orbweaver repair " + crawl);
    }

    @Test
    void aDirectoryWithoutACrawlIsSaidToBeOne() {
        var said = Console.run("verify", folder.toString());
        assertThat(said.code()).isEqualTo(2);
        assertThat(said.err()).contains("there is no crawl in " + folder);
    }
}
