package dev.orbweaver;

import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Seed;
import dev.orbweaver.internal.crawl.StoredLinks;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.frontier.AcceptedUrl;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.FrontierDamagedException;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.frontier.disk.CommittedLengthsFile;
import dev.orbweaver.internal.frontier.disk.DiskFrontier;
import dev.orbweaver.internal.frontier.disk.DiskSettings;
import dev.orbweaver.internal.frontier.disk.FingerprintKeyFile;
import dev.orbweaver.internal.frontier.disk.FrontierBuilder;
import dev.orbweaver.internal.frontier.disk.Salvage;
import dev.orbweaver.internal.parse.Parser;
import dev.orbweaver.internal.scope.RuleScope;
import dev.orbweaver.internal.sink.OutputScan;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Builds the frontier of a crawl again when its files are damaged.
 *
 * <p>The page log says which URLs are settled, the stored pages which links there were, and what is
 * readable of the old frontier which URLs were queued besides. So nothing that is settled is
 * fetched again, and all that is known from any source is queued. The new frontier is made beside
 * the old one, which is then moved aside and kept.
 */
public final class FrontierRepair {

    private static final Logger LOG = LoggerFactory.getLogger(FrontierRepair.class);
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final int PROGRESS_EVERY = 1000;

    /**
     * The outcome of a repair.
     *
     * @param problems what was wrong, as sentences; none when nothing was done
     * @param movedTo where the old frontier is now
     * @param lines of the page log
     * @param unreadableLines of the page log
     * @param fromFrontier URLs queued because the old frontier names them
     * @param fromPages URLs queued because a stored capture leads to them
     * @param unreadableCaptures whose links could not be read
     * @param lostBytes of the old frontier that could not be read, by file
     */
    public record Report(
            List<String> problems,
            Path movedTo,
            long lines,
            long unreadableLines,
            long done,
            long dead,
            long fromFrontier,
            long fromPages,
            long unreadableCaptures,
            Map<String, Long> lostBytes) {

        private Report plus(Report other) {
            var lost = new TreeMap<>(lostBytes);
            lost.putAll(other.lostBytes);
            return new Report(
                    problems,
                    movedTo,
                    lines + other.lines,
                    unreadableLines + other.unreadableLines,
                    done + other.done,
                    dead + other.dead,
                    fromFrontier + other.fromFrontier,
                    fromPages + other.fromPages,
                    unreadableCaptures + other.unreadableCaptures,
                    lost);
        }

        private static Report undamaged(Path directory) {
            return new Report(List.of(), directory, 0, 0, 0, 0, 0, 0, 0, Map.of());
        }
    }

    /**
     * A job whose URLs are in the frontier: the only one of a crawl, or one of a service.
     *
     * @param prefix of the names of its output files in the frontier
     */
    record RepairJob(
            int job, String prefix, Path directory, CrawlConfig config, List<Parser> parsers) {

        /** Those of its own output files, by the names that they have in its directory. */
        private List<CommittedLength> ownLengths(List<CommittedLength> marks) {
            return marks.stream()
                    .filter(mark -> mark.name().startsWith(prefix))
                    .map(
                            mark ->
                                    new CommittedLength(
                                            mark.name().substring(prefix.length()),
                                            mark.length(),
                                            mark.checksum()))
                    .toList();
        }
    }

    private final Disk disk;
    private final RepairJob repairJob;
    private final Path directory;
    private final CrawlConfig config;
    private final CrawlUrls urls;
    private final Consumer<String> progress;
    private final Instant now;

    /** When dead letters were taken back: as many of a URL's letters and lines are void. */
    private final Map<Fingerprint, Set<Long>> revivedAt = new HashMap<>();

    private final Map<Fingerprint, Integer> failedLines = new HashMap<>();
    private final Map<Fingerprint, Integer> deadLetterCounts = new HashMap<>();
    private final Set<CrawlUrl> seeds = new LinkedHashSet<>();
    private final Map<String, CommittedLength> knownLengths = new LinkedHashMap<>();
    private long unreadableCaptures;

