package dev.orbweaver.internal.engine;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.archive.CommittedCrawl;
import dev.orbweaver.internal.archive.CrawlArchive;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.Tombstones;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.ExclusionList;
import dev.orbweaver.internal.config.Retention;
import dev.orbweaver.internal.config.Seed;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.crawl.ResponseCounts;
import dev.orbweaver.internal.directory.DirectoryFrontier;
import dev.orbweaver.internal.directory.FrontierLocation;
import dev.orbweaver.internal.directory.SettingsFiles;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.DirectoryLock;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.disk.SpillBuffer;
import dev.orbweaver.internal.explain.PageLogIndex;
import dev.orbweaver.internal.explain.UrlExplainer;
import dev.orbweaver.internal.explain.UrlExplanation;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.HostPoliteness;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.UrlLookup;
import dev.orbweaver.internal.frontier.disk.FrontierInspection;
import dev.orbweaver.internal.parse.CssParser;
import dev.orbweaver.internal.parse.FeedParser;
import dev.orbweaver.internal.parse.HtmlParser;
import dev.orbweaver.internal.revisit.RevisitStatistics;
import dev.orbweaver.internal.scope.RuleScope;
import dev.orbweaver.internal.sink.Compaction;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.RecordOptions;
import dev.orbweaver.internal.sink.SinkFollowers;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.internal.sink.TombstoneFile;
import dev.orbweaver.internal.sink.TombstoneWatch;
import dev.orbweaver.internal.sink.WarcSettings;
import dev.orbweaver.internal.sink.WarcSink;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.HostPattern;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.spi.Parser;
import dev.orbweaver.spi.Scope;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
import java.util.function.UnaryOperator;

/**
 * A crawl's directory: its locks, and everything that can be asked of a crawl or done to it,
 * running or not. Methods that change something need the crawl not to be running, and say so.
 * {@link DirectoryLayout} has the names of the files.
 */
public final class StoredCrawl {

    private static final Logger LOG = LoggerFactory.getLogger(StoredCrawl.class);

    /** The file in which the settings of a crawl are stored. */
    public static final String SETTINGS_FILE = DirectoryLayout.SETTINGS;

    private final Path path;
    private final CrawlConfig config;
    private final DirectoryFrontier frontier;

    /** The crawl in a directory, under the given settings. */
    public StoredCrawl(Path directory, CrawlConfig config) {
        this.path = directory;
        this.config = config;
        this.frontier = new DirectoryFrontier(directory, config);
    }

    /**
     * The crawl in a directory, under the settings that are stored with it.
     *
     * @param table the settings that this program knows
     */
    public static StoredCrawl open(Path directory, Settings table) throws ConfigException {
        return new StoredCrawl(directory, CrawlConfig.read(SettingsFiles.read(directory, table)));
    }

    /** The crawl's settings. */
    public CrawlConfig config() {
        return config;
    }

    /** Starts the sinks of every extension that the settings know. */
    static SinkFollowers startSinks(CrawlConfig config, CommittedCrawl crawl) throws IOException {
        var followers = new ArrayList<SinkFollowers>();
        for (var extension : config.settingValues().table().extensions()) {
            followers.add(extension.start(config.settingValues(), crawl));
        }
        return SinkFollowers.all(followers);
    }

    /** Whether a directory holds a crawl. */
    public static boolean isCrawl(Path directory) {
        return Files.exists(directory.resolve(DirectoryLayout.SETTINGS));
    }

    /** Whether a directory is that of a service, whose jobs share a frontier. */
    public static boolean isService(Path directory) {
        return !isCrawl(directory)
                && Files.isDirectory(directory.resolve(DirectoryLayout.JOBS))
                && Files.isDirectory(directory.resolve(DirectoryLayout.FRONTIER));
    }

    /** Whether a process is crawling into a directory now. */
    public static boolean isRunning(Path directory) throws IOException {
        return DirectoryLock.isHeld(directory.resolve(DirectoryLayout.LOCK));
    }

