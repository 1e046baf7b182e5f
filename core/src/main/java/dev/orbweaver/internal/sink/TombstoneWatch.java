package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CrawlUrl;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;

/** The tombstones of a running crawl; detects changes within {@link #POLL_INTERVAL_MILLIS}. */
public final class TombstoneWatch {

    private static final Logger LOG = LoggerFactory.getLogger(TombstoneWatch.class);
    private static final long POLL_INTERVAL_MILLIS = 1_000;

    private final Path directory;
    private final CrawlUrls urls;
    private final InstantSource clock;
    private volatile long checkedAtMillis;
    private long lastLength;
    private volatile TombstoneFile tombstones;

    public TombstoneWatch(Path directory, CrawlUrls urls, InstantSource clock) throws IOException {
        this.directory = directory;
        this.urls = urls;
        this.clock = clock;
        this.checkedAtMillis = clock.millis();
        this.lastLength = length();
        this.tombstones = TombstoneFile.read(directory, urls);
    }

    public boolean isEmpty() {
        refreshIfDue();
        return tombstones.isEmpty();
    }

    public boolean covers(CrawlUrl url) {
        refreshIfDue();
        return tombstones.covers(url);
    }

    /**
     * Reloads the file if due. It is called for every link, so it takes the lock only once a
     * second.
     */
    private void refreshIfDue() {
        var now = clock.millis();
        if (now - checkedAtMillis >= POLL_INTERVAL_MILLIS) {
            refresh(now);
        }
    }

    private synchronized void refresh(long now) {
        checkedAtMillis = now;
        try {
            // The file only grows, so a new length means new entries.
            var length = length();
            if (length != lastLength) {
                tombstones = TombstoneFile.read(directory, urls);
                lastLength = length;
            }
        } catch (IOException e) {
            LOG.warn("could not reload the tombstones: {}", e.getMessage());
        }
    }

    private long length() throws IOException {
        var file = directory.resolve(DirectoryLayout.TOMBSTONES);
        return Files.exists(file) ? Files.size(file) : 0;
    }
}
