package dev.orbweaver;

import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Seed;
import dev.orbweaver.crawl.StoredLinks;
import dev.orbweaver.disk.Disk;
import dev.orbweaver.frontier.Candidate;
import dev.orbweaver.frontier.FrontierDamagedException;
import dev.orbweaver.frontier.FrontierEvent;
import dev.orbweaver.frontier.disk.DiskFrontier;
import dev.orbweaver.frontier.disk.DiskSettings;
import dev.orbweaver.frontier.disk.FrontierBuilder;
import dev.orbweaver.frontier.disk.KeyFile;
import dev.orbweaver.frontier.disk.MarksFile;
import dev.orbweaver.frontier.disk.Salvage;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.parse.Parser;
import dev.orbweaver.scope.RuleScope;
import dev.orbweaver.sink.OutputScan;
import dev.orbweaver.sink.PageEntry;
import dev.orbweaver.url.CrawlUrls;
import dev.orbweaver.url.FingerprintKey;
import dev.orbweaver.url.Normalisation;

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
public final class Repair {

    private static final Logger LOG = LoggerFactory.getLogger(Repair.class);
    private static final String UNDER_WAY = "frontier.repairing";
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final int PROGRESS_EVERY = 1000;

    /**
     * What came of it.
     *
     * @param problems what was wrong, as sentences; none when nothing was done
     * @param aside where the old frontier is now
     * @param lines of the page log
     * @param unreadableLines of the page log that could not be read
     * @param done URLs that are settled
     * @param dead URLs that are given up
     * @param fromFrontier URLs queued because the old frontier names them
     * @param fromPages URLs queued because a stored capture leads to them
     * @param unreadableCaptures whose links could not be read
     * @param lostBytes of the old frontier that could not be read, by file
     */
    public record Report(
            List<String> problems,
            Path aside,
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
                    aside,
                    lines + other.lines,
                    unreadableLines + other.unreadableLines,
                    done + other.done,
                    dead + other.dead,
                    fromFrontier + other.fromFrontier,
                    fromPages + other.fromPages,
                    unreadableCaptures + other.unreadableCaptures,
                    lost);
        }

        private static Report nothing(Path directory) {
            return new Report(List.of(), directory, 0, 0, 0, 0, 0, 0, 0, Map.of());
        }
    }

    /**
     * A job whose URLs are in the frontier: the only one of a crawl, or one of a service.
     *
     * @param prefix goes before the names of its output files in the frontier
     * @param directory where its outputs are
     * @param parsers as the crawl has them
     */
    record Part(int job, String prefix, Path directory, CrawlConfig config, List<Parser> parsers) {

        /** Those of its own output files, by the names that they have in its directory. */
        private List<FileMark> own(List<FileMark> marks) {
            return marks.stream()
                    .filter(mark -> mark.name().startsWith(prefix))
                    .map(
                            mark ->
                                    new FileMark(
                                            mark.name().substring(prefix.length()),
                                            mark.length(),
                                            mark.checksum()))
                    .toList();
        }
    }

    private final Disk disk;
    private final Part part;
    private final Path directory;
    private final CrawlConfig config;
    private final CrawlUrls urls;
    private final Consumer<String> progress;
    private final Instant now;

    /** When dead letters were taken back: as many of a URL's letters and lines are void. */
    private final Map<Fingerprint, Set<Long>> takenBack = new HashMap<>();

    private final Map<Fingerprint, Integer> failedLines = new HashMap<>();
    private final Map<Fingerprint, Integer> letters = new HashMap<>();
    private final Set<CrawlUrl> seeds = new LinkedHashSet<>();
    private final Map<String, FileMark> knownMarks = new LinkedHashMap<>();
    private long unreadableCaptures;

    private Repair(Disk disk, Part part, Consumer<String> progress, Instant now) {
        this.disk = disk;
        this.part = part;
        this.directory = part.directory;
        this.config = part.config;
        this.urls = config.urls();
        this.progress = progress;
        this.now = now;
    }

    /**
     * Repairs the frontier in a directory that is locked; does nothing when it is not damaged.
     *
     * @param directory holds the frontier
     */
    static Report run(
            Disk disk,
            Path directory,
            DiskSettings settings,
            List<Part> parts,
            Consumer<String> progress)
            throws IOException {
        var now = Instant.now();
        progress.accept("checking the frontier");
        var frontier = directory.resolve(FrontierPlace.FRONTIER);
        var politeness = parts.getFirst().config.politeness();
        var problems =
                !Files.isDirectory(frontier) || disk.list(frontier).isEmpty()
                        ? List.of(frontier + " is missing")
                        : new ArrayList<>(
                                Salvage.problems(disk, frontier, politeness, settings, now));
        if (problems.isEmpty()) {
            var marks = DiskFrontier.marks(disk, frontier, politeness, settings);
            for (var part : parts) {
                problems.addAll(OutputScan.shortFiles(disk, part.directory, part.own(marks)));
            }
        }
        if (problems.isEmpty()) {
            return Report.nothing(directory);
        }
        problems.forEach(problem -> LOG.warn("repair: {}", problem));
        var aside = directory.resolve(FrontierPlace.FRONTIER + ".damaged-" + STAMP.format(now));
        var report = new Report(problems, aside, 0, 0, 0, 0, 0, 0, 0, Map.of());
        var fresh = directory.resolve(UNDER_WAY);
        emptied(disk, fresh);
        try (var builder = FrontierBuilder.begin(disk, fresh, politeness, settings)) {
            builder.hosts(hosts(disk, frontier));
            for (var part : parts) {
                report =
                        report.plus(new Repair(disk, part, progress, now).build(builder, frontier));
            }
        }
        if (disk.exists(frontier)) {
            disk.moveAtomically(frontier, aside);
        }
        disk.moveAtomically(fresh, frontier);
        disk.syncFolder(directory);
        return report;
    }

    /** The key of the frontier in a directory; another one when that is missing or damaged. */
    static FingerprintKey key(Disk disk, Path directory) throws IOException {
        var frontier = directory.resolve(FrontierPlace.FRONTIER);
        try {
            return disk.exists(frontier)
                    ? KeyFile.read(disk, frontier).orElseGet(FingerprintKey::random)
                    : FingerprintKey.random();
        } catch (FrontierDamagedException e) {
            return FingerprintKey.random();
        }
    }

    /** How hosts are to be treated, as far as it is known. */
    private static Collection<FrontierEvent> hosts(Disk disk, Path frontier) throws IOException {
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
                                } else if (event instanceof FrontierEvent.SlowedDown it) {
                                    hosts.put("delay " + it.host(), it);
                                }
                            });
        }
        return hosts.values();
    }

    /** What a run that was stopped left behind. */
    private static void emptied(Disk disk, Path fresh) throws IOException {
        disk.createFolder(fresh);
        for (var file : disk.list(fresh)) {
            disk.delete(file);
        }
    }

    /**
     * Repairs the marks of a worker's part of a fleet's job in a directory that is locked. Its
     * frontier is in Redis.
     */
    static Report marks(Disk disk, Path directory) throws IOException {
        try {
            var _ = MarksFile.read(disk, directory);
            return Report.nothing(directory);
        } catch (FrontierDamagedException e) {
            var aside =
                    directory.resolve(MarksFile.FILE + ".damaged-" + STAMP.format(Instant.now()));
            var known = MarksFile.salvage(disk, directory);
            var scan = OutputScan.read(directory, _ -> {});
            var problems = List.of(e.problem());
            disk.moveAtomically(directory.resolve(MarksFile.FILE), aside);
            MarksFile.write(disk, directory, scan.marks(disk, known));
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

    private boolean isMine(int job) {
        return job == part.job || part.prefix.isEmpty();
    }

    /** The first reading: what must be known before URLs can be judged. */
    private void note(FrontierEvent event) {
        switch (event) {
            case FrontierEvent.Seed(var job, var url) when isMine(job) ->
                    url(url).ifPresent(seeds::add);
            case FrontierEvent.Accepted it when it.hop().seed() && isMine(it.job()) ->
                    url(it.url()).ifPresent(seeds::add);
            case FrontierEvent.Marked(var mark) when mark.name().startsWith(part.prefix) -> {
                var name = mark.name().substring(part.prefix.length());
                knownMarks.put(name, new FileMark(name, mark.length(), mark.checksum()));
            }
            case FrontierEvent.Revived(var letter, _, var at) when isMine(letter.url().job()) ->
                    // Journal and dead log may both have it.
                    url(letter.url().url())
                            .ifPresent(
                                    url ->
                                            takenBack
                                                    .computeIfAbsent(
                                                            url.key(), _ -> new HashSet<>())
                                                    .add(at));
            default -> {}
        }
    }

    /** A URL under the key that it has now: that of a damaged frontier need not be the same. */
    private Optional<CrawlUrl> url(CrawlUrl old) {
        return urls.parse(old.text());
    }

    private Report build(FrontierBuilder builder, Path frontier) throws IOException {
        config.seeds().forEach(seed -> seeds.add(seed.url()));
        progress.accept("reading what is left of the frontier");
        var lost = salvage(frontier, this::note);
        builder.job(part.job);
        progress.accept("reading the page log");
        var scan = OutputScan.read(directory, entry -> settle(builder, entry));
        // Given up only now: a URL may have failed, been taken back, and then been fetched.
        var _ = OutputScan.read(directory, entry -> giveUp(builder, entry));
        var _ = salvage(frontier, event -> giveUp(builder, event));
        builder.settledAll();
        for (var mark : scan.marks(disk, knownMarks)) {
            builder.mark(new FileMark(part.prefix + mark.name(), mark.length(), mark.checksum()));
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
                        part.parsers,
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

    private void settle(FrontierBuilder builder, PageEntry entry) {
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

    private static void finish(FrontierBuilder builder, CrawlUrl url, PageEntry entry) {
        builder.done(url, entry.kind() == Kind.PAGE, entry.bytes());
    }

    private static Optional<Refusal> refusal(String word) {
        for (var each : Refusal.values()) {
            if (each.word().equals(word)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** A seed without a scheme that https does not answer for is tried by http. */
    private Optional<CrawlUrl> guessedHttp(PageEntry entry) {
        return entry.cause().equals(Refusal.SCHEME_GUESS.word()) && entry.url().startsWith("https:")
                ? urls.parse("http" + entry.url().substring("https".length()))
                : Optional.empty();
    }

    private void giveUp(FrontierBuilder builder, PageEntry entry) {
        var url =
                entry.kind() == Kind.FAILED ? urls.parse(entry.url()) : Optional.<CrawlUrl>empty();
        var cause = cause(entry.cause());
        if (url.isEmpty() || cause.isEmpty() || builder.knows(url.get())) {
            return;
        }
        if (counts(url.get(), failedLines)) {
            var facts =
                    new FrontierEvent.Accepted(
                            part.job,
                            url.get(),
                            seeds.contains(url.get()) ? Hop.SEED : Hop.LINK,
                            entry.depth(),
                            0,
                            entry.parent(),
                            0,
                            entry.time().toEpochMilli());
            builder.dead(
                    new FrontierEvent.Restored(facts, false, entry.retries(), 0, 0), cause.get());
        }
    }

    /**
     * Whether a sign that a URL was given up counts: the first ones do not if it was taken back.
     */
    private boolean counts(CrawlUrl url, Map<Fingerprint, Integer> signs) {
        var back = takenBack.get(url.key());
        return back == null || signs.merge(url.key(), 1, Integer::sum) > back.size();
    }

    private static Optional<FailureCause> cause(String word) {
        for (var each : FailureCause.values()) {
            if (each.word().equals(word)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** Those of a host that was given up as a whole have no line in the page log. */
    private void giveUp(FrontierBuilder builder, FrontierEvent event) {
        if (event instanceof FrontierEvent.Buried(var letter, var cause)
                && isMine(letter.url().job())) {
            var facts = letter.url();
            url(facts.url())
                    .filter(url -> counts(url, letters))
                    .ifPresent(
                            url ->
                                    builder.dead(
                                            new FrontierEvent.Restored(
                                                    with(facts, url),
                                                    letter.respelled(),
                                                    letter.attempts(),
                                                    letter.lost(),
                                                    letter.notBefore()),
                                            cause));
        }
    }

    private FrontierEvent.Accepted with(FrontierEvent.Accepted facts, CrawlUrl url) {
        return new FrontierEvent.Accepted(
                part.job,
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
        if (builder.knows(seed.url())) {
            builder.seed(seed.url());
        } else {
            builder.queue(seed, 0, now);
        }
    }

    private void queue(FrontierBuilder builder, FrontierEvent event) {
        switch (event) {
            case FrontierEvent.Accepted it -> queue(builder, it);
            case FrontierEvent.Restored it -> queue(builder, it.url());
            case FrontierEvent.Held it -> queue(builder, it.url().url());
            case FrontierEvent.Revived it -> queue(builder, it.url().url());
            default -> {}
        }
    }

    private void queue(FrontierBuilder builder, FrontierEvent.Accepted it) {
        if (!isMine(it.job())) {
            return;
        }
        url(it.url())
                .ifPresent(
                        url ->
                                builder.queue(
                                        new Candidate(url, it.hop(), it.depth(), it.hops()),
                                        it.parent(),
                                        Instant.ofEpochMilli(it.foundAt())));
    }

    private void queueLinks(FrontierBuilder builder, StoredLinks links, PageEntry entry) {
        var url = urls.parse(entry.url());
        if (url.isEmpty()) {
            return;
        }
        try {
            if (entry.kind() == Kind.REDIRECT) {
                queueTarget(builder, links, entry, url.get());
                return;
            }
            var found = links.of(entry, url.get(), now);
            builder.refused(found.refused());
            found.candidates()
                    .forEach(candidate -> builder.queue(candidate, entry.seq(), entry.time()));
        } catch (IOException e) {
            unreadableCaptures++;
            LOG.warn("repair: the links of {} cannot be read: {}", entry.url(), e.getMessage());
        }
    }

    private void queueTarget(
            FrontierBuilder builder, StoredLinks links, PageEntry entry, CrawlUrl from) {
        var target = urls.resolve(from, entry.location());
        if (target.isEmpty()) {
            return;
        }
        var seed = seeds.contains(from);
        if (target.get().key().equals(from.key())) {
            // The other spelling takes the place of the first, whatever the scope says.
            var hop = seed ? Hop.SEED : Hop.REDIRECT;
            builder.queue(
                    new Candidate(target.get(), hop, entry.depth(), 1),
                    entry.parent(),
                    entry.time());
            return;
        }
        links.redirect(entry, target.get(), seed ? Hop.SEED : Hop.REDIRECT, now)
                .forEach(candidate -> builder.queue(candidate, entry.seq(), entry.time()));
    }
}
