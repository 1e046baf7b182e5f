package dev.orbweaver.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.frontier.Workbench;
import dev.orbweaver.internal.url.FingerprintKey;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;

/** The front door: what may be opened, and what is left alone. */
class CrawlOpenerTest {

    @TempDir Path directory;

    private CrawlConfig config() throws Exception {
        return CrawlConfig.of("http://127.0.0.1:1/");
    }

    @Test
    void aDirectoryWithForeignFilesIsRefusedAndUnchanged() throws Exception {
        for (var name : new String[] {"warc/mine.warc.gz", "tmp/mine.txt", "pages.log"}) {
            var place = Files.createDirectories(directory.resolve(name.replace('/', '-')));
            var mine = place.resolve(name);
            Files.createDirectories(mine.getParent());
            Files.writeString(mine, "mine");
            assertThatThrownBy(() -> CrawlOpener.open(config(), place))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("but no frontier; choose another directory");
            assertThat(mine).hasContent("mine");
            assertThat(StoredCrawl.isCrawl(place)).isFalse();
        }
    }

    @Test
    void everyCrawlHasASecretOfItsOwn(@TempDir Path other) throws Exception {
        var config = CrawlConfig.of("http://a.test/");
        var keys = new HashSet<FingerprintKey>();
        for (var place : List.of(directory, other)) {
            CrawlOpener.open(config, place).close();
            CrawlOpener.open(config, place).close();
            keys.add(new StoredCrawl(place, config).urls().key());
        }
        assertThat(keys).hasSize(2).doesNotContain(FingerprintKey.PUBLIC);
    }

    @Test
    void aCrawlOfOtherSeedsIsNotTakenOver() throws Exception {
        try (var first = CrawlOpener.open(config(), directory)) {
            assertThat(first.directory()).isEqualTo(directory);
        }
        var other = CrawlConfig.of("http://127.0.0.1:2/");
        assertThatThrownBy(() -> CrawlOpener.open(other, directory))
                .hasMessageContaining("other seeds");
        assertThat(StoredCrawl.open(directory, Settings.CORE).config().seeds())
                .isEqualTo(config().seeds());
    }

    /** The frontier returns only the first 100,000 seeds of a crawl. */
    @Test
    void aCrawlOfMoreSeedsThanTheFrontierReturnsIsResumed() throws Exception {
        var seeds =
                IntStream.range(0, Workbench.SEEDS_KEPT_MAX + 10)
                        .mapToObj(i -> "http://127.0.0.1:1/" + i)
                        .toArray(String[]::new);
        var config = CrawlConfig.of(seeds);
        CrawlOpener.open(config, directory).close();
        try (var resumed = CrawlOpener.open(config, directory)) {
            assertThat(resumed.status().frontier().ledger().accepted()).isEqualTo(seeds.length);
        }
        seeds[seeds.length - 1] = "http://127.0.0.1:2/";
        var other = CrawlConfig.of(seeds);
        assertThatThrownBy(() -> CrawlOpener.open(other, directory))
                .hasMessageContaining("other seeds");
    }

    @Test
    void whatWasOpenedBeforeAPartFailedIsClosedAgain() throws Exception {
        var descriptors = Path.of("/proc/self/fd");
        assumeTrue(Files.isDirectory(descriptors), "there is a list of open files");
        Files.writeString(directory.resolve("excluded-hosts.txt"), "http://no.host/\n");
        assertThatThrownBy(() -> CrawlOpener.open(config(), directory))
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
        assertThat(open).noneMatch(name -> name.startsWith(directory.toString()));
        Files.delete(directory.resolve("excluded-hosts.txt"));
        try (var again = CrawlOpener.open(config(), directory)) {
            assertThat(again.directory()).isEqualTo(directory);
        }
    }

    @Test
    void aDirectoryIsForOneProcessAtATime() throws Exception {
        assertThat(StoredCrawl.isRunning(directory)).isFalse();
        try (var crawl = CrawlOpener.open(config(), directory)) {
            assertThat(StoredCrawl.isRunning(crawl.directory())).isTrue();
            assertThatThrownBy(() -> CrawlOpener.open(config(), directory))
                    .hasMessageContaining("a crawl is running");
        }
        assertThat(StoredCrawl.isRunning(directory)).isFalse();
    }
}
