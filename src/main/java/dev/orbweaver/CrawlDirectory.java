package dev.orbweaver;

import dev.orbweaver.archive.CommittedCrawl;
import dev.orbweaver.archive.CrawlFolder;
import dev.orbweaver.archive.CrawlPages;
import dev.orbweaver.archive.Tombstones;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.ExclusionList;
import dev.orbweaver.config.Seed;
import dev.orbweaver.config.Settings;
import dev.orbweaver.crawl.Account;
import dev.orbweaver.crawl.AnswerCounts;
import dev.orbweaver.crawl.Inquiry;
import dev.orbweaver.disk.Disk;
import dev.orbweaver.disk.FolderLock;
import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.disk.SpillBuffer;
import dev.orbweaver.frontier.Batch;
import dev.orbweaver.frontier.DeadLetter;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.FrontierStats;
import dev.orbweaver.frontier.Whereabouts;
import dev.orbweaver.frontier.disk.DiskFrontier;
import dev.orbweaver.frontier.disk.DiskSettings;
import dev.orbweaver.frontier.disk.Inspection;
import dev.orbweaver.frontier.disk.KeyFile;
import dev.orbweaver.frontier.disk.MarksFile;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.HostPattern;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.parse.CssParser;
import dev.orbweaver.parse.FeedParser;
import dev.orbweaver.parse.HtmlParser;
import dev.orbweaver.parse.Parser;
import dev.orbweaver.scope.RuleScope;
import dev.orbweaver.sink.Compaction;
import dev.orbweaver.sink.PageLog;
import dev.orbweaver.sink.RecordOptions;
import dev.orbweaver.sink.SinkFollowers;
import dev.orbweaver.sink.StoreStatus;
import dev.orbweaver.sink.TombstoneFile;
import dev.orbweaver.sink.TombstoneWatch;
import dev.orbweaver.sink.WarcSettings;
import dev.orbweaver.sink.WarcSink;
import dev.orbweaver.url.CrawlUrls;
import dev.orbweaver.url.FingerprintKey;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A crawl's directory: the owner of its file names, and everything that can be asked of a crawl or
 * done to it, running or not. Methods that change something need the crawl not to be running, and
 * say so.
 */
public final class CrawlDirectory {

    /** The file in which the settings of a crawl are stored. */
    public static final String SETTINGS_FILE = SettingsFiles.FILE;

    private static final String LOCK_FILE = ".lock";

    private static final String TEMPORARY = "tmp";

    private final Path folder;
    private final CrawlConfig config;

    /** The crawl in a directory, under the given settings. */
    public CrawlDirectory(Path folder, CrawlConfig config) {
        this.folder = folder;
        this.config = config;
    }

    /**
     * The crawl in a directory, under the settings that are stored with it.
     *
     * @param table the settings that this program knows
     */
    public static CrawlDirectory open(Path folder, Settings table) throws ConfigException {
        return new CrawlDirectory(folder, CrawlConfig.read(SettingsFiles.read(folder, table)));
    }

    /** The crawl's settings. */
    public CrawlConfig config() {
        return config;
    }

    /** Starts the sinks of every extension that the settings know. */
    static SinkFollowers startSinks(CrawlConfig config, CommittedCrawl crawl) throws IOException {
        var followers = new ArrayList<SinkFollowers>();
        for (var extension : config.values().table().extensions()) {
            followers.add(extension.start(config.values(), crawl));
        }
        return SinkFollowers.all(followers);
    }

    /** Whether a folder holds a crawl. */
    public static boolean isCrawl(Path folder) {
        return Files.exists(folder.resolve(SettingsFiles.FILE));
    }

    /** Whether a directory is that of a service, whose jobs share a frontier. */
    public static boolean isService(Path folder) {
        return !isCrawl(folder)
                && Files.isDirectory(folder.resolve(FrontierPlace.JOBS))
                && Files.isDirectory(folder.resolve(FrontierPlace.FRONTIER));
    }

    /** Whether a process is crawling into a folder just now. */
    public static boolean isRunning(Path folder) throws IOException {
        return FolderLock.isHeld(folder.resolve(LOCK_FILE));
    }

    /** Settings that hold a secret and were given to the crawl in a folder, but are not there. */
    public static List<String> missingSecrets(Path folder) throws ConfigException, IOException {
        return SettingsFiles.missingSecrets(folder);
    }

