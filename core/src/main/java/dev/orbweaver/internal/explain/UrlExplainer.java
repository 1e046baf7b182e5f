package dev.orbweaver.internal.explain;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.crawl.CrawlSettings;
import dev.orbweaver.internal.crawl.PageExtractor;
import dev.orbweaver.internal.crawl.PageParser;
import dev.orbweaver.internal.crawl.RobotsEntry;
import dev.orbweaver.internal.crawl.RobotsLog;
import dev.orbweaver.internal.crawl.RobotsPolicy;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.explain.UrlExplanation.State;
import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.frontier.HostPoliteness;
import dev.orbweaver.internal.frontier.IntakeLimits;
import dev.orbweaver.internal.frontier.UrlLookup;
import dev.orbweaver.internal.frontier.UrlState;
import dev.orbweaver.internal.parse.FeedParser;
import dev.orbweaver.internal.parse.HtmlParser;
import dev.orbweaver.internal.parse.ParsePool;
import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.sink.TombstoneFile;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.spi.Scope;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Explains the state of a URL from the files of a crawl, running or not. It evaluates the crawl's
 * rules again and finds parents by parsing stored pages, so a crawl records little extra data for
 * it.
 *
 * <p>The frontier has the current state of the URL, the page log its history. If neither contains
 * it, stored pages are parsed until one links to it; the first rule that rejects it is then the
 * reason. If no page links to it, it was never found. A {@link PageLogIndex} finds these lines and
 * pages without reading the others.
 */
public final class UrlExplainer {

    private static final int ATTEMPTS_MAX = 100;
    private static final String TAKEN_DOWN = "a page that was taken down";

    private final CrawlSettings settings;
    private final Normalisation normalisation;
    private final CrawlUrls urls;
    private final Scope scope;
    private final HostPoliteness politeness;
    private final UrlLookup urlState;
    private final Disk disk;
    private final List<LogSource> logSources;
    private final List<LogSearch> logs;
    private final HostSet excluded;
    private final IntakeLimits limits;
    private final CrawlUrl url;
    private final LongFunction<Optional<UrlExplanation.NextVisit>> nextVisits;

    /**
     * A directory written by the crawl or by a worker of a fleet.
     *
     * @param worker its number in the fleet, or 0
     * @param bytes the committed length of its page log
     * @param index of its page log; without one the whole log is read
     */
    public record LogSource(Path directory, int worker, long bytes, Optional<PageLogIndex> index) {

        public LogSource with(Optional<PageLogIndex> other) {
            return new LogSource(directory, worker, bytes, other);
        }

        public static LogSource of(Path directory, int worker, List<CommittedLength> marks) {
            return new LogSource(
                    directory,
                    worker,
                    marks.stream()
                            .filter(mark -> mark.name().equals(DirectoryLayout.PAGE_LOG))
                            .mapToLong(CommittedLength::length)
                            .findFirst()
                            .orElse(0),
                    Optional.empty());
        }
    }

    private record SourceLine(LogSource logSource, PageLogEntry entry) {}

    /**
     * Creates an explainer for one URL.
     *
     * @param scope the scope with all seeds of the crawl
     * @param politeness of the crawl on the URL's host
     * @param urlState the frontier's state of the URL
     * @param logSources the directories of all workers, as far as they are readable here
     * @param excluded hosts that the operator excludes
     * @param limits of the crawl
     * @param nextVisits returns the next visit of a page by the line of its first visit
     */
    public UrlExplainer(
            CrawlSettings settings,
            CrawlUrls urls,
            Scope scope,
            HostPoliteness politeness,
            UrlLookup urlState,
            Disk disk,
            List<LogSource> logSources,
            HostSet excluded,
            IntakeLimits limits,
            CrawlUrl url,
            LongFunction<Optional<UrlExplanation.NextVisit>> nextVisits) {
        this.settings = settings;
        this.normalisation = urls.normalisation();
        this.urls = urls;
        this.scope = scope;
        this.politeness = politeness;
        this.urlState = urlState;
        this.disk = disk;
        this.logSources = List.copyOf(logSources);
        this.logs = logSources.stream().map(LogSearch::new).toList();
        this.excluded = excluded;
        this.limits = limits;
        this.url = url;
        this.nextVisits = nextVisits;
    }

    private record StateReason(State state, String reason) {}