    /**
     * Settings that hold a secret and were given to the crawl in a directory, but are not there.
     */
    public static List<String> missingSecrets(Path directory) throws ConfigException, IOException {
        return SettingsFiles.missingSecrets(directory);
    }

    /**
     * The pages of the crawls in these directories, running or not, for exports and queries;
     * nothing is changed. Of several crawls the first that has a URL wins.
     */
    public static CrawlPages pages(List<Path> directories, Settings table)
            throws ConfigException, IOException {
        var crawls = new ArrayList<CrawlArchive>();
        var tombstones = new ArrayList<TombstoneFile>();
        for (var path : directories) {
            var directory = open(path, table);
            var config = directory.config;
            var urls = config.urls();
            var log = CrawlArchive.logIdentity(path);
            crawls.add(
                    new CrawlArchive(
                            path,
                            DirectoryFrontier.isFleetPart(path),
                            log,
                            directory.frontier.committedLengths(),
                            urls));
            tombstones.add(TombstoneFile.read(path, urls));
        }
        tombstones.removeIf(TombstoneFile::isEmpty);
        // What was taken down in one of them is shown from none.
        return new CrawlPages(
                crawls,
                tombstones.isEmpty()
                        ? Tombstones.NONE
                        : url -> tombstones.stream().anyMatch(each -> each.covers(url)));
    }

    /** The committed lengths of the output files; empty if there is no frontier. */
    Optional<List<CommittedLength>> committedLengths() throws IOException {
        return frontier.committedLengths();
    }

    /** The counts of the crawl, running or not; nothing is changed. */
    public FrontierStats stats() throws IOException {
        return frontier.stats();
    }

    /**
     * Returns the figures of the visits of known pages; empty if the crawl visits none again.
     * Nothing is changed.
     */
    public Optional<RevisitStatistics> revisits() throws IOException {
        return RevisitPlans.statistics(path, config.revisit(), Instant.now());
    }

    /**
     * Returns whether the page of a line is due, by the schedule of the crawl; empty if it has
     * none. The caller closes the schedule.
     */
    public Optional<DueRevisits> dueRevisits() throws IOException {
        return RevisitPlans.due(path, config.revisit(), Instant.now());
    }

    /** How often the crawl, running or not, got which response; nothing is changed. */
    public ResponseCounts responseCounts() throws IOException {
        return ResponseCounts.of(
                new RealDisk(), path, frontier.committedLengths().orElseGet(List::of));
    }

    /**
     * Everything that is known of the frontier of the crawl, running or not; nothing is changed.
     *
     * @param hosts how many hosts are named
     * @param letters how many dead letters are named of each cause
     */
    public FrontierInspection inspect(int hosts, int letters) throws IOException {
        return frontier.inspect(
                new FrontierInspection.InspectionOptions(hosts, letters, isRunning(path)));
    }

    /**
     * Passes every dead letter of the crawl, running or not; nothing is changed.
     *
     * @return how many were left out, because there are too many since the last snapshot
     */
    public long deadLetters(Consumer<DeadLetter> out) throws IOException {
        var tombstones = TombstoneFile.read(path, urls());
        return frontier.deadLetters(
                letter -> {
                    if (!tombstones.covers(letter.url())) {
                        out.accept(letter);
                    }
                });
    }

    /**
     * Why a URL of the crawl, running or not, is where it is; nothing is changed. When the crawl
     * does not know it, all its stored pages are read.
     *
     * @param asked the URL as a user wrote it
     * @return nothing when it is no URL that a crawl could have
     */
    public Optional<UrlExplanation> explain(String asked) throws IOException {
        return explain(asked, rules -> rules);
    }

    /** How polite the crawl is on the host of a URL. */
    public interface PolitenessLookup {
        HostPoliteness find(String host, UrlLookup url) throws IOException;
    }

    /** The state of a URL; empty if it must be looked up in the frontier's files. */
    public interface StateLookup {
        Optional<UrlLookup> find(CrawlUrl url);
    }