    private FrontierRepair(Disk disk, RepairJob repairJob, Consumer<String> progress, Instant now) {
        this.disk = disk;
        this.repairJob = repairJob;
        this.directory = repairJob.directory;
        this.config = repairJob.config;
        this.urls = config.urls();
        this.progress = progress;
        this.now = now;
    }

    /** Repairs the frontier in a directory that is locked; does nothing when it is not damaged. */
    static Report run(
            Disk disk,
            Path directory,
            DiskSettings settings,
            List<RepairJob> repairJobs,
            Consumer<String> progress)
            throws IOException {
        var now = Instant.now();
        progress.accept("checking the frontier");
        var frontier = directory.resolve(DirectoryLayout.FRONTIER);
        var politeness = repairJobs.getFirst().config.politeness();
        var problems =
                !Files.isDirectory(frontier) || disk.list(frontier).isEmpty()
                        ? List.of(frontier + " is missing")
                        : new ArrayList<>(
                                Salvage.problems(disk, frontier, politeness, settings, now));
        if (problems.isEmpty()) {
            var marks = DiskFrontier.readCommittedLengths(disk, frontier, politeness, settings);
            for (var repairJob : repairJobs) {
                problems.addAll(
                        OutputScan.truncatedFiles(
                                disk, repairJob.directory, repairJob.ownLengths(marks)));
            }
        }
        if (problems.isEmpty()) {
            return Report.undamaged(directory);
        }
        problems.forEach(problem -> LOG.warn("repair: {}", problem));
        var aside = directory.resolve(DirectoryLayout.FRONTIER + ".damaged-" + STAMP.format(now));
        var report = new Report(problems, aside, 0, 0, 0, 0, 0, 0, 0, Map.of());
        var fresh = directory.resolve(DirectoryLayout.FRONTIER_REPAIRING);
        createEmpty(disk, fresh);
        try (var builder = FrontierBuilder.begin(disk, fresh, politeness, settings)) {
            builder.addHostStates(hostEvents(disk, frontier));
            for (var repairJob : repairJobs) {
                report =
                        report.plus(
                                new FrontierRepair(disk, repairJob, progress, now)
                                        .build(builder, frontier));
            }
        }
        if (disk.exists(frontier)) {
            disk.moveAtomically(frontier, aside);
        }
        disk.moveAtomically(fresh, frontier);
        disk.syncDirectory(directory);
        return report;
    }

    /** The key of the frontier in a directory; another one when that is missing or damaged. */
    static FingerprintKey key(Disk disk, Path directory) throws IOException {
        var frontier = directory.resolve(DirectoryLayout.FRONTIER);
        try {
            return disk.exists(frontier)
                    ? FingerprintKeyFile.read(disk, frontier).orElseGet(FingerprintKey::random)
                    : FingerprintKey.random();
        } catch (FrontierDamagedException e) {
            return FingerprintKey.random();
        }
    }

    private static Collection<FrontierEvent> hostEvents(Disk disk, Path frontier)
            throws IOException {
        var hosts = new LinkedHashMap<String, FrontierEvent>();
        if (Files.isDirectory(frontier)) {
            var _ =
                    Salvage.read(
                            disk,
                            frontier,
                            new CrawlUrls(Normalisation.DEFAULT),
                            event -> {
                                if (event instanceof FrontierEvent.HostState it) {
                                    hosts.put("state " + it.host(), it);
                                } else if (event instanceof FrontierEvent.CrawlDelaySet it) {
                                    hosts.put("delay " + it.host(), it);
                                }
                            });
        }
        return hosts.values();
    }

    /** What a run that was stopped left behind. */
    private static void createEmpty(Disk disk, Path fresh) throws IOException {
        disk.createDirectory(fresh);
        for (var file : disk.list(fresh)) {
            disk.delete(file);
        }
    }

