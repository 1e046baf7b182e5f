package dev.orbweaver.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.disk.WholeFile;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.url.CrawlUrls;
import dev.orbweaver.url.Normalisation;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;

class TombstoneWatchTest {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    @TempDir Path folder;
    private Instant now = Captures.TIME;

    @Test
    void aRunningCrawlHearsOfItWithinASecond() throws IOException {
        var watch = new TombstoneWatch(folder, URLS, () -> now);
        TombstoneFile.addUrl(new RealDisk(), folder, url("http://a.test/x"), now);
        now = now.plusMillis(999);
        assertThat(watch.cover(url("http://a.test/x"))).isFalse();
        now = now.plusMillis(1);
        assertThat(watch.cover(url("http://a.test/x"))).isTrue();
        assertThat(watch.cover(url("http://a.test/y"))).isFalse();
        TombstoneFile.addHost(new RealDisk(), folder, "a.test", now);
        now = now.plusSeconds(1);
        assertThat(watch.cover(url("http://a.test/y"))).isTrue();
        assertThat(watch.cover(url("http://b.a.test/y"))).isFalse();
    }

    @Test
    void everySpellingOfAUrlIsCoveredAndEveryPortOfAHost() throws IOException {
        TombstoneFile.addUrl(new RealDisk(), folder, url("http://a.test/x?q=1#part"), now);
        TombstoneFile.addHost(new RealDisk(), folder, "b.test", now);
        var tombstones = TombstoneFile.read(folder, URLS);
        assertThat(tombstones.cover("HTTP://A.test:80/./x?q=1")).isTrue();
        assertThat(tombstones.cover("http://a.test/x?q=2")).isFalse();
        assertThat(tombstones.cover("https://b.test:8443/anything")).isTrue();
        assertThat(tombstones.cover("no URL")).isFalse();
    }

    @Test
    void aFileThatCannotBeUnderstoodIsNotTakenForAnEmptyOne() throws IOException {
        WholeFile.write(new RealDisk(), folder.resolve(TombstoneFile.FILE), "http://a.test/x\n");
        assertThatThrownBy(() -> TombstoneFile.read(folder, URLS))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no tombstone");
    }

    private static CrawlUrl url(String text) {
        return URLS.parse(text).orElseThrow();
    }
}
