package dev.orbweaver.internal.repair;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Seed;
import dev.orbweaver.internal.crawl.StoredLinks;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.frontier.AcceptedUrl;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.FingerprintSet;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.frontier.disk.FrontierBuilder;
import dev.orbweaver.internal.frontier.disk.Salvage;
import dev.orbweaver.internal.scope.RuleScope;
import dev.orbweaver.internal.sink.OutputScan;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.CrawlUrls;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Adds one job to a frontier that is being rebuilt. URLs in its page log are settled; URLs from the
 * readable parts of its old frontier and from its stored pages are queued.
 */
final class JobRepair {

    private static final Logger LOG = LoggerFactory.getLogger(FrontierRepair.class);
    private static final int PROGRESS_EVERY = 1000;

    private final Disk disk;
    private final RepairJob repairJob;
    private final FrontierBuilder builder;
    private final Path directory;
    private final CrawlConfig config;
    private final CrawlUrls urls;
    private final Consumer<String> progress;
    private final Instant now;

    /**
     * When each URL's dead letters were requeued: as many of its dead letters and log lines are
     * invalid.
     */
    private final Map<Fingerprint, Set<Long>> revivedAt = new HashMap<>();

    private final Map<Fingerprint, Integer> failedLines = new HashMap<>();
    private final Map<Fingerprint, Integer> deadLetterCounts = new HashMap<>();

    /** The keys of all seeds, which may be millions: their URLs are read again when needed. */
    private final FingerprintSet seeds = new FingerprintSet();

    private final FingerprintSet offeredSeeds = new FingerprintSet();
    private final RuleScope scope;
    private final Map<String, CommittedLength> knownLengths = new LinkedHashMap<>();
    private long unreadableCaptures;

    JobRepair(
            Disk disk,
            RepairJob repairJob,
            FrontierBuilder builder,
            Consumer<String> progress,
            Instant now) {
        this.disk = disk;
        this.repairJob = repairJob;
        this.builder = builder;
        this.directory = repairJob.directory();
        this.config = repairJob.config();
        this.urls = config.urls();
        this.scope = new RuleScope(config.scope(), List.of());
        this.progress = progress;
        this.now = now;
    }

    /**
     * Passes the events of this job; a single crawl has only one job, so all events are its own.
     */
    private Map<String, Long> salvage(Path frontier, Consumer<FrontierEvent> out)
            throws IOException {
        return new TreeMap<>(
                Files.isDirectory(frontier)
                        ? Salvage.read(disk, frontier, urls, out)
                        : Map.<String, Long>of());
    }

    private boolean belongsToJob(int job) {
        return job == repairJob.job() || repairJob.prefix().isEmpty();
    }