    /** Repairs the committed lengths of a worker's part of a fleet's job in a locked directory. */
    static Report repairCommittedLengths(Disk disk, Path directory) throws IOException {
        try {
            var _ = CommittedLengthsFile.read(disk, directory);
            return Report.undamaged(directory);
        } catch (FrontierDamagedException e) {
            var aside =
                    directory.resolve(
                            CommittedLengthsFile.FILE + ".damaged-" + STAMP.format(Instant.now()));
            var known = CommittedLengthsFile.salvage(disk, directory);
            var scan = OutputScan.read(directory, _ -> {});
            var problems = List.of(e.problem());
            disk.moveAtomically(directory.resolve(CommittedLengthsFile.FILE), aside);
            CommittedLengthsFile.write(disk, directory, scan.committedLengths(disk, known));
            return new Report(
                    problems, aside, scan.lines(), scan.unreadable(), 0, 0, 0, 0, 0, Map.of());
        }
    }

    /** What belongs to this job; of a crawl, whose only job it is, everything does. */
    private Map<String, Long> salvage(Path frontier, Consumer<FrontierEvent> out)
            throws IOException {
        return new TreeMap<>(
                Files.isDirectory(frontier)
                        ? Salvage.read(disk, frontier, urls, out)
                        : Map.<String, Long>of());
    }

    private boolean belongsToJob(int job) {
        return job == repairJob.job || repairJob.prefix.isEmpty();
    }

    /** The first reading: what must be known before URLs can be judged. */
    private void collect(FrontierEvent event) {
        switch (event) {
            case FrontierEvent.Seed(var job, var url) when belongsToJob(job) ->
                    rekey(url).ifPresent(seeds::add);
            case FrontierEvent.Accepted(var it) when it.hop().isSeed() && belongsToJob(it.job()) ->
                    rekey(it.url()).ifPresent(seeds::add);
            case FrontierEvent.LengthCommitted(var mark)
                    when mark.name().startsWith(repairJob.prefix) -> {
                var name = mark.name().substring(repairJob.prefix.length());
                knownLengths.put(name, new CommittedLength(name, mark.length(), mark.checksum()));
            }
            case FrontierEvent.Requeued(var letter, _, var at)
                    when belongsToJob(letter.url().job()) ->
                    // Journal and dead log may both have it.
                    rekey(letter.url().url())
                            .ifPresent(
                                    url ->
                                            revivedAt
                                                    .computeIfAbsent(
                                                            url.key(), _ -> new HashSet<>())
                                                    .add(at));
            default -> {}
        }
    }

    /** A URL under the key that it has now: that of a damaged frontier need not be the same. */
    private Optional<CrawlUrl> rekey(CrawlUrl old) {
        return urls.parse(old.text());
    }

    private Report build(FrontierBuilder builder, Path frontier) throws IOException {
        config.seeds().forEach(seed -> seeds.add(seed.url()));
        progress.accept("reading what is left of the frontier");
        var lost = salvage(frontier, this::collect);
        builder.startJob(repairJob.job);
        progress.accept("reading the page log");
        var scan = OutputScan.read(directory, entry -> settle(builder, entry));
        // Given up only now: a URL may have failed, been taken back, and then been fetched.
        var _ = OutputScan.read(directory, entry -> addDeadLetter(builder, entry));
        var _ = salvage(frontier, event -> addDeadLetter(builder, event));
        builder.finishSettled();
        for (var mark : scan.committedLengths(disk, knownLengths)) {
            builder.addCommittedLength(
                    new CommittedLength(
                            repairJob.prefix + mark.name(), mark.length(), mark.checksum()));
        }
        queueSeeds(builder);
        progress.accept("queueing what the old frontier names");
        var before = builder.queued();
        var _ = salvage(frontier, event -> queue(builder, event));
        var fromFrontier = builder.queued() - before;
        var links =
                new StoredLinks(
                        config.crawl(),
                        urls,
                        new RuleScope(config.scope(), seeds),
                        repairJob.parsers,
                        directory);
        before = builder.queued();
        var read = new long[1];
        var _ =
                OutputScan.read(
                        directory,
                        entry -> {
                            if (++read[0] % PROGRESS_EVERY == 0) {
                                progress.accept(
                                        "reading links of stored pages: line %d of %d"
                                                .formatted(read[0], scan.lines()));
                            }
                            queueLinks(builder, links, entry);
                        });
        return new Report(
                List.of(),
                directory,
                scan.lines(),
                scan.unreadable(),
                builder.done(),
                builder.dead(),
                fromFrontier,
                builder.queued() - before,
                unreadableCaptures,
                lost);
    }