    /**
     * Explains the URL.
     *
     * @param requestedUrl the URL as the user wrote it
     */
    public UrlExplanation explain(String requestedUrl, Instant now) throws IOException {
        var attempts = attempts();
        var unknown = urlState.discovery().isEmpty() && attempts.isEmpty();
        var inlink = unknown ? firstInlink() : Optional.<InlinkFinder.Inlink>empty();
        var parentSeq =
                attempts.isEmpty()
                        ? urlState.discovery()
                                .map(UrlLookup.Discovery::parent)
                                .orElse(CaptureRef.NONE)
                        : parentOf(attempts.getFirst()); // A queued URL may have its last visit.
        var parent =
                inlink.isEmpty() && !parentSeq.isNone()
                        ? parent(parentSeq)
                        : inlink.map(InlinkFinder.Inlink::parent);
        var depth =
                urlState.discovery()
                        .map(UrlLookup.Discovery::depth)
                        .or(() -> inlink.map(InlinkFinder.Inlink::depth))
                        .orElseGet(
                                () -> attempts.isEmpty() ? -1 : attempts.getFirst().entry.depth());
        var hop = hop(inlink, parent);
        var verdict = scope.evaluate(url, hop, Math.max(0, depth));
        var robots = robots(now);
        var takenDown = isTakenDown();
        var stateReason =
                takenDown
                        ? new StateReason(State.WITHDRAWN, "taken down")
                        : explainState(attempts, inlink, verdict, robots);
        var shown = takenDown ? List.<SourceLine>of() : attempts;
        return new UrlExplanation(
                url.text(),
                urls.normalForm(url),
                NormalFormSteps.explain(requestedUrl, url, normalisation),
                stateReason.state,
                stateReason.reason,
                visibleParent(parent, parentSeq),
                depth,
                verdict.rule(),
                verdict.isAccepted(),
                robots,
                queue(robots),
                urlState.state() instanceof UrlState.Queued ? politeness.foreign() : List.of(),
                shown.stream().map(sourceLine -> attempt(sourceLine.entry)).toList(),
                shown.isEmpty()
                        ? Optional.empty()
                        : nextVisits.apply(shown.getLast().entry.firstLine()));
    }

