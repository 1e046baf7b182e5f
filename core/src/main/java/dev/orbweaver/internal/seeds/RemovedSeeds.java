package dev.orbweaver.internal.seeds;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.config.InvalidArgumentException;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.HashFilter;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The URLs that a user has removed from a crawl before they were fetched, in a file of its
 * directory. A running crawl sees a change within {@link #POLL_INTERVAL_MILLIS}. The URLs stay
 * queued, and are withdrawn when it is their turn.
 */
public final class RemovedSeeds {

    /** The URLs that can be removed from one crawl; they are kept in memory. */
    static final int URLS_MAX = 1_000_000;

    private static final Logger LOG = LoggerFactory.getLogger(RemovedSeeds.class);
    private static final String FILE = "removed.txt";
    private static final long POLL_INTERVAL_MILLIS = 1_000;

    private final Path file;
    private final CrawlUrls urls;
    private final InstantSource clock;
    private volatile long nextCheckMillis = Long.MIN_VALUE;
    private volatile Removed removed = Removed.of(Set.of());
    private long lastLength;

    public RemovedSeeds(Path crawl, CrawlUrls urls, InstantSource clock) {
        this.file = file(crawl);
        this.urls = urls;
        this.clock = clock;
    }

    private static Path file(Path crawl) {
        return crawl.resolve(DirectoryLayout.SEEDS).resolve(FILE);
    }

    /**
     * Removes URLs from a crawl.
     *
     * @throws InvalidArgumentException if they are too many with those before; then none is removed
     */
    public static synchronized void add(Path crawl, List<CrawlUrl> urls) throws IOException {
        var file = file(crawl);
        Files.createDirectories(file.getParent());
        requireRoom(count(file), urls.size());
        Files.write(
                file,
                urls.stream().map(CrawlUrl::text).toList(),
                UTF_8,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    /**
     * Checks the number of URLs that are removed from a crawl.
     *
     * @param before how many were removed before
     * @throws InvalidArgumentException if they are too many
     */
    public static void requireRoom(long before, int added) throws InvalidArgumentException {
        if (before + added > URLS_MAX) {
            throw new InvalidArgumentException(
                    "%,d URLs were removed from this crawl before; with %,d more they exceed %,d, so no URL was removed: exclude hosts instead"
                            .formatted(before, added, URLS_MAX));
        }
    }

    /** Replaces the URLs that are removed from a crawl. */
    public static void replace(Path crawl, List<String> urls) throws IOException {
        var file = file(crawl);
        Files.createDirectories(file.getParent());
        var part = file.resolveSibling(FILE + ".part");
        Files.write(part, urls, UTF_8);
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static long count(Path file) throws IOException {
        if (!Files.exists(file)) {
            return 0;
        }
        try (var lines = Files.lines(file)) {
            return lines.count();
        }
    }

    public boolean contains(CrawlUrl url) {
        var now = clock.millis();
        if (now >= nextCheckMillis) {
            refresh(now);
        }
        return removed.contains(url.key());
    }

    private record Removed(Set<Fingerprint> keys, HashFilter filter) {

        private static Removed of(Set<Fingerprint> keys) {
            return new Removed(keys, HashFilter.ofFingerprints(keys));
        }

        private boolean contains(Fingerprint key) {
            return filter.mayContain(key) && keys.contains(key);
        }
    }

    private synchronized void refresh(long now) {
        nextCheckMillis = now + POLL_INTERVAL_MILLIS;
        try {
            var length = Files.exists(file) ? Files.size(file) : 0;
            if (length != lastLength) {
                removed = Removed.of(read());
                lastLength = length;
            }
        } catch (IOException e) {
            LOG.warn("could not read the removed URLs: {}", e.getMessage());
        }
    }

    private Set<Fingerprint> read() throws IOException {
        var keys = new HashSet<Fingerprint>();
        try (var lines = Files.lines(file)) {
            lines.forEach(line -> urls.parse(line).ifPresent(url -> keys.add(url.key())));
        }
        return keys;
    }
}