    /** Handles an event of the first pass, which collects what is needed to evaluate URLs. */
    private void collect(FrontierEvent event) {
        switch (event) {
            case FrontierEvent.Seed(var job, var url) when belongsToJob(job) ->
                    rekey(url).ifPresent(this::addSeed);
            case FrontierEvent.Accepted(var it) when it.hop().isSeed() && belongsToJob(it.job()) ->
                    rekey(it.url()).ifPresent(this::addSeed);
            case FrontierEvent.AcceptedForLater(var it, _)
                    when it.hop().isSeed() && belongsToJob(it.job()) ->
                    rekey(it.url()).ifPresent(this::addSeed);
            case FrontierEvent.LengthCommitted(var mark)
                    when mark.name().startsWith(repairJob.prefix()) -> {
                var name = mark.name().substring(repairJob.prefix().length());
                knownLengths.put(name, mark.withName(name));
            }
            case FrontierEvent.Requeued(var letter, _, var at)
                    when belongsToJob(letter.url().job()) ->
                    // Journal and dead letter log may both contain it.
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

    /** Returns a URL with its current key: the key of a damaged frontier may have been lost. */
    private Optional<CrawlUrl> rekey(CrawlUrl old) {
        return urls.parse(old.text());
    }

    /** Adds the job to the frontier that is being built. */
    RepairReport run(Path frontier) throws IOException {
        config.seeds().forEach(seed -> addSeed(seed.url()));
        progress.accept("reading the intact parts of the old frontier");
        var lost = salvage(frontier, this::collect);
        builder.startJob(repairJob.job(), config.intake());
        progress.accept("reading the page log");
        var scan = OutputScan.read(directory, this::settle);
        // Dead letters are added last: a URL may have failed, been requeued, and then been fetched.
        var _ = OutputScan.read(directory, this::addDeadLetter);
        var _ = salvage(frontier, this::addDeadLetter);
        builder.finishSettled();
        for (var mark : scan.committedLengths(disk, knownLengths)) {
            builder.addCommittedLength(mark.withName(repairJob.prefix() + mark.name()));
        }
        queueSeeds(frontier);
        progress.accept("queueing URLs of the old frontier");
        var before = builder.queued();
        var _ = salvage(frontier, this::queue);
        var fromFrontier = builder.queued() - before;
        var links = new StoredLinks(config.crawl(), urls, scope, repairJob.parsers(), directory);
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
                            queueLinks(links, entry);
                        });
        builder.finishJob();
        return new RepairReport(
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

    private void settle(PageLogEntry entry) {
        var url = urls.parse(entry.url());
        if (url.isEmpty()) {
            return;
        }
        switch (entry.kind()) {
            case PAGE, SITEMAP, ERROR -> finish(url.get(), entry);
            case REDIRECT -> {
                var target = urls.resolve(url.get(), entry.location());
                if (target.filter(it -> it.key().equals(url.get().key())).isEmpty()) {
                    finish(url.get(), entry);
                }
            }
            case WITHDRAWN -> {
                if (entry.visit().isFirst()) { // Otherwise its last result stays.
                    refusal(entry.cause()).ifPresent(why -> builder.withdrawn(url.get(), why));
                }
            }
            case FAILED, RETRIED, ROBOTS -> {}
        }
        seedOf(entry, url.get()).ifPresent(this::addSeed);
    }

    /** Returns the seed that a visit of a seed led to: the target of a redirect, or http. */
    private Optional<CrawlUrl> seedOf(PageLogEntry entry, CrawlUrl from) {
        return switch (entry.kind()) {
            case REDIRECT ->
                    seeds.contains(from.key())
                            ? urls.resolve(from, entry.location())
                            : Optional.empty();
            case WITHDRAWN -> guessedHttp(entry);
            case PAGE, SITEMAP, ERROR, FAILED, RETRIED, ROBOTS -> Optional.empty();
        };
    }

    private void addSeed(CrawlUrl seed) {
        seeds.add(seed.key());
        var _ = scope.withSeed(seed);
    }

    private void finish(CrawlUrl url, PageLogEntry entry) {
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

    /** Returns the http URL of a seed without a scheme whose https request failed. */
    private Optional<CrawlUrl> guessedHttp(PageLogEntry entry) {
        return entry.cause().equals(Refusal.SCHEME_GUESS.id()) && entry.url().startsWith("https:")
                ? urls.parse("http" + entry.url().substring("https".length()))
                : Optional.empty();
    }

    private void addDeadLetter(PageLogEntry entry) {
        var url =
                entry.kind() == Kind.FAILED ? urls.parse(entry.url()) : Optional.<CrawlUrl>empty();
        var cause = cause(entry.cause());
        if (url.isEmpty() || cause.isEmpty() || builder.contains(url.get())) {
            return;
        }
        if (isStillDead(url.get(), failedLines)) {
            var facts =
                    new AcceptedUrl(
                            repairJob.job(),
                            url.get(),
                            seeds.contains(url.get().key()) ? Hop.SEED : Hop.LINK,
                            entry.depth(),
                            0,
                            entry.parentRef(),
                            0,
                            entry.time().toEpochMilli());
            builder.dead(new QueuedUrl(facts, false, entry.retries(), 0, 0), cause.get());
        }
    }

    /**
     * Returns whether a record that a URL became a dead letter counts: if it was requeued n times,
     * the first n do not.
     */
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

    /**
     * Adds a dead letter. If all URLs of a host became dead letters at once, the page log has no
     * lines for them.
     */
    private void addDeadLetter(FrontierEvent event) {
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
        return facts.with(repairJob.job(), url);
    }

    private void queueSeeds(Path frontier) throws IOException {
        for (Seed seed : config.seeds()) {
            offerSeed(Candidate.seed(seed.url(), seed.schemeGuessed()));
        }
        var _ = salvage(frontier, this::queueSeed);
        var _ =
                OutputScan.read(
                        directory,
                        entry ->
                                urls.parse(entry.url())
                                        .flatMap(from -> seedOf(entry, from))
                                        .ifPresent(this::queueSeed));
    }

    private void queueSeed(FrontierEvent event) {
        switch (event) {
            case FrontierEvent.Seed(var job, var url) when belongsToJob(job) ->
                    rekey(url).ifPresent(this::queueSeed);
            case FrontierEvent.Accepted(var it) when it.hop().isSeed() && belongsToJob(it.job()) ->
                    rekey(it.url()).ifPresent(this::queueSeed);
            case FrontierEvent.AcceptedForLater(var it, _)
                    when it.hop().isSeed() && belongsToJob(it.job()) ->
                    rekey(it.url()).ifPresent(this::queueSeed);
            default -> {}
        }
    }

    private void queueSeed(CrawlUrl seed) {
        offerSeed(Candidate.seed(seed, false));
    }

    /**
     * Offers a seed. Accepting it makes it a seed; one that is settled must be added as a seed
     * explicitly.
     */
    private void offerSeed(Candidate seed) {
        if (!offeredSeeds.addIfNew(seed.url().key())) {
            return;
        }
        if (builder.contains(seed.url())) {
            builder.addSeed(seed.url());
        } else {
            builder.enqueue(seed, CaptureRef.NONE, now);
        }
    }

    private void queue(FrontierEvent event) {
        switch (event) {
            case FrontierEvent.Accepted(var it) -> queue(it);
            case FrontierEvent.AcceptedForLater(var it, _) -> queue(it);
            case FrontierEvent.QueuedUrlState(var it) -> queue(it.url());
            case FrontierEvent.LeaseState it -> queue(it.url().url());
            case FrontierEvent.Requeued it -> queue(it.url().url());
            default -> {}
        }
    }

    private void queue(AcceptedUrl it) {
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

    private void queueLinks(StoredLinks links, PageLogEntry entry) {
        var url = urls.parse(entry.url());
        if (url.isEmpty()) {
            return;
        }
        try {
            if (entry.kind() == Kind.REDIRECT) {
                queueTarget(links, entry, url.get());
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
            LOG.warn("repair: could not read the links of {}: {}", entry.url(), e.getMessage());
        }
    }

    private void queueTarget(StoredLinks links, PageLogEntry entry, CrawlUrl from) {
        var target = urls.resolve(from, entry.location());
        if (target.isEmpty()) {
            return;
        }
        var seed = seeds.contains(from.key());
        if (target.get().key().equals(from.key())) {
            // The other spelling replaces the first, regardless of the scope.
            var hop = seed ? Hop.SEED : Hop.REDIRECT;
            builder.enqueue(
                    new Candidate(target.get(), hop, entry.depth(), 1),
                    entry.parentRef(),
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