    /**
     * Explains a URL for the process that crawls all jobs.
     *
     * @param known what the open frontier knows without a search
     * @param index of the page log; without one the whole log is read
     */
    public Optional<UrlExplanation> explain(
            String asked,
            PolitenessLookup politeness,
            StateLookup known,
            Optional<PageLogIndex> index)
            throws IOException {
        return explain(
                asked,
                politeness,
                rules -> rules,
                url ->
                        known.find(url)
                                .map(
                                        lookup ->
                                                lookup.withCommittedLengths(
                                                        FrontierLocation.of(path)
                                                                .ownLengths(
                                                                        lookup
                                                                                .committedLengths()))),
                index);
    }

    /**
     * Explains a URL as {@link #explain(String)} does.
     *
     * @param program adds the rules of the program that runs the crawl to the built-in ones
     */
    public Optional<UrlExplanation> explain(String asked, UnaryOperator<Scope> program)
            throws IOException {
        return explain(asked, this::politeness, program, _ -> Optional.empty(), Optional.empty());
    }

    private Optional<UrlExplanation> explain(
            String asked,
            PolitenessLookup politeness,
            UnaryOperator<Scope> program,
            StateLookup known,
            Optional<PageLogIndex> index)
            throws IOException {
        var disk = new RealDisk();
        var now = Instant.now();
        var urls = urls();
        var url = Seed.read(asked, urls).map(Seed::url);
        if (url.isEmpty()) {
            return Optional.empty();
        }
        var open = known.find(url.get());
        var where = open.isPresent() ? open.get() : frontier.lookUp(url.get(), now);
        var urlExplainer =
                new UrlExplainer(
                        config.crawl(),
                        urls,
                        program.apply(new RuleScope(config.scope(), new HashSet<>(where.seeds()))),
                        politeness.find(url.get().host(), where),
                        where,
                        disk,
                        List.of(
                                UrlExplainer.LogSource.of(path, 0, where.committedLengths())
                                        .with(index)),
                        excluded(config, path),
                        config.intake(),
                        url.get(),
                        first -> RevisitPlans.nextVisit(path, config.revisit(), first, now));
        return Optional.of(urlExplainer.explain(asked, now));
    }

    /**
     * How polite the crawl is on a host beside the other jobs of its frontier that are being
     * crawled: the process that crawls a job has locked its directory.
     */
    private HostPoliteness politeness(String host, UrlLookup url) throws IOException {
        var own = FrontierLocation.of(path).job();
        var onHost = new HashMap<JobId, Politeness>();
        var elsewhere = new HashMap<JobId, Politeness>();
        if (!own.equals(FrontierLocation.OWN_JOB)) {
            try (var directories = Files.list(path.toAbsolutePath().normalize().getParent())) {
                for (var other : (Iterable<Path>) directories::iterator) {
                    var job = FrontierLocation.of(other).job();
                    if (!job.equals(own) && isCrawl(other) && isRunning(other)) {
                        (url.jobsOnHost().contains(job) ? onHost : elsewhere)
                                .put(
                                        job,
                                        open(other, config.settingValues().table())
                                                .config
                                                .politeness());
                    }
                }
            } catch (ConfigException e) {
                throw new IOException(
                        "could not read the settings of another job: " + e.getMessage(), e);
            }
        }
        return HostPoliteness.of(config.politeness(), host, onHost, elsewhere);
    }

    /**
     * Takes dead letters of a crawl that is not running back into its queues, for the next run.
     *
     * @return how many
     */
    public long retryDeadLetters(Predicate<DeadLetter> which) throws IOException {
        var disk = new RealDisk();
        try (var _ = lock(path)) {
            long urls;
            try (var opened = frontier.open(disk, Instant.now())) {
                var requeued =
                        opened.requeueDeadLetters(FrontierLocation.OWN_JOB, which, Instant.now());
                requeued.status().requireStored();
                urls = requeued.urls();
            }
            if (urls > 0) {
                disk.delete(
                        path.resolve(DirectoryLayout.REPORT)); // The crawl has not ended any more.
            }
            return urls;
        }
    }

