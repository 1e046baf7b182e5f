package dev.orbweaver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Settings;
import dev.orbweaver.url.FingerprintKey;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/** The front door: what may be opened, and what is left alone. */
class OrbweaverTest {

    @TempDir Path folder;

    private CrawlConfig config() throws Exception {
        return CrawlConfig.of("http://127.0.0.1:1/");
    }

    @Test
    void aFolderWithSomebodysFilesIsRefusedAndLeftAsItWas() throws Exception {
        for (var name : new String[] {"warc/mine.warc.gz", "tmp/mine.txt", "pages.log"}) {
            var place = Files.createDirectories(folder.resolve(name.replace('/', '-')));
            var mine = place.resolve(name);
            Files.createDirectories(mine.getParent());
            Files.writeString(mine, "mine");
            assertThatThrownBy(() -> Crawler.open(config(), place))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no frontier that knows of it");
            assertThat(mine).hasContent("mine");
            assertThat(CrawlDirectory.isCrawl(place)).isFalse();
        }
    }

    @Test
    void everyCrawlHasASecretOfItsOwn(@TempDir Path other) throws Exception {
        var config = CrawlConfig.of("http://a.test/");
        var keys = new HashSet<FingerprintKey>();
        for (var place : List.of(folder, other)) {
            Crawler.open(config, place).close();
            Crawler.open(config, place).close();
            keys.add(new CrawlDirectory(place, config).urls().key());
        }
        assertThat(keys).hasSize(2).doesNotContain(FingerprintKey.PUBLIC);
    }

    @Test
    void aCrawlOfOtherSeedsIsNotTakenOver() throws Exception {
        try (var first = Crawler.open(config(), folder)) {
            assertThat(first.folder()).isEqualTo(folder);
        }
        var other = CrawlConfig.of("http://127.0.0.1:2/");
        assertThatThrownBy(() -> Crawler.open(other, folder)).hasMessageContaining("other seeds");
        assertThat(CrawlDirectory.open(folder, Settings.CORE).config().seeds())
                .isEqualTo(config().seeds());
    }

    @Test
    void whatWasOpenedBeforeAPartFailedIsClosedAgain() throws Exception {
        var descriptors = Path.of("/proc/self/fd");
        assumeTrue(Files.isDirectory(descriptors), "there is a list of open files");
        Files.writeString(folder.resolve("excluded-hosts.txt"), "http://no.host/\n");
        assertThatThrownBy(() -> Crawler.open(config(), folder))
                .hasMessageContaining("excluded-hosts.txt, line 1");
        var open = new ArrayList<String>();
        try (var files = Files.list(descriptors)) {
            for (var file : files.toList()) {
                if (Files.isSymbolicLink(file)) {
                    open.add(Files.readSymbolicLink(file).toString());
                }
            }
        } catch (NoSuchFileException e) {
            // One that was closed while we looked.
        }
        assertThat(open).noneMatch(name -> name.startsWith(folder.toString()));
        Files.delete(folder.resolve("excluded-hosts.txt"));
        try (var again = Crawler.open(config(), folder)) {
            assertThat(again.folder()).isEqualTo(folder);
        }
    }

    @Test
    void aFolderIsForOneProcessAtATime() throws Exception {
        assertThat(CrawlDirectory.isRunning(folder)).isFalse();
        try (var crawl = Crawler.open(config(), folder)) {
            assertThat(CrawlDirectory.isRunning(crawl.folder())).isTrue();
            assertThatThrownBy(() -> Crawler.open(config(), folder))
                    .hasMessageContaining("another process is crawling");
        }
        assertThat(CrawlDirectory.isRunning(folder)).isFalse();
    }
}
