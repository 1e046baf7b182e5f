package dev.orbweaver;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Seed;
import dev.orbweaver.config.YamlFile;
import dev.orbweaver.crawl.Crawl;
import dev.orbweaver.crawl.CrawlEnd;
import dev.orbweaver.crawl.CrawlListener;
import dev.orbweaver.crawl.CrawlStatus;
import dev.orbweaver.crawl.SteadyClock;
import dev.orbweaver.disk.Disk;
import dev.orbweaver.disk.FolderLock;
import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.disk.WholeFile;
import dev.orbweaver.fetch.NettyFetcher;
import dev.orbweaver.frontier.Candidate;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.FrontierStats;
import dev.orbweaver.frontier.disk.DiskFrontier;
import dev.orbweaver.model.JobId;
import dev.orbweaver.parse.HtmlParser;
import dev.orbweaver.scope.RuleScope;
import dev.orbweaver.sink.WarcSettings;
import dev.orbweaver.sink.WarcSink;
import dev.orbweaver.url.CrawlUrls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The front door: builds every part of a crawl from its settings and opens it in a folder.
 *
 * <pre>{@code
 * try (var crawl = Orbweaver.open(CrawlConfig.of("https://example.com/"), Path.of("out"))) {
 *     var end = crawl.run();
 * }
 * }</pre>
 */
public final class Orbweaver implements AutoCloseable {

    private static final String SETTINGS_FILE = "crawl.yaml";
    private static final String FRONTIER = "frontier";
    private static final String LOCK_FILE = ".lock";

    private final Path folder;
    private final CrawlConfig config;
    private final FolderLock lock;
    private final Frontier frontier;
    private final NettyFetcher fetcher;
    private final WarcSink sink;
    private final Crawl crawl;
    private final Instant started;
    private volatile Optional<Summary> lastSummary = Optional.empty();

    private Orbweaver(Path folder, CrawlConfig config, FolderLock lock, CrawlListener listener)
            throws IOException {
        this.folder = folder;
        this.config = config;
        this.lock = lock;
        var disk = new RealDisk();
        var clock = SteadyClock.start();
        this.started = clock.instant();
        var temporary = emptyTemporaryFolder(disk, folder);
        var urls = new CrawlUrls(config.normalisation());
        this.frontier =
                DiskFrontier.open(
                        disk, folder.resolve(FRONTIER), config.politeness(), clock.instant());
        offerSeeds(clock.instant());
        this.sink = WarcSink.open(disk, folder, warcSettings(temporary), frontier.marks(), clock);
        this.fetcher =
                new NettyFetcher(
                        config.network().fetch(config.crawl().workers(), temporary), clock);
        var scope = new RuleScope(config.scope(), new HashSet<>(frontier.seeds(JobId.ONLY)));
        this.crawl =
                new Crawl(
                        config.crawl(),
                        urls,
                        scope,
                        frontier,
                        fetcher,
                        List.of(new HtmlParser(urls)),
                        sink,
                        clock,
                        listener);
    }

    /** Opens a crawl in a folder: a new one, or the one that is there, under the given settings. */
    public static Orbweaver open(CrawlConfig config, Path folder) throws IOException {
        return open(config, folder, CrawlListener.NONE);
    }

    /** The same, with somebody to tell of every capture. */
    public static Orbweaver open(CrawlConfig config, Path folder, CrawlListener listener)
            throws IOException {
        Files.createDirectories(folder);
        var lock =
                FolderLock.tryLock(folder.resolve(LOCK_FILE))
                        .orElseThrow(
                                () ->
                                        new IOException(
                                                "another process is crawling into "
                                                        + folder
                                                        + ": wait for it or stop it"));
        try {
            var disk = new RealDisk();
            WholeFile.write(disk, folder.resolve(SETTINGS_FILE), YamlFile.write(config.values()));
            disk.delete(folder.resolve(Summary.FILE)); // It tells of an end that is no longer one.
            return new Orbweaver(folder, config, lock, listener);
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /** Whether a folder holds a crawl. */
    public static boolean isCrawl(Path folder) {
        return Files.exists(folder.resolve(SETTINGS_FILE));
    }

    /** The settings of the crawl in a folder. */
    public static CrawlConfig settingsOf(Path folder) throws ConfigException {
        return CrawlConfig.read(YamlFile.read(folder.resolve(SETTINGS_FILE)));
    }

    /** The figures of the crawl in a folder, running or not; nothing is changed. */
    public static FrontierStats peek(CrawlConfig config, Path folder) throws IOException {
        return DiskFrontier.peek(
                new RealDisk(), folder.resolve(FRONTIER), config.politeness(), Instant.now());
    }

    /** Whether a process is crawling into a folder just now. */
    public static boolean isRunning(Path folder) throws IOException {
        var lock = FolderLock.tryLock(folder.resolve(LOCK_FILE));
        if (lock.isPresent()) {
            lock.get().close();
        }
        return lock.isEmpty();
    }

    private static Path emptyTemporaryFolder(Disk disk, Path folder) throws IOException {
        var temporary = folder.resolve("tmp");
        disk.createFolder(temporary);
        for (var left : disk.list(temporary)) {
            disk.delete(left);
        }
        return temporary;
    }

    /** A crawl that goes on has its seeds already, and those that came by redirect too. */
    private void offerSeeds(Instant now) {
        if (frontier.seeds(JobId.ONLY).isEmpty()) {
            var seeds = config.seeds().stream().map(Orbweaver::candidate).toList();
            frontier.offer(JobId.ONLY, seeds, now);
        }
    }

    private static Candidate candidate(Seed seed) {
        return Candidate.seed(seed.url(), seed.schemeGuessed());
    }

    private WarcSettings warcSettings(Path temporary) {
        var info =
                Map.of(
                        "software",
                        config.network().userAgent(),
                        "format",
                        "WARC File Format 1.1",
                        "conformsTo",
                        "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
                        "operator",
                        config.network().contact(),
                        "robots",
                        config.crawl().obeyRobots() ? "obey" : "ignore",
                        "http-header-user-agent",
                        config.network().userAgent(),
                        "description",
                        "crawl of " + config.seeds().getFirst().url());
        return new WarcSettings(
                config.warc().compression(), config.warc().fileBytesMax(), info, temporary);
    }

    /** Crawls until the end, writes the summary, and says what end it was. */
    public CrawlEnd run() throws InterruptedException, IOException {
        var end = crawl.run();
        var summary = summary(end);
        lastSummary = Optional.of(summary);
        WholeFile.write(new RealDisk(), folder.resolve(Summary.FILE), summary.json());
        return end;
    }

    /** What came of it: after the end, what was written then. */
    public Summary summary(CrawlEnd end) {
        return lastSummary.orElseGet(
                () -> Summary.of(crawl.status(), fetcher.stats(), end, started));
    }

    /** How it stands. */
    public CrawlStatus status() {
        return crawl.status();
    }

    /** Asks the crawl to end within the grace period. */
    public void stop(Duration grace) {
        crawl.stop(grace);
    }

    /** Takes no new URLs until {@link #resume}. */
    public void pause() {
        crawl.pause();
    }

    /** Goes on after {@link #pause}. */
    public void resume() {
        crawl.resume();
    }

    /** Where its files are. */
    public Path folder() {
        return folder;
    }

    @Override
    public void close() throws IOException {
        try (lock) {
            fetcher.close();
            sink.close();
            frontier.close();
        }
    }
}