    private boolean isTakenDown() throws IOException {
        for (var logSource : logSources) {
            if (TombstoneFile.read(logSource.directory, urls).covers(url)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the parent of a log line; a reference without a worker is a line of the same log. */
    private static CaptureRef parentOf(SourceLine sourceLine) {
        var parent = sourceLine.entry.parentRef();
        return parent.worker() == 0
                ? new CaptureRef(sourceLine.logSource.worker, parent.line())
                : parent;
    }

    /** Hides the parent if that page was taken down, whether or not it is still stored. */
    private Optional<UrlExplanation.Parent> visibleParent(
            Optional<UrlExplanation.Parent> parent, CaptureRef ref) throws IOException {
        if (parent.isEmpty()) {
            var elsewhere =
                    logSources.stream().noneMatch(logSource -> logSource.worker == ref.worker());
            return ref.isNone()
                    ? Optional.empty()
                    : Optional.of(
                            new UrlExplanation.Parent(
                                    elsewhere ? "a page of worker " + ref.worker() : TAKEN_DOWN,
                                    ref.line(),
                                    "found",
                                    ""));
        }
        for (var logSource : logSources) {
            var tombstones = TombstoneFile.read(logSource.directory, urls);
            if (parent.flatMap(it -> urls.parse(it.url())).filter(tombstones::covers).isPresent()) {
                return parent.map(
                        it -> new UrlExplanation.Parent(TAKEN_DOWN, it.seq(), it.linkType(), ""));
            }
        }
        return parent;
    }

    /**
     * Returns the recorded attempts; of more than {@link #ATTEMPTS_MAX} the first and the last
     * ones.
     */
    private List<SourceLine> attempts() throws IOException {
        var attempts = new ArrayList<SourceLine>();
        for (var log : logs) {
            for (var entry : log.attempts(url, this::isSameUrl, ATTEMPTS_MAX)) {
                attempts.add(new SourceLine(log.source(), entry));
            }
        }
        attempts.sort(Comparator.comparing(sourceLine -> sourceLine.entry.time()));
        if (attempts.size() > ATTEMPTS_MAX) {
            attempts.subList(1, attempts.size() - ATTEMPTS_MAX + 1).clear();
        }
        return attempts;
    }

    private boolean isSameUrl(PageLogEntry entry) {
        return urls.parse(entry.url()).filter(it -> it.key().equals(url.key())).isPresent();
    }

    private Optional<UrlExplanation.Parent> parent(CaptureRef ref) throws IOException {
        for (var log : logs) {
            var line =
                    log.source().worker() == ref.worker()
                            ? log.line(ref.line())
                            : Optional.<PageLogEntry>empty();
            if (line.isPresent()) {
                return Optional.of(
                        inlinkFinder(log.source())
                                .findIn(line.get())
                                .map(InlinkFinder.Inlink::parent)
                                .orElseGet(() -> InlinkFinder.parent(line.get(), "unknown", "")));
            }
        }
        return Optional.empty();
    }

    private Optional<InlinkFinder.Inlink> firstInlink() throws IOException {
        for (var log : logs) {
            var inlink = log.firstInlink(url, inlinkFinder(log.source()));
            if (inlink.isPresent()) {
                return inlink;
            }
        }
        return Optional.empty();
    }

    private InlinkFinder inlinkFinder(LogSource logSource) {
        var pageParser =
                new PageParser(
                        List.of(new HtmlParser(urls, false), new FeedParser(urls)),
                        urls,
                        new ContentReader.Limits(
                                settings.parseBytesMax(), settings.decompressionRatioMax()),
                        settings.productToken(),
                        ParsePool.shared(),
                        PageExtractor.NONE);
        return new InlinkFinder(
                urls,
                pageParser,
                logSource.directory,
                url,
                settings.directivePolicy().obeyRelNofollow());
    }

    private Hop hop(Optional<InlinkFinder.Inlink> inlink, Optional<UrlExplanation.Parent> parent) {
        return urlState.discovery()
                .map(UrlLookup.Discovery::hop)
                .or(() -> inlink.map(InlinkFinder.Inlink::hop))
                .orElseGet(() -> isSeed() ? Hop.SEED : hopFrom(parent));
    }

    private static Hop hopFrom(Optional<UrlExplanation.Parent> parent) {
        return switch (parent.map(UrlExplanation.Parent::linkType).orElse("")) {
            case "requisite" -> Hop.EMBED;
            case "redirect" -> Hop.REDIRECT;
            case "sitemap" -> Hop.SITEMAP;
            default -> Hop.LINK;
        };
    }

    private boolean isSeed() {
        return urlState.seeds().stream().anyMatch(seed -> seed.key().equals(url.key()));
    }

    private UrlExplanation.Robots robots(Instant now) throws IOException {
        var path = url.pathAndQuery();
        return switch (settings.robots()) {
            case RobotsPolicy.Ignore _ ->
                    new UrlExplanation.Robots("", "ignored", Optional.empty(), true, 0, "");
            case RobotsPolicy.Custom(var rules, var file, _) -> {
                var verdict = rules.evaluate(path);
                yield new UrlExplanation.Robots(
                        file,
                        "replaces the host's robots.txt",
                        Optional.empty(),
                        verdict.allowed(),
                        verdict.line(),
                        verdict.rule());
            }
            case RobotsPolicy.Obey _ -> {
                var entry = latestRobotsEntry();
                var file = url.origin() + "/robots.txt";
                yield entry.isEmpty()
                        ? UrlExplanation.Robots.unfetched(file)
                        : robots(file, entry.get().clampedTo(now), now);
            }
        };
    }

    private Optional<RobotsEntry> latestRobotsEntry() throws IOException {
        var entries = new ArrayList<RobotsEntry>();
        for (var logSource : logSources) {
            RobotsLog.lookUp(disk, logSource.directory, url.origin()).ifPresent(entries::add);
        }
        return entries.stream().max(Comparator.comparing(RobotsEntry::attemptedAt));
    }

    private UrlExplanation.Robots robots(String file, RobotsEntry entry, Instant now) {
        if (!entry.hasRules(now)) {
            return new UrlExplanation.Robots(
                    file,
                    entry.statusText() + "; next attempt at " + entry.nextAttempt(),
                    Optional.empty(),
                    false,
                    0,
                    "");
        }
        var text = entry.text();
        var verdict =
                RobotsRules.parse(text, text.length, settings.productToken())
                        .evaluate(url.pathAndQuery());
        return new UrlExplanation.Robots(
                file,
                entry.statusText(),
                Optional.of(entry.fetchedAt()),
                verdict.allowed(),
                verdict.line(),
                line(new String(text, UTF_8), verdict.line()));
    }

    private static String line(String text, int number) {
        return number < 1
                ? ""
                : text.lines().skip(number - 1L).findFirst().map(String::strip).orElse("");
    }

    private StateReason explainState(
            List<SourceLine> attempts,
            Optional<InlinkFinder.Inlink> inlink,
            Scope.Verdict verdict,
            UrlExplanation.Robots robots) {
        return switch (urlState.state()) {
            case UrlState.Queued(_, var ahead, _, _) ->
                    new StateReason(
                            State.QUEUED, "position " + (ahead + 1) + " in the queue of its host");
            case UrlState.Excluded _ ->
                    new StateReason(State.WITHDRAWN, "excluded: its host is on the exclusion list");
            case UrlState.Leased(var deadline, _) ->
                    new StateReason(
                            State.LEASED, "request in progress; the lease expires at " + deadline);
            case UrlState.Dead(var cause, _) ->
                    new StateReason(
                            State.DEAD,
                            withDetail(
                                    cause.id(),
                                    attempts.isEmpty() ? "" : attempts.getLast().entry.detail()));
            case UrlState.Settled _, UrlState.NeverAccepted _ ->
                    attempts.isEmpty()
                            ? inlink.map(it -> refused(it, verdict, robots))
                                    .orElseGet(this::neverFound)
                            : settled(attempts.getLast().entry);
        };
    }

    private static String withDetail(String cause, String detail) {
        return detail.isEmpty() ? cause : cause + ": " + detail;
    }

    private static StateReason settled(PageLogEntry last) {
        return switch (last.kind()) {
            case PAGE, SITEMAP, ROBOTS, ERROR ->
                    new StateReason(State.DONE, "status " + last.status());
            case REDIRECT ->
                    new StateReason(
                            State.DONE,
                            "status " + last.status() + ", redirects to " + last.location());
            case WITHDRAWN ->
                    new StateReason(State.WITHDRAWN, withDetail(last.cause(), last.detail()));
            case FAILED -> new StateReason(State.DEAD, withDetail(last.cause(), last.detail()));
            case RETRIED ->
                    new StateReason(
                            State.QUEUED, "will be retried; last attempt: " + last.detail());
        };
    }

    private StateReason neverFound() {
        return isSeed()
                ? new StateReason(State.QUEUED, "seed, not yet added to the frontier")
                : new StateReason(
                        State.NEVER_FOUND,
                        "no stored page, redirect or sitemap links to it"
                                + (logs.stream().allMatch(LogSearch::isComplete)
                                        ? ""
                                        : "; the search index is behind, so the newest pages were"
                                                + " not searched: try again later"));
    }

    /** Returns the first rule that rejects the URL, in order of evaluation. */
    private StateReason refused(
            InlinkFinder.Inlink inlink, Scope.Verdict verdict, UrlExplanation.Robots robots) {
        if (inlink.deferred()) {
            return new StateReason(
                    State.DEFERRED, "the links of its page are deferred until the queue has room");
        }
        if (inlink.nofollow()) {
            return new StateReason(
                    State.REFUSED,
                    Refusal.NOFOLLOW.id() + ": the page or the link is marked nofollow");
        }
        if (!verdict.isAccepted()) {
            return new StateReason(
                    State.REFUSED,
                    verdict.refusal().map(Refusal::id).orElse("") + ": " + verdict.rule());
        }
        if (!robots.allowed()) {
            return new StateReason(
                    State.REFUSED,
                    Refusal.ROBOTS.id() + ": line " + robots.line() + ": " + robots.text());
        }
        if (excluded.contains(url.host())) {
            return new StateReason(
                    State.REFUSED, Refusal.EXCLUDED.id() + ": its host is on the exclusion list");
        }
        var reached = reachedLimits();
        return new StateReason(
                State.REFUSED,
                reached.isEmpty()
                        ? "by a rule that does not apply now: settings or robots.txt have changed,"
                                + " or the program that ran the crawl has rules of its own"
                        : reached + ": the crawl has reached this limit");
    }

    private String reachedLimits() {
        var matching =
                limits.matching(url).stream()
                        .map(limit -> "'" + limit.name() + " " + limit.max() + "'")
                        .collect(Collectors.joining(" or "));
        return Stream.of(
                        Refusal.HOST_LIMIT,
                        Refusal.DOMAIN_LIMIT,
                        Refusal.HOSTS_LIMIT,
                        Refusal.MATCH_LIMIT,
                        Refusal.WAITING_LIMIT)
                .filter(urlState.refused()::containsKey)
                .filter(refusal -> refusal != Refusal.MATCH_LIMIT || !matching.isEmpty())
                .map(it -> it == Refusal.MATCH_LIMIT ? it.id() + " " + matching : it.id())
                .collect(Collectors.joining(" or "));
    }

    private Optional<UrlExplanation.Queue> queue(UrlExplanation.Robots robots) throws IOException {
        if (!(urlState.state()
                instanceof UrlState.Queued(var priority, var ahead, var notBefore, var tries))) {
            return Optional.empty();
        }
        var crawlDelay =
                robots.fetchedAt().isEmpty()
                        ? Duration.ZERO
                        : latestRobotsEntry().map(RobotsEntry::delay).orElse(Duration.ZERO);
        var delay = crawlDelay.compareTo(politeness.delay()) > 0 ? crawlDelay : politeness.delay();
        return Optional.of(UrlExplanation.Queue.of(priority, ahead, notBefore, delay, tries));
    }

    private static UrlExplanation.Attempt attempt(PageLogEntry entry) {
        return new UrlExplanation.Attempt(
                entry.seq(),
                entry.time(),
                entry.kind().name().toLowerCase(Locale.ROOT),
                entry.status(),
                entry.cause(),
                entry.detail(),
                entry.directives(),
                entry.warc(),
                entry.offset());
    }
}