    private void settle(FrontierBuilder builder, PageLogEntry entry) {
        var url = urls.parse(entry.url());
        if (url.isEmpty()) {
            return;
        }
        switch (entry.kind()) {
            case PAGE, SITEMAP, ERROR -> finish(builder, url.get(), entry);
            case REDIRECT -> {
                var target = urls.resolve(url.get(), entry.location());
                if (target.filter(it -> it.key().equals(url.get().key())).isEmpty()) {
                    finish(builder, url.get(), entry);
                }
                if (target.isPresent() && seeds.contains(url.get())) {
                    seeds.add(target.get());
                }
            }
            case WITHDRAWN -> {
                refusal(entry.cause()).ifPresent(why -> builder.withdrawn(url.get(), why));
                guessedHttp(entry).ifPresent(seeds::add);
            }
            case FAILED, RETRIED, ROBOTS -> {}
        }
    }

    private static void finish(FrontierBuilder builder, CrawlUrl url, PageLogEntry entry) {
        builder.done(url, entry.kind() == Kind.PAGE, entry.bytes());
    }

    private static Optional<Refusal> refusal(String word) {
        for (var each : Refusal.values()) {
            if (each.id().equals(word)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** A seed without a scheme that https does not answer for is tried by http. */
    private Optional<CrawlUrl> guessedHttp(PageLogEntry entry) {
        return entry.cause().equals(Refusal.SCHEME_GUESS.id()) && entry.url().startsWith("https:")
                ? urls.parse("http" + entry.url().substring("https".length()))
                : Optional.empty();
    }

    private void addDeadLetter(FrontierBuilder builder, PageLogEntry entry) {
        var url =
                entry.kind() == Kind.FAILED ? urls.parse(entry.url()) : Optional.<CrawlUrl>empty();
        var cause = cause(entry.cause());
        if (url.isEmpty() || cause.isEmpty() || builder.contains(url.get())) {
            return;
        }
        if (isStillDead(url.get(), failedLines)) {
            var facts =
                    new AcceptedUrl(
                            repairJob.job,
                            url.get(),
                            seeds.contains(url.get()) ? Hop.SEED : Hop.LINK,
                            entry.depth(),
                            0,
                            CaptureRef.unpack(entry.parent()),
                            0,
                            entry.time().toEpochMilli());
            builder.dead(new QueuedUrl(facts, false, entry.retries(), 0, 0), cause.get());
        }
    }

    /** Whether a sign that a URL was given up counts: the first do not if it was taken back. */
    private boolean isStillDead(CrawlUrl url, Map<Fingerprint, Integer> signs) {
        var back = revivedAt.get(url.key());
        return back == null || signs.merge(url.key(), 1, Integer::sum) > back.size();
    }

    private static Optional<FailureCause> cause(String word) {
        for (var each : FailureCause.values()) {
            if (each.id().equals(word)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** Those of a host that was given up as a whole have no line in the page log. */
    private void addDeadLetter(FrontierBuilder builder, FrontierEvent event) {
        if (event instanceof FrontierEvent.DeadLetterState(var letter, var cause)
                && belongsToJob(letter.url().job())) {
            var facts = letter.url();
            rekey(facts.url())
                    .filter(url -> isStillDead(url, deadLetterCounts))
                    .ifPresent(
                            url ->
                                    builder.dead(
                                            new QueuedUrl(
                                                    withUrl(facts, url),
                                                    letter.equivalentRedirect(),
                                                    letter.attempts(),
                                                    letter.expiredLeases(),
                                                    letter.notBefore()),
                                            cause));
        }
    }

    private AcceptedUrl withUrl(AcceptedUrl facts, CrawlUrl url) {
        return new AcceptedUrl(
                repairJob.job,
                url,
                facts.hop(),
                facts.depth(),
                facts.hops(),
                facts.parent(),
                facts.band(),
                facts.foundAt());
    }

    private void queueSeeds(FrontierBuilder builder) {
        var given = new HashSet<CrawlUrl>();
        for (Seed seed : config.seeds()) {
            given.add(seed.url());
            offerSeed(builder, Candidate.seed(seed.url(), seed.schemeGuessed()));
        }
        for (var seed : seeds) {
            if (!given.contains(seed)) {
                offerSeed(builder, Candidate.seed(seed, false));
            }
        }
    }

    /** Accepting a seed makes it one; one that is settled must be told. */
    private void offerSeed(FrontierBuilder builder, Candidate seed) {
        if (builder.contains(seed.url())) {
            builder.addSeed(seed.url());
        } else {
            builder.enqueue(seed, CaptureRef.NONE, now);
        }
    }

    private void queue(FrontierBuilder builder, FrontierEvent event) {
        switch (event) {
            case FrontierEvent.Accepted(var it) -> queue(builder, it);
            case FrontierEvent.QueuedUrlState(var it) -> queue(builder, it.url());
            case FrontierEvent.LeaseState it -> queue(builder, it.url().url());
            case FrontierEvent.Requeued it -> queue(builder, it.url().url());
            default -> {}
        }
    }

    private void queue(FrontierBuilder builder, AcceptedUrl it) {
        if (!belongsToJob(it.job())) {
            return;
        }
        rekey(it.url())
                .ifPresent(
                        url ->
                                builder.enqueue(
                                        new Candidate(url, it.hop(), it.depth(), it.hops()),
                                        it.parent(),
                                        Instant.ofEpochMilli(it.foundAt())));
    }

    private void queueLinks(FrontierBuilder builder, StoredLinks links, PageLogEntry entry) {
        var url = urls.parse(entry.url());
        if (url.isEmpty()) {
            return;
        }
        try {
            if (entry.kind() == Kind.REDIRECT) {
                queueTarget(builder, links, entry, url.get());
                return;
            }
            var storedOutlinks = links.outlinks(entry, url.get(), now);
            builder.addRefused(storedOutlinks.refused());
            storedOutlinks
                    .candidates()
                    .forEach(
                            candidate ->
                                    builder.enqueue(
                                            candidate,
                                            CaptureRef.ofLine(entry.seq()),
                                            entry.time()));
        } catch (IOException e) {
            unreadableCaptures++;
            LOG.warn("repair: the links of {} cannot be read: {}", entry.url(), e.getMessage());
        }
    }

    private void queueTarget(
            FrontierBuilder builder, StoredLinks links, PageLogEntry entry, CrawlUrl from) {
        var target = urls.resolve(from, entry.location());
        if (target.isEmpty()) {
            return;
        }
        var seed = seeds.contains(from);
        if (target.get().key().equals(from.key())) {
            // The other spelling takes the place of the first, whatever the scope says.
            var hop = seed ? Hop.SEED : Hop.REDIRECT;
            builder.enqueue(
                    new Candidate(target.get(), hop, entry.depth(), 1),
                    CaptureRef.unpack(entry.parent()),
                    entry.time());
            return;
        }
        links.redirect(entry, target.get(), seed ? Hop.SEED : Hop.REDIRECT, now)
                .forEach(
                        candidate ->
                                builder.enqueue(
                                        candidate, CaptureRef.ofLine(entry.seq()), entry.time()));
    }
}