    /** What was answered to single requests of the crawl, running or not. */
    public CrawlArchive contents() throws IOException {
        var urls = config.urls();
        return new CrawlArchive(path, Optional.empty(), urls);
    }

    /** What was taken down of the crawl; a later call sees later take-downs. */
    public Tombstones tombstones() throws IOException {
        var urls = config.urls();
        return new WatchedTombstones(new TombstoneWatch(path, urls, InstantSource.system()), urls);
    }

    /**
     * Takes a URL of a crawl down, running or not: from now on no export, query or sink shows it,
     * and it is not asked for again. Its records stay until {@link #compact}.
     *
     * @return how many lines of the page log are covered by it
     */
    public long takeDown(CrawlUrl url) throws IOException {
        TombstoneFile.addUrl(new RealDisk(), path, url, Instant.now());
        var key = config.urls().rekeyed(url).key();
        return countCovered(line -> line.key().equals(key));
    }

    /** Whether a URL, as a user wrote it, was taken down. */
    public boolean isTakenDown(String asked) throws IOException {
        var urls = config.urls();
        var url = Seed.read(asked, urls).map(Seed::url);
        return url.isPresent() && TombstoneFile.read(path, urls).covers(url.get());
    }

    /**
     * Returns the host that a user wrote, in its normal form; empty when the text is not a host
     * name or address alone.
     */
    public Optional<String> parseHost(String text) {
        if (!text.matches("[^/?#@*\\\\\\s]+") || (text.indexOf(':') >= 0 && !text.endsWith("]"))) {
            return Optional.empty();
        }
        return config.urls().parse("http://" + text + "/").map(CrawlUrl::host);
    }

    /**
     * Takes all URLs of a host down, as {@link #takeDown} does one.
     *
     * @param host as {@link #parseHost} returned it
     */
    public long takeDownHost(String host) throws IOException {
        TombstoneFile.addHost(new RealDisk(), path, host, Instant.now());
        return countCovered(line -> line.host().equals(host));
    }

    private long countCovered(Predicate<CrawlUrl> which) throws IOException {
        var urls = config.urls();
        var log = Compaction.currentLog(path);
        var count = new long[1];
        if (Files.exists(log)) {
            PageLog.read(
                    log,
                    entry -> count[0] += urls.parse(entry.url()).filter(which).isPresent() ? 1 : 0);
        }
        return count[0];
    }

    /**
     * Removes what was taken down, and what the retention drops, from the WARC files and the page
     * log of a crawl that is not running.
     */
    public Compaction.Outcome compact() throws IOException {
        return compact(new RealDisk());
    }

    /** The same on another disk, for tests that break it. */
    Compaction.Outcome compact(Disk disk) throws IOException {
        return compact(disk, Instant.now());
    }

    /** The same at another time. */
    Compaction.Outcome compact(Disk disk, Instant now) throws IOException {
        try (var _ = lock(path)) {
            var outcome = compactLocked(disk, now, Compaction.StopCheck.NEVER);
            if (outcome.limitExceeded()) {
                throw retentionExceeded(outcome);
            }
            return outcome;
        }
    }

    /**
     * Drops what the retention drops, before a crawl whose directory is locked is opened.
     *
     * @throws IOException also if the captures that are kept exceed the limit, so that nothing is
     *     fetched
     */
    void applyRetention(Disk disk, Instant now, Compaction.StopCheck stopCheck) throws IOException {
        if (!config.warc().retention().equals(Retention.NONE)
                && Files.isDirectory(path.resolve(DirectoryLayout.FRONTIER))) {
            var outcome = compactLocked(disk, now, stopCheck);
            if (outcome.captures() > 0) {
                LOG.info(
                        "retention: dropped {} lines and {} bytes",
                        outcome.captures(),
                        outcome.bytes());
            }
            if (outcome.limitExceeded()) {
                throw retentionExceeded(outcome);
            }
        }
    }

