package dev.orbweaver;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.ExclusionList;
import dev.orbweaver.config.Seed;
import dev.orbweaver.crawl.Account;
import dev.orbweaver.crawl.AnswerCounts;
import dev.orbweaver.crawl.Crawl;
import dev.orbweaver.crawl.CrawlEnd;
import dev.orbweaver.crawl.CrawlListener;
import dev.orbweaver.crawl.CrawlStatus;
import dev.orbweaver.crawl.Inquiry;
import dev.orbweaver.crawl.LocalStorage;
import dev.orbweaver.crawl.RobotsLog;
import dev.orbweaver.crawl.Room;
import dev.orbweaver.crawl.SteadyClock;
import dev.orbweaver.disk.CountedDisk;
import dev.orbweaver.disk.Disk;
import dev.orbweaver.disk.FolderLock;
import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.disk.SpillBuffer;
import dev.orbweaver.disk.WholeFile;
import dev.orbweaver.export.CrawlFolder;
import dev.orbweaver.export.CrawlPages;
import dev.orbweaver.export.PageContents;
import dev.orbweaver.export.Tombstones;
import dev.orbweaver.fetch.ContentReader;
import dev.orbweaver.fetch.NettyFetcher;
import dev.orbweaver.frontier.Batch;
import dev.orbweaver.frontier.Candidate;
import dev.orbweaver.frontier.DeadLetter;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.FrontierFailedException;
import dev.orbweaver.frontier.FrontierStats;
import dev.orbweaver.frontier.JobHosts;
import dev.orbweaver.frontier.Whereabouts;
import dev.orbweaver.frontier.disk.DiskFrontier;
import dev.orbweaver.frontier.disk.DiskSettings;
import dev.orbweaver.frontier.disk.DiskSettings.Durability;
import dev.orbweaver.frontier.disk.Inspection;
import dev.orbweaver.frontier.disk.KeyFile;
import dev.orbweaver.frontier.disk.MarksFile;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.HostPattern;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Usage;
import dev.orbweaver.parse.CssParser;
import dev.orbweaver.parse.Document;
import dev.orbweaver.parse.FeedParser;
import dev.orbweaver.parse.HtmlParser;
import dev.orbweaver.parse.ParsePool;
import dev.orbweaver.parse.Parser;
import dev.orbweaver.scope.RuleScope;
import dev.orbweaver.scope.SharedScope;
import dev.orbweaver.scope.WatchedScope;
import dev.orbweaver.sink.CaptureReader;
import dev.orbweaver.sink.Compaction;
import dev.orbweaver.sink.PageLog;
import dev.orbweaver.sink.RecordOptions;
import dev.orbweaver.sink.TombstoneFile;
import dev.orbweaver.sink.TombstoneWatch;
import dev.orbweaver.sink.WarcSettings;
import dev.orbweaver.sink.WarcSink;
import dev.orbweaver.store.StoreStatus;
import dev.orbweaver.store.Stores;
import dev.orbweaver.store.s3.Restore;
import dev.orbweaver.store.s3.S3Place;
import dev.orbweaver.url.CrawlUrls;
import dev.orbweaver.url.FingerprintKey;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

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

    private static final Logger LOG = LoggerFactory.getLogger(Orbweaver.class);

    private static final String LOCK_FILE = ".lock";
    private static final String TEMPORARY = "tmp";
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
    private final Stores stores;
    private final CountedDisk frontierDisk;
    private volatile List<StoreStatus> storesAtTheEnd = List.of();
    private volatile Optional<Summary> lastSummary = Optional.empty();

    private Orbweaver(
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
        var temporary = emptyTemporaryFolder(disk, folder);
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
                        parsers(config, urls),
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
        this.exclusions = opened.keep(new Exclusions(exclusionLists(config, folder), crawl));
        SettingsFiles.write(disk, folder, config.values());
        disk.delete(folder.resolve(Summary.FILE)); // It tells of an end that is no longer one.
        this.stores =
                Stores.start(
                        config.stores(),
                        folder,
                        frontier::marks,
                        urls,
                        Orbweaver::document,
                        new WatchedTombstones(tombstones, urls));
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

    /** What was taken down, as it stands when somebody asks. */
    private record WatchedTombstones(TombstoneWatch watch, CrawlUrls urls) implements Tombstones {
        @Override
        public boolean cover(String url) {
            return urls.parse(url).filter(watch::cover).isPresent();
        }

        @Override
        public boolean isEmpty() {
            return watch.isEmpty();
        }
    }

    private static List<Path> exclusionLists(CrawlConfig config, Path folder) throws IOException {
        var lists = new ArrayList<Path>();
        lists.add(folder.resolve(ExclusionList.FILE));
        var given = config.excludeHosts();
        if (given.isPresent()) {
            if (!Files.isReadable(given.get())) {
                throw new IOException(
                        "exclude-hosts names "
                                + given.get()
                                + ", which cannot be read: name a file of hosts, one a line");
            }
            lists.add(given.get());
        }
        return lists;
    }

    private static HostSet excluded(CrawlConfig config, Path folder) throws IOException {
        var patterns = new ArrayList<HostPattern>();
        for (var file : exclusionLists(config, folder)) {
            patterns.addAll(ExclusionList.read(file));
        }
        return new HostSet(patterns);
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

    /** Opens a crawl in a folder: a new one, or the one that is there, under the given settings. */
    public static Orbweaver open(CrawlConfig config, Path folder) throws IOException {
        return open(config, folder, CrawlListener.NONE);
    }

    /** The same, with somebody to tell of every capture. */
    public static Orbweaver open(CrawlConfig config, Path folder, CrawlListener listener)
            throws IOException {
        return open(config, folder, listener, new RealDisk(), InstantSource.system());
    }

    /**
     * The same on another disk and by another clock on the wall. For tests that break the one and
     * set the other; the crawl's promises are only as good as what is given here.
     */
    static Orbweaver open(
            CrawlConfig config, Path folder, CrawlListener listener, Disk disk, InstantSource wall)
            throws IOException {
        Files.createDirectories(folder);
        var opened = new Opened();
        try {
            var lock = opened.keep(lock(folder));
            // One reading of the wall for frontier and crawl: were it set back between two, all
            // that the frontier waits for would seem that much further away.
            var clock = SteadyClock.start(wall);
            var counted = new CountedDisk(disk);
            var frontier = opened.keep(openFrontier(config, folder, counted, clock.instant()));
            return new Orbweaver(
                    folder,
                    config,
                    disk,
                    clock,
                    lock,
                    frontier,
                    counted,
                    Commons.NONE,
                    listener,
                    opened);
        } catch (IOException | RuntimeException e) {
            opened.closeAfter(e);
            throw e;
        }
    }

    /** Opens a part of a frontier, once the folder of its crawl is locked. */
    interface Part {
        Frontier open() throws IOException;
    }

    /**
     * Opens a crawl in a folder over a part of a frontier that it shares with others, by the clock
     * that all of them go by.
     */
    static Orbweaver open(
            CrawlConfig config,
            Path folder,
            CrawlListener listener,
            Part part,
            Commons commons,
            InstantSource clock)
            throws IOException {
        Files.createDirectories(folder);
        var opened = new Opened();
        try {
            var lock = opened.keep(lock(folder));
            var frontier = opened.keep(part.open());
            frontier.keepTo(JobId.ONLY, config.politeness(), clock.instant());
            var disk = new RealDisk();
            // Whoever opened the frontier counts what is written for it.
            var nothing = new CountedDisk(disk);
            return new Orbweaver(
                    folder, config, disk, clock, lock, frontier, nothing, commons, listener,
                    opened);
        } catch (IOException | RuntimeException e) {
            opened.closeAfter(e);
            throw e;
        }
    }

    private static FolderLock lock(Path folder) throws IOException {
        return FolderLock.tryLock(folder.resolve(LOCK_FILE))
                .orElseThrow(
                        () ->
                                new IOException(
                                        "another process is crawling into "
                                                + folder
                                                + ": wait for it or stop it"));
    }

    private static Frontier openFrontier(CrawlConfig given, Path folder, Disk disk, Instant now)
            throws IOException {
        var place = folder.resolve(FrontierPlace.FRONTIER);
        disk.createFolder(place);
        if (KeyFile.isUnused(disk, place)) {
            refuseForeignFiles(disk, folder);
        }
        var config = given.keyed(KeyFile.read(disk, place).orElseGet(FingerprintKey::random));
        var frontier =
                DiskFrontier.open(disk, place, config.politeness(), diskSettings(config), now);
        try {
            // A compaction that died with its plan written is carried out before anything else.
            var _ = Compaction.carryOut(disk, folder, marks -> settle(frontier, marks, now));
        } catch (IOException | RuntimeException e) {
            frontier.close();
            throw e;
        }
        var seeds = frontier.seeds(JobId.ONLY);
        if (!seeds.isEmpty()
                && !seeds.containsAll(config.seeds().stream().map(Seed::url).toList())) {
            frontier.close();
            throw new IOException(folder + " holds a crawl of other seeds; choose another folder");
        }
        return frontier;
    }

    /**
     * Outputs that no frontier knows of would be taken for the rest of a crash and cut away. They
     * may be somebody's, or a crawl's whose frontier was deleted.
     */
    private static void refuseForeignFiles(Disk disk, Path folder) throws IOException {
        for (var name : List.of(WarcSink.FOLDER, TEMPORARY)) {
            if (Files.isDirectory(folder.resolve(name))
                    && !disk.list(folder.resolve(name)).isEmpty()) {
                refuse(folder, name + "/ with files in it");
            }
        }
        if (disk.exists(folder.resolve(PageLog.FILE))
                && disk.length(folder.resolve(PageLog.FILE)) > 0) {
            refuse(folder, PageLog.FILE);
        }
    }

    private static void refuse(Path folder, String what) throws IOException {
        throw new IOException(
                "%s has a %s but no frontier that knows of it; choose another folder with --out, or move it away"
                        .formatted(folder, what));
    }

    /** Whether a folder holds a crawl. */
    public static boolean isCrawl(Path folder) {
        return Files.exists(folder.resolve(SettingsFiles.FILE));
    }

    /** The settings of the crawl in a folder. */
    public static CrawlConfig settingsOf(Path folder) throws ConfigException {
        return CrawlConfig.read(SettingsFiles.read(folder));
    }

    /** Settings that hold a secret and were given to the crawl in a folder, but are not there. */
    public static List<String> missingSecrets(Path folder) throws ConfigException, IOException {
        return SettingsFiles.missingSecrets(folder);
    }

    /** The figures of the crawl in a folder, running or not; nothing is changed. */
    public static FrontierStats peek(CrawlConfig config, Path folder) throws IOException {
        var place = FrontierPlace.of(folder);
        return DiskFrontier.peek(
                new RealDisk(),
                place.frontier(),
                config.politeness(),
                diskSettings(config, folder),
                place.job(),
                Instant.now());
    }

    /** How often the crawl in a folder, running or not, got which answer; nothing is changed. */
    public static AnswerCounts answers(CrawlConfig config, Path folder) throws IOException {
        return AnswerCounts.of(new RealDisk(), folder, marks(config, folder).orElseGet(List::of));
    }

    /**
     * All there is to tell of the frontier of the crawl in a folder, running or not; nothing is
     * changed.
     *
     * @param hosts how many hosts are named
     * @param letters how many dead letters are named of each cause
     */
    public static Inspection inspect(CrawlConfig config, Path folder, int hosts, int letters)
            throws IOException {
        return DiskFrontier.inspect(
                new RealDisk(),
                FrontierPlace.of(folder).frontier(),
                config.politeness(),
                diskSettings(config, folder),
                new Inspection.Wish(hosts, letters, isRunning(folder)),
                Instant.now());
    }

    /**
     * Hands on every dead letter of the crawl in a folder, running or not; nothing is changed.
     *
     * @return how many were left out, because there are too many since the last snapshot
     */
    public static long deadLetters(CrawlConfig config, Path folder, Consumer<DeadLetter> out)
            throws IOException {
        var tombstones = TombstoneFile.read(folder, urls(config, folder));
        var place = FrontierPlace.of(folder);
        return DiskFrontier.dead(
                new RealDisk(),
                place.frontier(),
                config.politeness(),
                diskSettings(config, folder),
                letter -> {
                    if (letter.job().equals(place.job()) && !tombstones.cover(letter.url())) {
                        out.accept(letter);
                    }
                });
    }

    /**
     * Why a URL of the crawl in a folder, running or not, is where it is; nothing is changed. When
     * the crawl does not know it, all its stored pages are read.
     *
     * @param asked the URL as somebody wrote it
     * @return nothing when it is no URL that a crawl could have
     */
    public static Optional<Account> why(CrawlConfig config, Path folder, String asked)
            throws IOException {
        var disk = new RealDisk();
        var now = Instant.now();
        var urls = urls(config, folder);
        var url = Seed.read(asked, urls).map(Seed::url);
        if (url.isEmpty()) {
            return Optional.empty();
        }
        var place = FrontierPlace.of(folder);
        var whole =
                DiskFrontier.whereabouts(
                        disk,
                        place.frontier(),
                        config.politeness(),
                        diskSettings(config, folder),
                        place.job(),
                        url.get(),
                        now);
        var where =
                new Whereabouts(
                        whole.state(),
                        whole.found(),
                        whole.seeds(),
                        place.own(whole.marks()),
                        whole.refused());
        var inquiry =
                new Inquiry(
                        config.crawl(),
                        urls,
                        new RuleScope(config.scope(), new HashSet<>(where.seeds())),
                        config.politeness(),
                        where,
                        disk,
                        List.of(Inquiry.Log.of(folder, 0, where.marks())),
                        excluded(config, folder),
                        url.get());
        return Optional.of(inquiry.account(asked, now));
    }

    /**
     * Takes dead letters of a crawl that is not running back into its queues, for the next run.
     *
     * @return how many
     */
    public static long retryDead(CrawlConfig config, Path folder, Predicate<DeadLetter> which)
            throws IOException {
        var disk = new RealDisk();
        try (var _ = lock(folder)) {
            long revived;
            try (var frontier = openFrontier(config, folder, disk, Instant.now())) {
                revived = frontier.revive(JobId.ONLY, which, Instant.now());
            }
            if (revived > 0) {
                disk.delete(folder.resolve(Summary.FILE)); // It tells of an end that is none now.
            }
            return revived;
        }
    }

    /**
     * The pages of the crawls in these folders, running or not, for exports and queries; nothing is
     * changed. Of several crawls the first that has a URL wins.
     */
    public static CrawlPages pages(List<Path> folders) throws ConfigException, IOException {
        var crawls = new ArrayList<CrawlFolder>();
        var tombstones = new ArrayList<TombstoneFile>();
        for (var folder : folders) {
            var config = settingsOf(folder);
            var urls = config.urls();
            var log = CrawlFolder.logIdentity(folder);
            crawls.add(
                    new CrawlFolder(
                            folder,
                            ofFleet(folder),
                            log,
                            marks(config, folder),
                            urls,
                            Orbweaver::document));
            tombstones.add(TombstoneFile.read(folder, urls));
        }
        tombstones.removeIf(TombstoneFile::isEmpty);
        // What was taken down in one of them is shown from none.
        return new CrawlPages(
                crawls,
                tombstones.isEmpty()
                        ? Tombstones.NONE
                        : url -> tombstones.stream().anyMatch(each -> each.cover(url)));
    }

    /** What was answered to single requests of the crawl in a folder, running or not. */
    public static PageContents contents(CrawlConfig config, Path folder) throws IOException {
        var urls = config.urls();
        return new PageContents(
                new CrawlFolder(folder, Optional.empty(), urls, Orbweaver::document));
    }

    /** What was taken down of the crawl in a folder, as it stands when somebody asks. */
    public static Tombstones tombstones(CrawlConfig config, Path folder) throws IOException {
        var urls = config.urls();
        return new WatchedTombstones(
                new TombstoneWatch(folder, urls, InstantSource.system()), urls);
    }

    /**
     * Takes a URL of a crawl down, running or not: from now on no export, query or sink shows it,
     * and it is not asked for again. Its records stay until {@link #compact}.
     *
     * @return how many lines of the page log are covered by it
     */
    public static long forget(CrawlConfig config, Path folder, CrawlUrl url) throws IOException {
        TombstoneFile.addUrl(new RealDisk(), folder, url, Instant.now());
        var key = config.urls().rekeyed(url).key();
        return covered(config, folder, line -> line.key().equals(key));
    }

    /** Whether a URL, as somebody wrote it, was taken down. */
    public static boolean isForgotten(CrawlConfig config, Path folder, String asked)
            throws IOException {
        var urls = config.urls();
        var url = Seed.read(asked, urls).map(Seed::url);
        return url.isPresent() && TombstoneFile.read(folder, urls).cover(url.get());
    }

    /** Takes all URLs of a host down, as {@link #forget} does one. */
    public static long forgetHost(CrawlConfig config, Path folder, String host) throws IOException {
        TombstoneFile.addHost(new RealDisk(), folder, host, Instant.now());
        return covered(config, folder, line -> line.host().equals(host));
    }

    private static long covered(CrawlConfig config, Path folder, Predicate<CrawlUrl> which)
            throws IOException {
        var urls = config.urls();
        var log = Compaction.log(folder);
        var count = new long[1];
        if (Files.exists(log)) {
            PageLog.read(
                    log,
                    entry -> count[0] += urls.parse(entry.url()).filter(which).isPresent() ? 1 : 0);
        }
        return count[0];
    }

    /**
     * Removes what was taken down from the WARC files and the page log of a crawl that is not
     * running.
     */
    public static Compaction.Outcome compact(CrawlConfig config, Path folder) throws IOException {
        return compact(config, folder, new RealDisk());
    }

    /** The same on another disk, for tests that break it. */
    static Compaction.Outcome compact(CrawlConfig config, Path folder, Disk disk)
            throws IOException {
        var now = Instant.now();
        try (var _ = lock(folder);
                var frontier = openFrontier(config, folder, disk, now)) {
            // What a crash left is put in order first.
            var settings =
                    new WarcSettings(
                            config.warc().compression(),
                            Long.MAX_VALUE,
                            Map.of(),
                            emptyTemporaryFolder(disk, folder),
                            true,
                            new RecordOptions(true, false, false, false));
            WarcSink.open(disk, folder, settings, frontier.marks(), InstantSource.fixed(now))
                    .close();
            var urls = config.urls();
            return Compaction.run(
                    disk,
                    folder,
                    TombstoneFile.read(folder, urls),
                    frontier.marks(),
                    marks -> settle(frontier, marks, now),
                    now);
        }
    }

    /**
     * Builds the frontier of a crawl, or of all jobs of a service, again if it is damaged. Neither
     * may be running.
     *
     * @param progress is told what is being done, as a few words
     */
    public static Repair.Report repair(Path folder, Consumer<String> progress)
            throws ConfigException, IOException {
        var place = FrontierPlace.of(folder).frontier();
        if (!ofFleet(folder) && !place.equals(folder.resolve(FrontierPlace.FRONTIER))) {
            throw new IOException(
                    "%s shares its frontier with the other jobs of its service: name the service's directory, %s"
                            .formatted(folder, place.getParent()));
        }
        try (var _ = lock(folder)) {
            var disk = new RealDisk();
            if (ofFleet(folder)) {
                return Repair.marks(disk, folder);
            }
            var key = Repair.key(disk, folder);
            var parts =
                    isService(folder)
                            ? jobsOf(folder, key)
                            : List.of(repairPart(folder, folder, key));
            return Repair.run(
                    disk, folder, diskSettings(parts.getFirst().config()), parts, progress);
        }
    }

    /** Whether a directory is that of a service, whose jobs share a frontier. */
    public static boolean isService(Path folder) {
        return !isCrawl(folder)
                && Files.isDirectory(folder.resolve(FrontierPlace.JOBS))
                && Files.isDirectory(folder.resolve(FrontierPlace.FRONTIER));
    }

    /** The jobs that were begun; those that wait have nothing in the frontier yet. */
    private static List<Repair.Part> jobsOf(Path service, FingerprintKey key)
            throws ConfigException, IOException {
        var parts = new ArrayList<Repair.Part>();
        try (var jobs = Files.list(service.resolve(FrontierPlace.JOBS))) {
            for (var job : jobs.filter(Orbweaver::isCrawl).sorted().toList()) {
                parts.add(repairPart(service, job, key));
            }
        }
        if (parts.isEmpty()) {
            throw new IOException(
                    "no job of %s was begun: move its frontier directory away".formatted(service));
        }
        return parts;
    }

    private static Repair.Part repairPart(Path owner, Path folder, FingerprintKey key)
            throws ConfigException {
        var config = settingsOf(folder).keyed(key);
        var place =
                owner.equals(folder)
                        ? new FrontierPlace(folder, JobId.ONLY, "")
                        : FrontierPlace.of(
                                owner,
                                new JobId(Integer.parseInt(folder.getFileName().toString())));
        return new Repair.Part(
                place.job().number(),
                place.prefix(),
                folder,
                config,
                parsers(config, config.urls()));
    }

    private static void settle(Frontier frontier, List<FileMark> marks, Instant now) {
        var _ = frontier.settle(new Batch(List.of(), marks), now);
    }

    /** Brings the stores of a crawl that is not running up to date, and says how far they came. */
    public static List<StoreStatus> catchUp(CrawlConfig config, Path folder)
            throws IOException, InterruptedException {
        try (var _ = lock(folder)) {
            var marks = marks(config, folder).orElse(List.of());
            var urls = config.urls();
            var tombstones = TombstoneFile.read(folder, urls);
            return Stores.start(
                            config.stores(),
                            folder,
                            () -> marks,
                            urls,
                            Orbweaver::document,
                            tombstones.isEmpty() ? Tombstones.NONE : tombstones::cover)
                    .finish();
        }
    }

    /** Brings a crawl back from a bucket into a folder that is empty or not there. */
    public static Restore.Report restore(S3Place place, Path folder) throws IOException {
        return Restore.run(place, folder, SettingsFiles.FILE);
    }

    /** Whether a folder is a worker's part of a fleet's job: its frontier lies elsewhere. */
    private static boolean ofFleet(Path folder) {
        return Files.exists(folder.resolve(MarksFile.FILE));
    }

    static Optional<List<FileMark>> marks(CrawlConfig config, Path folder) throws IOException {
        var place = FrontierPlace.of(folder);
        if (ofFleet(folder)) {
            return Optional.of(MarksFile.read(new RealDisk(), folder));
        }
        if (!Files.isDirectory(place.frontier())) {
            return Optional.empty();
        }
        // The plan is read first: once it is gone, the frontier has it.
        var planned = Compaction.planned(folder);
        var marks =
                new ArrayList<>(
                        place.own(
                                DiskFrontier.marks(
                                        new RealDisk(),
                                        place.frontier(),
                                        config.politeness(),
                                        diskSettings(config, folder))));
        marks.addAll(planned);
        return Optional.of(marks);
    }

    private static Document document(Exchange exchange, int bytesMax) throws IOException {
        var content = ContentReader.read(exchange, bytesMax);
        return new Document(
                exchange.url(),
                exchange.head().field("content-type").orElse(""),
                exchange.head().fields("link"),
                content.bytes(),
                content.length());
    }

    static DiskSettings diskSettings(CrawlConfig config) {
        return DiskSettings.of(config.urls()).with(config.durability());
    }

    private static DiskSettings diskSettings(CrawlConfig config, Path folder) throws IOException {
        return DiskSettings.of(urls(config, folder)).with(config.durability());
    }

    /**
     * What makes the URLs of the crawl in a folder, with the fingerprints that its frontier knows
     * them by.
     */
    public static CrawlUrls urls(CrawlConfig config, Path folder) throws IOException {
        var frontier = FrontierPlace.of(folder).frontier();
        return Files.isDirectory(frontier)
                ? KeyFile.read(new RealDisk(), frontier)
                        .map(key -> new CrawlUrls(config.normalisation(), key))
                        .orElseGet(config::urls)
                : config.urls();
    }

    /** Whether a process is crawling into a folder just now. */
    public static boolean isRunning(Path folder) throws IOException {
        return FolderLock.isHeld(folder.resolve(LOCK_FILE));
    }

    private static Path emptyTemporaryFolder(Disk disk, Path folder) throws IOException {
        var temporary = folder.resolve(TEMPORARY);
        disk.createFolder(temporary);
        for (var left : disk.list(temporary)) {
            if (SpillBuffer.isSpill(left)) {
                disk.delete(left);
            }
        }
        return temporary;
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
                            .map(Orbweaver::candidate)
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

    private static List<Parser> parsers(CrawlConfig config, CrawlUrls urls) {
        return config.scope().requisites()
                ? List.of(
                        new HtmlParser(urls, true, true, config.crawl().productToken()),
                        new FeedParser(urls),
                        new CssParser(urls))
                : List.of(
                        new HtmlParser(urls, true, false, config.crawl().productToken()),
                        new FeedParser(urls));
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
