package dev.orbweaver.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CrawlUrl;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;

class TombstoneWatchTest {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    @TempDir Path directory;
    private Instant now = Captures.TIME;

    @Test
    void aRunningCrawlHearsOfItWithinASecond() throws IOException {
        var watch = new TombstoneWatch(directory, URLS, () -> now);
        TombstoneFile.addUrl(new RealDisk(), directory, url("http://a.test/x"), now);
        now = now.plusMillis(999);
        assertThat(watch.covers(url("http://a.test/x"))).isFalse();
        now = now.plusMillis(1);
        assertThat(watch.covers(url("http://a.test/x"))).isTrue();
        assertThat(watch.covers(url("http://a.test/y"))).isFalse();
        TombstoneFile.addHost(new RealDisk(), directory, "a.test", now);
        now = now.plusSeconds(1);
        assertThat(watch.covers(url("http://a.test/y"))).isTrue();
        assertThat(watch.covers(url("http://b.a.test/y"))).isFalse();
    }

    @Test
    void everySpellingOfAUrlIsCoveredAndEveryPortOfAHost() throws IOException {
        TombstoneFile.addUrl(new RealDisk(), directory, url("http://a.test/x?q=1#part"), now);
        TombstoneFile.addHost(new RealDisk(), directory, "b.test", now);
        var tombstones = TombstoneFile.read(directory, URLS);
        assertThat(tombstones.covers("HTTP://A.test:80/./x?q=1")).isTrue();
        assertThat(tombstones.covers("http://a.test/x?q=2")).isFalse();
        assertThat(tombstones.covers("https://b.test:8443/anything")).isTrue();
        assertThat(tombstones.covers("no URL")).isFalse();
    }

    @Test
    void aFileThatCannotBeUnderstoodIsNotTakenForAnEmptyOne() throws IOException {
        AtomicFile.write(
                new RealDisk(), directory.resolve(DirectoryLayout.TOMBSTONES), "http://a.test/x\n");
        assertThatThrownBy(() -> TombstoneFile.read(directory, URLS))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has an invalid line");
    }

    private static CrawlUrl url(String text) {
        return URLS.parse(text).orElseThrow();
    }
}