    /**
     * The pages of the crawls in these folders, running or not, for exports and queries; nothing is
     * changed. Of several crawls the first that has a URL wins.
     */
    public static CrawlPages pages(List<Path> folders, Settings table)
            throws ConfigException, IOException {
        var crawls = new ArrayList<CrawlFolder>();
        var tombstones = new ArrayList<TombstoneFile>();
        for (var folder : folders) {
            var directory = open(folder, table);
            var config = directory.config;
            var urls = config.urls();
            var log = CrawlFolder.logIdentity(folder);
            crawls.add(new CrawlFolder(folder, ofFleet(folder), log, directory.marks(), urls));
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

    /** The figures of the crawl in a folder, running or not; nothing is changed. */
    public FrontierStats peek() throws IOException {
        var place = FrontierPlace.of(folder);
        return DiskFrontier.peek(
                new RealDisk(),
                place.frontier(),
                config.politeness(),
                diskSettings(),
                place.job(),
                Instant.now());
    }

    /** How often the crawl in a folder, running or not, got which answer; nothing is changed. */
    public AnswerCounts answers() throws IOException {
        return AnswerCounts.of(new RealDisk(), folder, marks().orElseGet(List::of));
    }

    /**
     * All there is to tell of the frontier of the crawl in a folder, running or not; nothing is
     * changed.
     *
     * @param hosts how many hosts are named
     * @param letters how many dead letters are named of each cause
     */
    public Inspection inspect(int hosts, int letters) throws IOException {
        return DiskFrontier.inspect(
                new RealDisk(),
                FrontierPlace.of(folder).frontier(),
                config.politeness(),
                diskSettings(),
                new Inspection.Wish(hosts, letters, isRunning(folder)),
                Instant.now());
    }

    /**
     * Hands on every dead letter of the crawl in a folder, running or not; nothing is changed.
     *
     * @return how many were left out, because there are too many since the last snapshot
     */
    public long deadLetters(Consumer<DeadLetter> out) throws IOException {
        var tombstones = TombstoneFile.read(folder, urls());
        var place = FrontierPlace.of(folder);
        return DiskFrontier.dead(
                new RealDisk(),
                place.frontier(),
                config.politeness(),
                diskSettings(),
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
    public Optional<Account> why(String asked) throws IOException {
        var disk = new RealDisk();
        var now = Instant.now();
        var urls = urls();
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
                        diskSettings(),
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
    public long retryDead(Predicate<DeadLetter> which) throws IOException {
        var disk = new RealDisk();
        try (var _ = lock(folder)) {
            long revived;
            try (var frontier = openFrontier(disk, Instant.now())) {
                revived = frontier.revive(JobId.ONLY, which, Instant.now());
            }
            if (revived > 0) {
                disk.delete(folder.resolve(Summary.FILE)); // It tells of an end that is none now.
            }
            return revived;
        }
    }

    /** What was answered to single requests of the crawl in a folder, running or not. */
    public CrawlFolder contents() throws IOException {
        var urls = config.urls();
        return new CrawlFolder(folder, Optional.empty(), urls);
    }

    /** What was taken down of the crawl in a folder, as it stands when somebody asks. */
    public Tombstones tombstones() throws IOException {
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
    public long forget(CrawlUrl url) throws IOException {
        TombstoneFile.addUrl(new RealDisk(), folder, url, Instant.now());
        var key = config.urls().rekeyed(url).key();
        return covered(line -> line.key().equals(key));
    }

    /** Whether a URL, as somebody wrote it, was taken down. */
    public boolean isForgotten(String asked) throws IOException {
        var urls = config.urls();
        var url = Seed.read(asked, urls).map(Seed::url);
        return url.isPresent() && TombstoneFile.read(folder, urls).cover(url.get());
    }

    /** Takes all URLs of a host down, as {@link #forget} does one. */
    public long forgetHost(String host) throws IOException {
        TombstoneFile.addHost(new RealDisk(), folder, host, Instant.now());
        return covered(line -> line.host().equals(host));
    }

    private long covered(Predicate<CrawlUrl> which) throws IOException {
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
    public Compaction.Outcome compact() throws IOException {
        return compact(new RealDisk());
    }

    /** The same on another disk, for tests that break it. */
    Compaction.Outcome compact(Disk disk) throws IOException {
        var now = Instant.now();
        try (var _ = lock(folder);
                var frontier = openFrontier(disk, now)) {
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

    /** Brings the stores of a crawl that is not running up to date, and says how far they came. */
    public List<StoreStatus> catchUp() throws IOException, InterruptedException {
        try (var _ = lock(folder)) {
            var marks = marks().orElse(List.of());
            var urls = config.urls();
            var tombstones = TombstoneFile.read(folder, urls);
            return startSinks(
                            config,
                            new CommittedCrawl(
                                    folder,
                                    () -> marks,
                                    urls,
                                    tombstones.isEmpty() ? Tombstones.NONE : tombstones::cover))
                    .finish();
        }
    }

    Optional<List<FileMark>> marks() throws IOException {
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
                                        diskSettings())));
        marks.addAll(planned);
        return Optional.of(marks);
    }

    /**
     * What makes the URLs of the crawl in a folder, with the fingerprints that its frontier knows
     * them by.
     */
    public CrawlUrls urls() throws IOException {
        var frontier = FrontierPlace.of(folder).frontier();
        return Files.isDirectory(frontier)
                ? KeyFile.read(new RealDisk(), frontier)
                        .map(key -> new CrawlUrls(config.normalisation(), key))
                        .orElseGet(config::urls)
                : config.urls();
    }

    static FolderLock lock(Path folder) throws IOException {
        return FolderLock.tryLock(folder.resolve(LOCK_FILE))
                .orElseThrow(
                        () ->
                                new IOException(
                                        "another process is crawling into "
                                                + folder
                                                + ": wait for it or stop it"));
    }

    Frontier openFrontier(Disk disk, Instant now) throws IOException {
        var place = folder.resolve(FrontierPlace.FRONTIER);
        disk.createFolder(place);
        if (KeyFile.isUnused(disk, place)) {
            refuseForeignFiles(disk, folder);
        }
        var keyed = config.keyed(KeyFile.read(disk, place).orElseGet(FingerprintKey::random));
        var frontier = DiskFrontier.open(disk, place, keyed.politeness(), diskSettings(keyed), now);
        try {
            // A compaction that died with its plan written is carried out before anything else.
            var _ = Compaction.carryOut(disk, folder, marks -> settle(frontier, marks, now));
        } catch (IOException | RuntimeException e) {
            frontier.close();
            throw e;
        }
        var seeds = frontier.seeds(JobId.ONLY);
        if (!seeds.isEmpty()
                && !seeds.containsAll(keyed.seeds().stream().map(Seed::url).toList())) {
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

    private static void settle(Frontier frontier, List<FileMark> marks, Instant now) {
        var _ = frontier.settle(new Batch(List.of(), marks), now);
    }

    /** Whether a folder is a worker's part of a fleet's job: its frontier lies elsewhere. */
    static boolean ofFleet(Path folder) {
        return Files.exists(folder.resolve(MarksFile.FILE));
    }

    static DiskSettings diskSettings(CrawlConfig config) {
        return DiskSettings.of(config.urls()).with(config.durability());
    }

    private DiskSettings diskSettings() throws IOException {
        return DiskSettings.of(urls()).with(config.durability());
    }

    static Path emptyTemporaryFolder(Disk disk, Path folder) throws IOException {
        var temporary = folder.resolve(TEMPORARY);
        disk.createFolder(temporary);
        for (var left : disk.list(temporary)) {
            if (SpillBuffer.isSpill(left)) {
                disk.delete(left);
            }
        }
        return temporary;
    }

    static List<Parser> parsers(CrawlConfig config, CrawlUrls urls) {
        return config.scope().requisites()
                ? List.of(
                        new HtmlParser(urls, true, true, config.crawl().productToken()),
                        new FeedParser(urls),
                        new CssParser(urls))
                : List.of(
                        new HtmlParser(urls, true, false, config.crawl().productToken()),
                        new FeedParser(urls));
    }

    static List<Path> exclusionLists(CrawlConfig config, Path folder) throws IOException {
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

    /** What was taken down, as it stands when somebody asks. */
    record WatchedTombstones(TombstoneWatch watch, CrawlUrls urls) implements Tombstones {
        @Override
        public boolean cover(String url) {
            return urls.parse(url).filter(watch::cover).isPresent();
        }

        @Override
        public boolean isEmpty() {
            return watch.isEmpty();
        }
    }
}
