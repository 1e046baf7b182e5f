package dev.orbweaver.internal.engine;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.archive.CommittedCrawl;
import dev.orbweaver.internal.archive.MainTextComparison;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Retention;
import dev.orbweaver.internal.config.Seed;
import dev.orbweaver.internal.crawl.Crawl;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.crawl.LocalStorage;
import dev.orbweaver.internal.crawl.ResponseCounts;
import dev.orbweaver.internal.crawl.RobotsLog;
import dev.orbweaver.internal.crawl.SpaceLimits;
import dev.orbweaver.internal.directory.CrawlStorage;
import dev.orbweaver.internal.directory.ExclusionListWatcher;
import dev.orbweaver.internal.directory.OpenResources;
import dev.orbweaver.internal.directory.SettingsFiles;
import dev.orbweaver.internal.directory.SharedCaches;
import dev.orbweaver.internal.directory.SharedRevisits;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.BodyMemory;
import dev.orbweaver.internal.disk.CountingDisk;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.fetch.NettyFetcher;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.FrontierFailedException;
import dev.orbweaver.internal.frontier.JobHosts;
import dev.orbweaver.internal.frontier.OpenFrontier;
import dev.orbweaver.internal.frontier.SeedBatch;
import dev.orbweaver.internal.frontier.Workbench;
import dev.orbweaver.internal.parse.GuardedParser;
import dev.orbweaver.internal.parse.ParsePool;
import dev.orbweaver.internal.revisit.Importance;
import dev.orbweaver.internal.revisit.InlinkSketch;
import dev.orbweaver.internal.scope.RuleScope;
import dev.orbweaver.internal.scope.SharedScope;
import dev.orbweaver.internal.scope.TombstoneScope;
import dev.orbweaver.internal.seeds.RemovedSeeds;
import dev.orbweaver.internal.seeds.SeedIntake;
import dev.orbweaver.internal.seeds.SeedReader;
import dev.orbweaver.internal.sink.CaptureReader;
import dev.orbweaver.internal.sink.OtherCrawl;
import dev.orbweaver.internal.sink.SinkFollowers;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.internal.sink.TombstoneWatch;
import dev.orbweaver.internal.sink.WarcSettings;
import dev.orbweaver.internal.sink.WarcSink;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.CrawlReport;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Durability;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.TransferStats;
import dev.orbweaver.spi.Fetcher;
import dev.orbweaver.spi.PageHandlerException;
import dev.orbweaver.spi.Parser;
import dev.orbweaver.spi.Scope;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
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
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A crawl between an opening of its directory and the next: all of its parts. {@link OpenCrawl} has
 * one after the other.
 *
 * <p>Methods other than {@link #run} and {@link #close} may be called from any thread.
 */
final class CrawlSession implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(CrawlSession.class);

    private static final String WARC_STANDARD =
            "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";

    private final Path directory;
    private volatile CrawlConfig config;
    private final Disk disk;
    private final OpenFrontier openFrontier;
    private final CrawlFrontier frontier;
    private final Fetcher fetcher;
    private final List<OtherCrawl> otherCrawls;
    private final WarcSink sink;
    private final RobotsLog robots;
    private final ResponseCounts responseCounts;
    private final Crawl crawl;
    private final ExclusionListWatcher exclusionListWatcher;
    private final SeedReader seedReader;
    private final Optional<InlinkSketch> inlinks;
    private final Optional<Revisits> revisits;
    private final Optional<SharedRevisits> sharedRevisits;
    private final ProgressWriter progressWriter;
    private final SinkFollowers sinkFollowers;
    private final CountingDisk frontierDisk;
    private final PageDeliveries deliveries;
    private final Optional<RetentionWatch> retentionWatch;
    private final RunHistory history;
    private volatile List<SinkStatus> finalSinkStatus = List.of();
    private volatile Optional<CrawlReport> lastSummary = Optional.empty();

    CrawlSession(
            Path directory,
            CrawlConfig given,
            Disk disk,
            InstantSource clock,
            OpenFrontier openFrontier,
            CountingDisk frontierDisk,
            SharedCaches sharedCaches,
            CrawlListener listener,
            CrawlExtensions extensions,
            RunHistory history,
            OpenResources openResources)
            throws IOException {
        this.history = history;
        this.directory = directory;
        this.openFrontier = openFrontier;
        this.frontier = openFrontier.crawl();
        this.config = given.withKey(frontier.fingerprintKey());
        this.disk = disk;
        this.frontierDisk = frontierDisk;
        history.begin(clock.instant(), frontier.stats().ledger().pages());
        var temporary = StoredCrawl.emptyTemporaryDirectory(disk, directory);
        var urls = config.urls();
        openFrontier.admin().setIntakeLimits(openFrontier.job(), config.intake());
        offerSeeds(sharedCaches, clock.instant());
        this.otherCrawls = OtherCrawls.open(config, disk, directory, openResources);
        this.sink =
                openResources.add(
                        WarcSink.open(
                                disk,
                                directory,
                                warcSettings(temporary),
                                frontier.committedLengths(),
                                clock,
                                otherCrawls));
        this.fetcher =
                openResources.add(
                        extensions
                                .fetcher()
                                .orElseGet(
                                        () ->
                                                new NettyFetcher(
                                                        config.networkSettings().fetch(temporary),
                                                        clock,
                                                        sharedCaches.addresses(),
                                                        BodyMemory.shared())));
        this.robots = openResources.add(RobotsLog.open(disk, directory, sink::committedCaptures));
        this.responseCounts = ResponseCounts.of(disk, directory, frontier.committedLengths());
        var tombstones = new TombstoneWatch(directory, urls, clock);
        var committed =
                new CommittedCrawl(
                        directory,
                        frontier::committedLengths,
                        urls,
                        new StoredCrawl.WatchedTombstones(tombstones, urls));
        this.deliveries =
                openResources.add(
                        new PageDeliveries(
                                committed,
                                sink::committedCaptures,
                                config.durability() == Durability.POWER));
        var seeds = frontier.seeds();
        var within = new HashSet<>(seeds);
        if (sharedCaches.isShared() || seeds.size() >= Workbench.SEEDS_KEPT_MAX) {
            // The worker that started the job may not have offered all of them yet, and the
            // frontier does not return more.
            config.seeds().forEach(seed -> within.add(seed.url()));
        }
        // Rules of the program are outside: what the crawl asks about seeds is not passed to them.
        var ownScope =
                extensions.scopeOver(
                        () ->
                                new SharedScope(
                                        ruleScope(within),
                                        seeds.size(),
                                        frontier::seedsFrom,
                                        this::newSeedHosts));
        var scope =
                TombstoneScope.takenDown(
                        TombstoneScope.removed(
                                ownScope, new RemovedSeeds(directory, urls, clock)::contains),
                        tombstones::covers);
        this.crawl =
                new Crawl(
                        config.crawl(),
                        urls,
                        scope,
                        frontier,
                        fetcher,
                        parsers(extensions, urls),
                        sink,
                        spaceLimits(sharedCaches, CrawlStorage.of(directory, temporary)),
                        sharedCaches.robots(robots, clock),
                        ParsePool.shared(),
                        clock,
                        countingListener(listener),
                        extensions.extractor(),
                        deliveries::backlog);
        crawl.countTimeFrom(history.started());
        crawl.shareTrapBalances(sharedCaches.traps());
        if (disk.exists(directory.resolve(DirectoryLayout.TRAPS))) {
            restoreTraps();
        }
        for (var settings : extensions.deliveries()) {
            deliveries.add(settings, crawl::fail);
        }
        this.exclusionListWatcher =
                openResources.add(
                        new ExclusionListWatcher(
                                StoredCrawl.exclusionLists(config, directory),
                                hosts -> exclude(hosts, clock.instant())));
        SettingsFiles.write(disk, directory, config.settingValues());
        disk.delete(
                directory.resolve(
                        DirectoryLayout.REPORT)); // It describes the end of an earlier run.
        this.seedReader = seedReader(sharedCaches, clock);
        readCaptures();
        this.sharedRevisits =
                config.revisit().isContinuous()
                        ? sharedCaches
                                .revisits(
                                        RevisitPlans.settings(config.revisit()),
                                        weights(),
                                        new SharedRevisits.Crawl(crawl::hasRoom, crawl::fail))
                                .map(openResources::add)
                        : Optional.empty();
        if (sharedRevisits.isPresent()) {
            // Tells readers of the logs that a URL may have several visits.
            Files.createDirectories(directory.resolve(DirectoryLayout.REVISITS));
        }
        this.inlinks =
                config.revisit().isContinuous() && sharedRevisits.isEmpty()
                        ? Optional.of(openResources.add(openInlinks()))
                        : Optional.empty();
        this.revisits =
                inlinks.isPresent()
                        ? Optional.of(
                                openResources.add(revisits(committed, scope, inlinks.get(), clock)))
                        : Optional.empty();
        crawl.awaitSeeds(
                () -> revisits.isPresent() || sharedRevisits.isPresent() || seedReader.isPending());
        this.sinkFollowers = StoredCrawl.startSinks(config, committed);
        // These start threads that use the directory, so nothing that can fail may follow.
        seedReader.start();
        revisits.ifPresent(
                known -> {
                    crawl.onAbandonedVisit(known::abandon);
                    known.start();
                });
        sharedRevisits.ifPresent(SharedRevisits::start);
        this.progressWriter = new ProgressWriter(directory, crawl);
        this.retentionWatch =
                history.canContinue() && !config.warc().retention().equals(Retention.NONE)
                        ? Optional.of(
                                new RetentionWatch(
                                        config.warc().retention(),
                                        history.lastPass(),
                                        clock,
                                        this::warcBytes,
                                        () -> crawl.stop(config.crawl().stopGrace())))
                        : Optional.empty();
    }

    private long warcBytes() {
        return RetentionWatch.warcBytes(frontier.committedLengths());
    }

    private RuleScope ruleScope(Set<CrawlUrl> seeds) {
        var scope = new RuleScope(config.scope(), seeds);
        frontier.forEachSeedHost(scope::addSeedHost);
        return scope;
    }

    /** Returns the roots of hosts whose seeds other workers have read since the last call. */
    private List<CrawlUrl> newSeedHosts() {
        var roots = new ArrayList<CrawlUrl>();
        frontier.forEachNewSeedHost(
                host -> config.urls().parse("http://" + host + "/").ifPresent(roots::add));
        return roots;
    }

    private SeedReader seedReader(SharedCaches sharedCaches, InstantSource clock)
            throws IOException {
        var target =
                new SeedIntake.Target(
                        frontier,
                        config.urls(),
                        crawl::addSeed,
                        crawl::hasRoom,
                        crawl::fail,
                        revisitRequests(clock));
        var shared = sharedCaches.seedReader(directory, target);
        var reader = shared.isPresent() ? shared.get() : new SeedIntake(directory, target, clock);
        return reader;
    }

    /** Leaves the URLs of a list to the schedule, which would otherwise queue them too. */
    private SeedIntake.RevisitRequests revisitRequests(InstantSource clock) {
        return new SeedIntake.RevisitRequests() {
            @Override
            public List<SeedBatch.Revisit> takeOver(List<SeedBatch.Revisit> listed)
                    throws IOException {
                return revisits.isPresent() ? revisits.get().request(listed) : listed;
            }

            @Override
            public void announced(List<CrawlUrl> urls) throws IOException {
                changed(urls, clock.instant());
            }
        };
    }

    /** Counts URLs that have changed according to their site; unknown ones have no effect. */
    void changed(List<CrawlUrl> urls, Instant at) throws IOException {
        if (revisits.isPresent()) {
            revisits.get().changed(urls, at);
        }
    }

    private Revisits revisits(
            CommittedCrawl committed, Scope scope, InlinkSketch links, InstantSource clock)
            throws IOException {
        var schedule = RevisitPlans.open(directory, config.revisit(), clock.instant());
        try {
            return new Revisits(
                    schedule,
                    new RevisitFollower(
                            committed,
                            schedule,
                            textComparison(committed),
                            importance(links),
                            config.durability() == Durability.POWER,
                            clock),
                    new Revisits.Target(
                            frontier,
                            config.urls(),
                            url -> scope.refusalReason(url, Hop.LINK, 0).isEmpty(),
                            crawl::hasRoom,
                            crawl::fail),
                    clock);
        } catch (IOException | RuntimeException e) {
            schedule.close();
            throw e;
        }
    }

    /** Opens the counts of links to each URL, which the crawl updates while it runs. */
    private InlinkSketch openInlinks() throws IOException {
        var revisitState = directory.resolve(DirectoryLayout.REVISITS);
        Files.createDirectories(revisitState);
        var links = InlinkSketch.open(revisitState.resolve("inlinks"), new SplittableRandom());
        crawl.countLinks(url -> links.add(url.key().high()));
        return links;
    }

    private RevisitFollower.PageImportance importance(InlinkSketch links) {
        var rules = config.crawl().priorities();
        return (url, depth) ->
                Importance.of(
                        depth, Math.round(links.count(url.key().high())), rules.importance(url));
    }

    /** Returns the importance of pages by depth and rules; no worker knows all links to a page. */
    private SharedRevisits.PageWeight weights() {
        var rules = config.crawl().priorities();
        return (url, depth) -> Importance.of(depth, 0, rules.importance(url));
    }

    private Optional<MainTextComparison> textComparison(CommittedCrawl committed)
            throws IOException {
        var pages = RevisitFollower.pages(committed);
        return config.settingValues().table().extensions().stream()
                .flatMap(extension -> extension.textComparison(pages).stream())
                .findFirst();
    }

    private void readCaptures() throws IOException {
        try {
            seedReader.readCaptures();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(
                    "interrupted while reading the captures of an archive");
        }
    }

    private List<Parser> parsers(CrawlExtensions extensions, CrawlUrls urls) {
        var parsers = new ArrayList<Parser>();
        extensions.parsers().forEach(parser -> parsers.add(new GuardedParser(parser, urls)));
        parsers.addAll(StoredCrawl.parsers(config, urls));
        return parsers;
    }

    private void exclude(HostSet hosts, Instant now) {
        if (openFrontier.admin().exclude(openFrontier.job(), hosts, now)
                instanceof CommitStatus.Pending(var problem)) {
            LOG.warn("hosts are excluded in memory only: {}", problem);
        }
    }

    /** What was learned of traps; a damaged file costs learning it again. */
    private void restoreTraps() throws IOException {
        try {
            crawl.restoreTrapState(AtomicFile.read(disk, directory.resolve(DirectoryLayout.TRAPS)));
        } catch (AtomicFile.DamagedException e) {
            LOG.warn("traps are learned again: {}", e.getMessage());
        }
    }

    /** A sentence for each piece of output that opening moved aside, because no commit names it. */
    List<String> recovered() {
        return sink.recovered();
    }

    /** Counts every capture; attempts that are retried are passed on apart. */
    private CrawlListener countingListener(CrawlListener listener) {
        return new CrawlListener() {
            @Override
            public void captured(Capture capture) {
                responseCounts.add(capture);
                if (capture.kind() == Kind.RETRIED) {
                    listener.retried(capture);
                } else {
                    listener.captured(capture);
                }
            }

            @Override
            public void committed() {
                responseCounts.save(disk, directory, frontier::committedLengths, false);
                deliveries.committed();
                listener.committed();
            }
        };
    }

    /**
     * A crawl that goes on has its seeds already, and those that came by redirect too. Where others
     * work on it, the one who began with it may have died before it had offered them all.
     */
    private void offerSeeds(SharedCaches sharedCaches, Instant now) throws IOException {
        var known = new HashSet<>(frontier.seeds());
        if (known.isEmpty() || sharedCaches.isShared()) {
            var seeds =
                    config.seeds().stream()
                            .filter(seed -> !known.contains(seed.url()))
                            .map(CrawlSession::candidate)
                            .toList();
            if (!seeds.isEmpty()) {
                frontier.offer(seeds, now).requireStored();
            }
        }
    }

    private static Candidate candidate(Seed seed) {
        return Candidate.seed(seed.url(), seed.schemeGuessed());
    }

    /**
     * Deferred links are in the pages of the worker that stored them. In a fleet it may never come
     * back, and links take no room on its disk.
     */
    private SpaceLimits spaceLimits(SharedCaches sharedCaches, LocalStorage storage) {
        var space = config.space();
        return new SpaceLimits(
                space.queuedUrlsMax(),
                space.queuedBytesMax(),
                space.freeBytesMin(),
                directory.toFile()::getUsableSpace,
                sharedCaches.isShared()
                        ? Optional.empty()
                        : Optional.of(new CaptureReader(directory)),
                storage);
    }

    private WarcSettings warcSettings(Path temporary) {
        var networkSettings = config.networkSettings();
        var info = new HashMap<String, String>();
        info.put("software", networkSettings.userAgent().replaceFirst("[\\s(].*", ""));
        info.put("format", "WARC File Format 1.1");
        info.put("conformsTo", WARC_STANDARD);
        info.put("robots", config.crawl().robots().description());
        info.put("http-header-user-agent", networkSettings.userAgent());
        info.put("description", "crawl of " + config.seedsText());
        if (!networkSettings.contact().isEmpty()) {
            info.put("operator", networkSettings.contact());
        }
        config.publicSettings().forEach((key, value) -> info.put("setting-" + key, value));
        return new WarcSettings(
                config.warc().compression(),
                config.warc().fileBytesMax(),
                info,
                temporary,
                config.durability() == Durability.POWER,
                config.warc().records());
    }

    private void saveResponseCounts() throws IOException {
        try {
            responseCounts.save(disk, directory, frontier::committedLengths, true);
        } catch (FrontierFailedException e) {
            LOG.debug("the answers are counted again from the page log", e);
        }
    }

    /** Crawls until the end, or until captures are to be dropped ({@link #mustDropCaptures}). */
    CrawlEnd run() throws InterruptedException {
        deliveries.start();
        return withTraps(deliveries.finish(crawl.run(), config.crawl().stopGrace()));
    }

    /** Writes the summary of an end. */
    void finish(CrawlEnd end) throws IOException {
        var crawlReport = summary(end);
        lastSummary = Optional.of(crawlReport);
        try {
            saveState();
            AtomicFile.write(disk, directory.resolve(DirectoryLayout.REPORT), crawlReport.toJson());
        } catch (IOException e) {
            if (end.reason() != CrawlEnd.Reason.BROKEN) {
                throw e;
            }
            // The end names the cause already; this is what follows from it.
            LOG.warn("the summary cannot be written: {}", e.getMessage());
        }
    }

    /** Writes what the next session continues with. */
    void saveState() throws IOException {
        saveResponseCounts();
        if (config.crawl().traps().enabled()) {
            AtomicFile.write(disk, directory.resolve(DirectoryLayout.TRAPS), crawl.trapState());
        }
    }

    /** Returns whether the retention stopped the crawl, to drop captures and open it again. */
    boolean mustDropCaptures() {
        return retentionWatch.isPresent() && retentionWatch.get().isDue();
    }

    /** Adds how many URLs were given up as traps to an end that has no other detail. */
    private CrawlEnd withTraps(CrawlEnd end) {
        var urls = crawl.status().frontier().deadByCause().getOrDefault(FailureCause.TRAP, 0L);
        if (urls == 0 || !end.detail().isEmpty()) {
            return end;
        }
        var example = crawl.trapExample().map(url -> ", such as " + url).orElse("");
        return new CrawlEnd(
                end.reason(),
                urls
                        + (urls == 1 ? " URL was" : " URLs were")
                        + " given up as a crawler trap"
                        + example
                        + "; if they are regular pages, turn traps off and retry the dead letters"
                        + " with the cause trap");
    }

    /** Returns the exception of the page handler that ended the crawl. */
    Optional<PageHandlerException> handlerFailure() {
        return deliveries.failure();
    }

    /** What came of it: after the end, what was written then. */
    CrawlReport summary(CrawlEnd end) {
        return lastSummary.orElseGet(
                () ->
                        CrawlReports.of(
                                crawl.status(),
                                history.plus(fetcher.stats()),
                                responseCounts,
                                end,
                                history.started(),
                                history.pagesBefore()));
    }

    /** Adds the requests of this session to those of the run. */
    void addToHistory() {
        history.add(fetcher.stats());
    }

    ResponseCounts responseCounts() {
        return responseCounts;
    }

    /** How it stands. */
    CrawlStatus status() {
        return crawl.status();
    }

    /** The hosts with work, those being asked first. */
    JobHosts hosts(int max) {
        try {
            return openFrontier.admin().hosts(openFrontier.job(), max, Instant.now());
        } catch (FrontierFailedException e) {
            return JobHosts.NONE; // The crawl is about to end and says why.
        }
    }

    /** How far the seed lists have been read. */
    SeedReader.Progress seedProgress() {
        return seedReader.progress();
    }

    /** Asks the crawl to end within the grace period. */
    void stop(Duration grace) {
        deliveries.stop(grace);
        crawl.stop(grace);
    }

    /** Takes no new URLs until {@link #resume}. */
    void pause() {
        crawl.pause();
    }

    /** Goes on after {@link #pause}. */
    void resume() {
        crawl.resume();
    }

    /** Returns the settings, with the changes that were made while it runs. */
    CrawlConfig config() {
        return config;
    }

    /** Changes a setting that can be changed while the crawl runs, and stores it. */
    synchronized void reconfigure(String setting, String value)
            throws ConfigException, IOException {
        var changed = config.withSetting(setting, value);
        openFrontier.admin().setPoliteness(openFrontier.job(), changed.politeness(), Instant.now());
        crawl.setLimits(changed.crawl().limits(), changed.crawl().concurrency());
        SettingsFiles.write(disk, directory, changed.settingValues());
        config = changed;
    }

    /** Where its files are. */
    Path directory() {
        return directory;
    }

    /** How the stores that follow it stand; after the end, how far they came. */
    List<SinkStatus> sinkStatus() {
        var ended = finalSinkStatus;
        return ended.isEmpty() ? sinkFollowers.status() : ended;
    }

    /** What it has moved since it was opened; also when it is closed. */
    TransferStats usage() {
        var network = fetcher.stats();
        var sinks = new HashMap<>(sinkFollowers.counts());
        sinks.put(DirectoryLayout.WARC, sink.counts());
        return new TransferStats(
                        network.sentBytes(),
                        network.receivedBytes(),
                        Map.of(
                                DirectoryLayout.WARC,
                                sink.counts().storedBytes(),
                                "page-log",
                                sink.logBytes()),
                        sinks)
                .plus(OpenCrawl.usage(frontierDisk));
    }

    @Override
    public void close() throws IOException {
        try (var _ = closeable(inlinks);
                openFrontier;
                sink;
                seedReader;
                exclusionListWatcher;
                progressWriter;
                robots;
                var _ = closeable(sharedRevisits);
                var _ = closeable(revisits);
                var _ = closeable(retentionWatch)) {
            deliveries.close();
            fetcher.close();
        } finally {
            closeOtherCrawls();
            finishSinks(); // They take over what closing has written too.
        }
    }

    private static Closeable closeable(Optional<? extends Closeable> part) {
        return part.<Closeable>map(open -> open).orElse(() -> {});
    }

    /** Closes what was only read, so that a failure loses nothing. */
    private void closeOtherCrawls() {
        for (var other : otherCrawls) {
            try {
                other.close();
            } catch (IOException e) {
                LOG.warn("could not close a crawl of dedupe-with: {}", e.getMessage());
            }
        }
    }

    private void finishSinks() {
        try {
            finalSinkStatus = sinkFollowers.finish();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            finalSinkStatus = sinkFollowers.status();
        }
    }
}