    private RetentionExceededException retentionExceeded(Compaction.Outcome outcome) {
        return new RetentionExceededException(
                "the newest captures in %s and the records that they refer to need %d bytes, more than the retention of %d: raise it, with '--set retention=SIZE' or in %s; nothing is fetched until then"
                        .formatted(
                                path,
                                outcome.remainingBytes(),
                                config.warc().retention().bytesMax(),
                                path.resolve(DirectoryLayout.SETTINGS)));
    }

    private Compaction.Outcome compactLocked(Disk disk, Instant now, Compaction.StopCheck stopCheck)
            throws IOException {
        try (var opened = frontier.open(disk, now)) {
            // What a crash left is put in order first.
            var settings =
                    new WarcSettings(
                            config.warc().compression(),
                            Long.MAX_VALUE,
                            Map.of(),
                            emptyTemporaryDirectory(disk, path),
                            true,
                            new RecordOptions(true, false, false, false));
            WarcSink.open(disk, path, settings, opened.committedLengths(), InstantSource.fixed(now))
                    .close();
            for (var extension : config.settingValues().table().extensions()) {
                extension.addDependents(config.settingValues(), path);
            }
            var urls = config.urls();
            var marks = opened.committedLengths();
            var plan =
                    RetentionPlan.of(
                            new CrawlArchive(path, Optional.of(marks), urls),
                            marks,
                            config.warc().retention(),
                            now,
                            stopCheck);
            ChangeLog.dropBefore(path, plan.cutoff());
            return Compaction.run(
                            disk,
                            path,
                            TombstoneFile.read(path, urls),
                            plan.expiry(),
                            marks,
                            lengths -> DirectoryFrontier.commitLengths(opened, lengths, now),
                            now,
                            stopCheck)
                    .withLimit(plan.bytes(), plan.exceeded());
        }
    }

    /** Brings the stores of a crawl that is not running up to date, and says how far they came. */
    public List<SinkStatus> catchUp() throws IOException, InterruptedException {
        try (var _ = lock(path)) {
            var marks = frontier.committedLengths().orElse(List.of());
            var urls = config.urls();
            var tombstones = TombstoneFile.read(path, urls);
            return startSinks(
                            config,
                            new CommittedCrawl(
                                    path,
                                    () -> marks,
                                    urls,
                                    tombstones.isEmpty() ? Tombstones.NONE : tombstones::covers))
                    .finish();
        }
    }

    /** What makes the URLs of the crawl, with the fingerprints that its frontier knows them by. */
    public CrawlUrls urls() throws IOException {
        return frontier.urls();
    }

    static DirectoryLock lock(Path directory) throws IOException {
        return DirectoryLock.tryLock(directory.resolve(DirectoryLayout.LOCK))
                .orElseThrow(
                        () ->
                                new IOException(
                                        "a crawl is running in "
                                                + directory
                                                + ": wait for it or stop it"));
    }

    static Path emptyTemporaryDirectory(Disk disk, Path directory) throws IOException {
        var temporary = directory.resolve(DirectoryLayout.TEMPORARY);
        disk.createDirectory(temporary);
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

    static List<Path> exclusionLists(CrawlConfig config, Path directory) throws IOException {
        var lists = new ArrayList<Path>();
        lists.add(directory.resolve(DirectoryLayout.EXCLUDED_HOSTS));
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

    private static HostSet excluded(CrawlConfig config, Path directory) throws IOException {
        var patterns = new ArrayList<HostPattern>();
        for (var file : exclusionLists(config, directory)) {
            patterns.addAll(ExclusionList.read(file));
        }
        return new HostSet(patterns);
    }

    /** What was taken down; a later call sees later take-downs. */
    record WatchedTombstones(TombstoneWatch watch, CrawlUrls urls) implements Tombstones {
        @Override
        public boolean covers(String url) {
            return urls.parse(url).filter(watch::covers).isPresent();
        }

        @Override
        public boolean isEmpty() {
            return watch.isEmpty();
        }
    }
}
