package dev.orbweaver;

import dev.orbweaver.archive.CommittedCrawl;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Seed;
import dev.orbweaver.crawl.AnswerCounts;
import dev.orbweaver.crawl.Crawl;
import dev.orbweaver.crawl.CrawlEnd;
import dev.orbweaver.crawl.CrawlListener;
import dev.orbweaver.crawl.CrawlStatus;
import dev.orbweaver.crawl.LocalStorage;
import dev.orbweaver.crawl.RobotsLog;
import dev.orbweaver.crawl.Room;
import dev.orbweaver.disk.CountedDisk;
import dev.orbweaver.disk.Disk;
import dev.orbweaver.disk.FolderLock;
import dev.orbweaver.disk.WholeFile;
import dev.orbweaver.fetch.NettyFetcher;
import dev.orbweaver.frontier.Candidate;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.FrontierFailedException;
import dev.orbweaver.frontier.JobHosts;
import dev.orbweaver.frontier.disk.DiskSettings.Durability;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Usage;
import dev.orbweaver.parse.ParsePool;
import dev.orbweaver.scope.RuleScope;
import dev.orbweaver.scope.SharedScope;
import dev.orbweaver.scope.WatchedScope;
import dev.orbweaver.sink.CaptureReader;
import dev.orbweaver.sink.SinkFollowers;
import dev.orbweaver.sink.StoreStatus;
import dev.orbweaver.sink.TombstoneWatch;
import dev.orbweaver.sink.WarcSettings;
import dev.orbweaver.sink.WarcSink;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A crawl that is open in a directory: runs it, and steers it while it runs.
 *
 * <p>Methods other than {@link #run} and {@link #close} may be called from any thread.
 */
public final class RunningCrawl implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RunningCrawl.class);

    static final String TRAPS_FILE = "traps.tsv";

    private static final String WARC_STANDARD =
            "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";

    private final Path folder;
    private final CrawlConfig config;
    private final Disk disk;
    private final FolderLock lock;
    private final Frontier frontier;
    private final NettyFetcher fetcher;
    private final WarcSink sink;
    private final RobotsLog robots;
    private final AnswerCounts answers;
    private final Crawl crawl;
    private final Exclusions exclusions;
    private final LiveFigures figures;
    private final Instant started;
    private final long pagesBefore;
    private final SinkFollowers stores;
    private final CountedDisk frontierDisk;
    private volatile List<StoreStatus> storesAtTheEnd = List.of();
    private volatile Optional<Summary> lastSummary = Optional.empty();

    RunningCrawl(
            Path folder,
            CrawlConfig given,
            Disk disk,
            InstantSource clock,
            FolderLock lock,
            Frontier frontier,
            CountedDisk frontierDisk,
            Commons commons,
            CrawlListener listener,
            Opened opened)
            throws IOException {
        this.folder = folder;
        this.config = given.keyed(frontier.fingerprintKey());
        this.disk = disk;
        this.lock = lock;
        this.frontier = frontier;
        this.frontierDisk = frontierDisk;
        this.started = clock.instant();
        this.pagesBefore = frontier.stats().ledger().pages();
        var temporary = CrawlDirectory.emptyTemporaryFolder(disk, folder);
        var urls = config.urls();
        frontier.limit(JobId.ONLY, config.intake());
        offerSeeds(commons, clock.instant());
        this.sink =
                opened.keep(
                        WarcSink.open(
                                disk, folder, warcSettings(temporary), frontier.marks(), clock));
        this.fetcher =
                opened.keep(
                        new NettyFetcher(
                                config.network().fetch(temporary), clock, commons.addresses()));
        this.robots = opened.keep(RobotsLog.open(disk, folder, sink::committedCaptures));
        this.answers = AnswerCounts.of(disk, folder, frontier.marks());
        var tombstones = new TombstoneWatch(folder, urls, clock);
        var seeds = frontier.seeds(JobId.ONLY);
        var within = new HashSet<>(seeds);
        if (commons.othersMayWork()) {
            // Whoever began with the job may not have noted them all yet.
            config.seeds().forEach(seed -> within.add(seed.url()));
        }
        var scope =
                new WatchedScope(
                        new SharedScope(
                                new RuleScope(config.scope(), within),
                                seeds.size(),
                                () -> frontier.seeds(JobId.ONLY)),
                        tombstones::cover);
        this.crawl =
                new Crawl(
                        config.crawl(),
                        urls,
                        scope,
                        frontier,
                        fetcher,
                        CrawlDirectory.parsers(config, urls),
                        sink,
                        room(commons, CrawlStorage.of(folder, temporary)),
                        commons.robots(robots, clock),
                        ParsePool.shared(),
                        clock,
                        counting(listener));
        crawl.share(commons.traps());
        if (disk.exists(folder.resolve(TRAPS_FILE))) {
            recallTraps();
        }
        this.exclusions =
                opened.keep(new Exclusions(CrawlDirectory.exclusionLists(config, folder), crawl));
        SettingsFiles.write(disk, folder, config.values());
        disk.delete(folder.resolve(Summary.FILE)); // It tells of an end that is no longer one.
        this.stores =
                CrawlDirectory.startSinks(
                        config,
                        new CommittedCrawl(
                                folder,
                                frontier::marks,
                                urls,
                                new CrawlDirectory.WatchedTombstones(tombstones, urls)));
        // These have threads that write and read in the folder, so nothing may fail behind them.
        this.figures = new LiveFigures(folder, crawl);
    }

    /** What was learned of traps; a damaged file costs learning it again. */
    private void recallTraps() throws IOException {
        try {
            crawl.recall(WholeFile.read(disk, folder.resolve(TRAPS_FILE)));
        } catch (WholeFile.DamagedException e) {
            LOG.warn("traps are learned again: {}", e.getMessage());
        }
    }

    /** A sentence for each piece of output that opening moved aside, because no commit names it. */
    public List<String> recovered() {
        return sink.recovered();
    }

    /** Counts every capture; tries that are made again are nobody else's business. */
    private CrawlListener counting(CrawlListener listener) {
        return new CrawlListener() {
            @Override
            public void captured(Capture capture) {
                answers.add(capture);
                if (capture.kind() != Kind.RETRIED) {
                    listener.captured(capture);
                }
            }

            @Override
            public void committed() {
                answers.keep(disk, folder, frontier::marks, false);
                listener.committed();
            }
        };
    }

    /**
     * A crawl that goes on has its seeds already, and those that came by redirect too. Where others
     * work on it, the one who began with it may have died before it had offered them all.
     */
    private void offerSeeds(Commons commons, Instant now) {
        var known = new HashSet<>(frontier.seeds(JobId.ONLY));
        if (known.isEmpty() || commons.othersMayWork()) {
            var seeds =
                    config.seeds().stream()
                            .filter(seed -> !known.contains(seed.url()))
                            .map(RunningCrawl::candidate)
                            .toList();
            if (!seeds.isEmpty()) {
                frontier.offer(JobId.ONLY, seeds, now);
            }
        }
    }

    private static Candidate candidate(Seed seed) {
        return Candidate.seed(seed.url(), seed.schemeGuessed());
    }

    /**
     * Links that wait in stored pages wait for whoever stored them. In a fleet that one may never
     * come back, and links take no room on its disk.
     */
    private Room room(Commons commons, LocalStorage storage) {
        var space = config.space();
        return new Room(
                space.queuedUrlsMax(),
                space.queuedBytesMax(),
                space.freeBytesMin(),
                folder.toFile()::getUsableSpace,
                commons.othersMayWork() ? Optional.empty() : Optional.of(new CaptureReader(folder)),
                storage);
    }

    private WarcSettings warcSettings(Path temporary) {
        var network = config.network();
        var info = new HashMap<String, String>();
        info.put("software", network.userAgent().replaceFirst("[\\s(].*", ""));
        info.put("format", "WARC File Format 1.1");
        info.put("conformsTo", WARC_STANDARD);
        info.put("robots", config.crawl().robots().described());
        info.put("http-header-user-agent", network.userAgent());
        var seeds = config.seeds();
        info.put(
                "description",
                "crawl of "
                        + seeds.getFirst().url()
                        + (seeds.size() > 1 ? " and " + (seeds.size() - 1) + " more" : ""));
        if (!network.contact().isEmpty()) {
            info.put("operator", network.contact());
        }
        config.told().forEach((key, value) -> info.put("setting-" + key, value));
        return new WarcSettings(
                config.warc().compression(),
                config.warc().fileBytesMax(),
                info,
                temporary,
                config.durability() == Durability.POWER,
                config.warc().records());
    }

    private void keepAnswers() throws IOException {
        try {
            answers.keep(disk, folder, frontier::marks, true);
        } catch (FrontierFailedException e) {
            LOG.debug("the answers are counted again from the page log", e);
        }
    }

    /** Crawls until the end, writes the summary, and says what end it was. */
    public CrawlEnd run() throws InterruptedException, IOException {
        var end = crawl.run();
        var summary = summary(end);
        lastSummary = Optional.of(summary);
        try {
            keepAnswers();
            WholeFile.write(disk, folder.resolve(Summary.FILE), summary.json());
            if (config.crawl().traps().on()) {
                WholeFile.write(disk, folder.resolve(TRAPS_FILE), crawl.learned());
            }
        } catch (IOException e) {
            if (end.reason() != CrawlEnd.Reason.BROKEN) {
                throw e;
            }
            // The end names the cause already; this is what follows from it.
            LOG.warn("the summary cannot be written: {}", e.getMessage());
        }
        return end;
    }

    /** What came of it: after the end, what was written then. */
    public Summary summary(CrawlEnd end) {
        return lastSummary.orElseGet(
                () ->
                        Summary.of(
                                crawl.status(),
                                fetcher.stats(),
                                answers,
                                end,
                                started,
                                pagesBefore));
    }

    /** How it stands. */
    public CrawlStatus status() {
        return crawl.status();
    }

    /** The hosts with work, those being asked first. */
    public JobHosts hosts(int max) {
        try {
            return frontier.hosts(JobId.ONLY, max, Instant.now());
        } catch (FrontierFailedException e) {
            return JobHosts.NONE; // The crawl is about to end and says why.
        }
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

    /** How the stores that follow it stand; after the end, how far they came. */
    public List<StoreStatus> stores() {
        var ended = storesAtTheEnd;
        return ended.isEmpty() ? stores.status() : ended;
    }

    /** What it has moved since it was opened; also when it is closed. */
    public Usage usage() {
        var network = fetcher.stats();
        var sinks = new HashMap<>(stores.counts());
        sinks.put(WarcSink.FOLDER, sink.counts());
        return new Usage(
                        network.sentBytes(),
                        network.receivedBytes(),
                        Map.of(
                                WarcSink.FOLDER,
                                sink.counts().storedBytes(),
                                "page-log",
                                sink.logBytes()),
                        sinks)
                .plus(usage(frontierDisk));
    }

    /** What was written for a frontier. */
    static Usage usage(CountedDisk frontier) {
        return new Usage(0, 0, Map.of(FrontierPlace.FRONTIER, frontier.written()), Map.of());
    }

    @Override
    public void close() throws IOException {
        try (lock) {
            try (frontier;
                    sink;
                    exclusions;
                    figures;
                    robots) {
                fetcher.close();
            } finally {
                finishStores(); // They take over what closing has written too.
            }
        }
    }

    private void finishStores() {
        try {
            storesAtTheEnd = stores.finish();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            storesAtTheEnd = stores.status();
        }
    }
}
