package dev.orbweaver.sink;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.url.CrawlUrls;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * What was taken down, for a crawl that runs: somebody may take more down at any time, and is heard
 * within {@link #LOOK_EVERY}.
 */
public final class TombstoneWatch {

    private static final Logger LOG = LoggerFactory.getLogger(TombstoneWatch.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    private final Path folder;
    private final CrawlUrls urls;
    private final InstantSource clock;
    private volatile Instant lookedAt;
    private long lengthSeen;
    private volatile TombstoneFile tombstones;

    /** Watches a crawl's folder. */
    public TombstoneWatch(Path folder, CrawlUrls urls, InstantSource clock) throws IOException {
        this.folder = folder;
        this.urls = urls;
        this.clock = clock;
        this.lookedAt = clock.instant();
        this.lengthSeen = length();
        this.tombstones = TombstoneFile.read(folder, urls);
    }

    /** Whether nothing was taken down so far. */
    public boolean isEmpty() {
        look();
        return tombstones.isEmpty();
    }

    /** Whether this URL must not be asked for. */
    public boolean cover(CrawlUrl url) {
        look();
        return tombstones.cover(url);
    }

    /** Asked for every link that is found, so it takes the lock once a second only. */
    private void look() {
        var now = clock.instant();
        if (now.isAfter(lookedAt.plus(LOOK_EVERY).minusNanos(1))) {
            lookAgain(now);
        }
    }

    private synchronized void lookAgain(Instant now) {
        lookedAt = now;
        try {
            // The file only grows, so its length says whether there is more.
            var length = length();
            if (length != lengthSeen) {
                tombstones = TombstoneFile.read(folder, urls);
                lengthSeen = length;
            }
        } catch (IOException e) {
            LOG.warn("what was taken down cannot be read again: {}", e.getMessage());
        }
    }

    private long length() throws IOException {
        var file = folder.resolve(TombstoneFile.FILE);
        return Files.exists(file) ? Files.size(file) : 0;
    }
}
