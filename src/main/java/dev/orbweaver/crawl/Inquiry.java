package dev.orbweaver.crawl;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.crawl.Account.State;
import dev.orbweaver.disk.Disk;
import dev.orbweaver.fetch.ContentReader;
import dev.orbweaver.frontier.Explanation;
import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.frontier.Whereabouts;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.LogLine;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.parse.FeedParser;
import dev.orbweaver.parse.HtmlParser;
import dev.orbweaver.parse.ParsePool;
import dev.orbweaver.robots.RobotsRules;
import dev.orbweaver.scope.Scope;
import dev.orbweaver.sink.PageEntry;
import dev.orbweaver.sink.PageLog;
import dev.orbweaver.sink.TombstoneFile;
import dev.orbweaver.url.CrawlUrls;
import dev.orbweaver.url.Normalisation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds out why a URL of a crawl is where it is, from the crawl's folder alone, whether somebody
 * works there or not. What the crawl writes down while it runs is kept small: so verdicts are made
 * again with the rules of the crawl, and where a URL was found is read from the pages themselves.
 *
 * <p>Where it is now, the frontier's files say; what was done with it, the page log. When neither
 * knows it, every stored page is read until one points at it: then it was turned away, and the
 * first rule that objects is the one that did it. When none does, it never was found.
 */
public final class Inquiry {

    private static final int ATTEMPTS_MAX = 100;
    private static final String TAKEN_DOWN = "a page that was taken down";

    private final CrawlSettings settings;
    private final Normalisation normalisation;
    private final CrawlUrls urls;
    private final Scope scope;
    private final Politeness politeness;
    private final Whereabouts where;
    private final Disk disk;
    private final List<Log> logs;
    private final HostSet excluded;
    private final CrawlUrl url;

    /**
     * A folder into which the crawl writes, or one of a fleet's workers.
     *
     * @param worker the worker's number in its fleet; 0 where nobody else works on the crawl
     * @param bytes how much of its page log is committed
     */
    public record Log(Path folder, int worker, long bytes) {

        /** The folder of a crawl, with the lengths of its files at the last commit. */
        public static Log of(Path folder, int worker, List<FileMark> marks) {
            return new Log(
                    folder,
                    worker,
                    marks.stream()
                            .filter(mark -> mark.name().equals(PageLog.FILE))
                            .mapToLong(FileMark::length)
                            .findFirst()
                            .orElse(0));
        }
    }

    /** A line and the log that it is in. */
    private record Line(Log log, PageEntry entry) {}

    /**
     * An inquiry about one URL.
     *
     * @param scope with all seeds of the crawl
     * @param where what the frontier says of it
     * @param logs of all who work on the crawl, as far as they can be read here
     * @param excluded hosts that whoever runs the crawl leaves alone
     */
    public Inquiry(
            CrawlSettings settings,
            CrawlUrls urls,
            Scope scope,
            Politeness politeness,
            Whereabouts where,
            Disk disk,
            List<Log> logs,
            HostSet excluded,
            CrawlUrl url) {
        this.settings = settings;
        this.normalisation = urls.normalisation();
        this.urls = urls;
        this.scope = scope;
        this.politeness = politeness;
        this.where = where;
        this.disk = disk;
        this.logs = List.copyOf(logs);
        this.excluded = excluded;
        this.url = url;
    }

    /** A state and why it is that. */
    private record Finding(State state, String because) {}

    /**
     * Finds out.
     *
     * @param asked what was asked for, as it was written
     */
    public Account account(String asked, Instant now) throws IOException {
        var attempts = attempts();
        var unknown = where.found().isEmpty() && attempts.isEmpty();
        var pointer = unknown ? firstPointer() : Optional.<Finders.Pointer>empty();
        var parentSeq =
                where.found()
                        .map(Whereabouts.Found::parent)
                        .orElseGet(() -> attempts.isEmpty() ? 0 : parentOf(attempts.getFirst()));
        var parent =
                pointer.map(Finders.Pointer::parent)
                        .or(() -> parentSeq == 0 ? Optional.empty() : parent(parentSeq));
        var depth =
                where.found()
                        .map(Whereabouts.Found::depth)
                        .or(() -> pointer.map(Finders.Pointer::depth))
                        .orElseGet(
                                () -> attempts.isEmpty() ? -1 : attempts.getFirst().entry.depth());
        var hop = hop(pointer, parent);
        var verdict = scope.judge(url, hop, Math.max(0, depth));
        var robots = robots(now);
        var finding = finding(attempts, pointer, verdict, robots);
        return new Account(
                url.text(),
                urls.normalForm(url),
                Spelling.steps(asked, url, normalisation),
                finding.state,
                finding.because,
                shown(parent, parentSeq),
                depth,
                verdict.rule(),
                verdict.accepted(),
                robots,
                queue(robots),
                attempts.stream().map(line -> attempt(line.entry)).toList());
    }

    /** A plain number is a line of the same log. */
    private static long parentOf(Line line) {
        var parent = line.entry.parent();
        return LogLine.worker(parent) == 0 ? LogLine.of(line.log.worker, parent) : parent;
    }

    /** Nothing is shown of a page that was taken down, be it still stored or not. */
    private Optional<Account.Parent> shown(Optional<Account.Parent> parent, long seq)
            throws IOException {
        if (parent.isEmpty()) {
            var elsewhere = logs.stream().noneMatch(log -> log.worker == LogLine.worker(seq));
            return seq == 0
                    ? Optional.empty()
                    : Optional.of(
                            new Account.Parent(
                                    elsewhere
                                            ? "a page of worker " + LogLine.worker(seq)
                                            : TAKEN_DOWN,
                                    LogLine.line(seq),
                                    "found",
                                    ""));
        }
        for (var log : logs) {
            var tombstones = TombstoneFile.read(log.folder, urls);
            if (parent.flatMap(it -> urls.parse(it.url())).filter(tombstones::cover).isPresent()) {
                return parent.map(it -> new Account.Parent(TAKEN_DOWN, it.seq(), it.how(), ""));
            }
        }
        return parent;
    }

    /** What was recorded of the URL, the last ones if there are very many. */
    private List<Line> attempts() {
        var attempts = new ArrayList<Line>();
        readLogs(
                line -> {
                    if (isUrl(line.entry)) {
                        if (attempts.size() == ATTEMPTS_MAX) {
                            var _ = attempts.remove(1); // The first tells where it was found.
                        }
                        attempts.add(line);
                    }
                });
        attempts.sort(Comparator.comparing(line -> line.entry.time()));
        return attempts;
    }

    private boolean isUrl(PageEntry entry) {
        return urls.parse(entry.url()).filter(it -> it.key().equals(url.key())).isPresent();
    }

    private Optional<Account.Parent> parent(long seq) {
        var found = new ArrayList<Account.Parent>();
        readLogs(
                line -> {
                    if (line.log.worker == LogLine.worker(seq)
                            && line.entry.seq() == LogLine.line(seq)) {
                        found.add(
                                finders(line.log)
                                        .in(line.entry)
                                        .map(Finders.Pointer::parent)
                                        .orElseGet(
                                                () -> Finders.parent(line.entry, "unknown", "")));
                    }
                });
        return found.stream().findFirst();
    }

    /** The first stored capture that points at the URL. */
    private Optional<Finders.Pointer> firstPointer() {
        var found = new ArrayList<Finders.Pointer>();
        for (var log : logs) {
            var finders = finders(log);
            readLog(
                    log,
                    line -> {
                        if (found.isEmpty()) {
                            finders.in(line.entry).ifPresent(found::add);
                        }
                    });
        }
        return found.stream().findFirst();
    }

    private Finders finders(Log log) {
        var reader =
                new Reader(
                        List.of(new HtmlParser(urls, false), new FeedParser(urls)),
                        urls,
                        new ContentReader.Limits(
                                settings.contentBytesMax(), settings.contentRatioMax()),
                        settings.productToken(),
                        ParsePool.shared());
        return new Finders(urls, reader, log.folder, url, settings.wishes().obeyRel());
    }

    private interface LineReader {
        void read(Line line) throws IOException;
    }

    private void readLogs(LineReader out) {
        logs.forEach(log -> readLog(log, out));
    }

    /** Reads what is committed of a page log. */
    private static void readLog(Log log, LineReader out) {
        var file = log.folder.resolve(PageLog.FILE);
        if (log.bytes == 0 || !Files.exists(file)) {
            return;
        }
        try {
            PageLog.readAll(
                    file,
                    log.bytes,
                    entry -> {
                        try {
                            out.read(new Line(log, entry));
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Hop hop(Optional<Finders.Pointer> pointer, Optional<Account.Parent> parent) {
        return where.found()
                .map(Whereabouts.Found::hop)
                .or(() -> pointer.map(Finders.Pointer::hop))
                .orElseGet(() -> isSeed() ? Hop.SEED : hopFrom(parent));
    }

    private static Hop hopFrom(Optional<Account.Parent> parent) {
        return switch (parent.map(Account.Parent::how).orElse("")) {
            case "requisite" -> Hop.EMBED;
            case "redirect" -> Hop.REDIRECT;
            case "sitemap" -> Hop.SITEMAP;
            default -> Hop.LINK;
        };
    }

    private boolean isSeed() {
        return where.seeds().stream().anyMatch(seed -> seed.key().equals(url.key()));
    }

    private Account.Robots robots(Instant now) throws IOException {
        var path = url.pathAndQuery();
        return switch (settings.robots()) {
            case RobotsPolicy.Ignore _ ->
                    new Account.Robots("", "ignored", Optional.empty(), true, 0, "");
            case RobotsPolicy.Custom(var rules, var file, _) -> {
                var verdict = rules.judge(path);
                yield new Account.Robots(
                        file,
                        "in place of the host's",
                        Optional.empty(),
                        verdict.allowed(),
                        verdict.line(),
                        verdict.rule());
            }
            case RobotsPolicy.Obey _ -> {
                var answer = robotsAnswer();
                var file = url.origin() + "/robots.txt";
                yield answer.isEmpty()
                        ? Account.Robots.unread(file)
                        : robots(file, answer.get().asOf(now), now);
            }
        };
    }

    /** What was answered last, to whoever asked. */
    private Optional<RobotsAnswer> robotsAnswer() throws IOException {
        var answers = new ArrayList<RobotsAnswer>();
        for (var log : logs) {
            RobotsLog.look(disk, log.folder, url.origin()).ifPresent(answers::add);
        }
        return answers.stream().max(Comparator.comparing(RobotsAnswer::askedAt));
    }

    private Account.Robots robots(String file, RobotsAnswer answer, Instant now) {
        if (!answer.hasRules(now)) {
            return new Account.Robots(
                    file,
                    answer.said() + "; asked again from " + answer.nextAsk() + " on",
                    Optional.empty(),
                    false,
                    0,
                    "");
        }
        var text = answer.text();
        var verdict =
                RobotsRules.parse(text, text.length, settings.productToken())
                        .judge(url.pathAndQuery());
        return new Account.Robots(
                file,
                answer.said(),
                Optional.of(answer.fetchedAt()),
                verdict.allowed(),
                verdict.line(),
                line(new String(text, UTF_8), verdict.line()));
    }

    private static String line(String text, int number) {
        return number < 1
                ? ""
                : text.lines().skip(number - 1L).findFirst().map(String::strip).orElse("");
    }

    private Finding finding(
            List<Line> attempts,
            Optional<Finders.Pointer> pointer,
            Scope.Verdict verdict,
            Account.Robots robots) {
        return switch (where.state()) {
            case Explanation.Queued(var ahead, _, _) ->
                    new Finding(State.QUEUED, ahead + " URLs of its host are before it");
            case Explanation.Excluded _ ->
                    new Finding(State.WITHDRAWN, "excluded: its host is left alone");
            case Explanation.Leased(var deadline, _) ->
                    new Finding(State.LEASED, "it is being requested, until " + deadline);
            case Explanation.Dead(var cause, _) ->
                    new Finding(
                            State.DEAD,
                            withDetail(
                                    cause.word(),
                                    attempts.isEmpty() ? "" : attempts.getLast().entry.detail()));
            case Explanation.Settled _, Explanation.NeverAccepted _ ->
                    attempts.isEmpty()
                            ? pointer.map(it -> refused(it, verdict, robots)).orElseGet(this::lost)
                            : settled(attempts.getLast().entry);
        };
    }

    private static String withDetail(String cause, String detail) {
        return detail.isEmpty() ? cause : cause + ": " + detail;
    }

    private static Finding settled(PageEntry last) {
        return switch (last.kind()) {
            case PAGE, SITEMAP, ROBOTS, ERROR ->
                    new Finding(State.DONE, "it answered " + last.status());
            case REDIRECT ->
                    new Finding(
                            State.DONE,
                            "it answered " + last.status() + " and points to " + last.location());
            case WITHDRAWN -> new Finding(State.WITHDRAWN, withDetail(last.cause(), last.detail()));
            case FAILED -> new Finding(State.DEAD, withDetail(last.cause(), last.detail()));
            case RETRIED -> new Finding(State.QUEUED, "it is asked for again: " + last.detail());
        };
    }

    private Finding lost() {
        return isSeed()
                ? new Finding(State.QUEUED, "it is a seed that was not taken up yet")
                : new Finding(
                        State.NEVER_FOUND, "no stored page, redirect or sitemap points at it");
    }

    /** The first rule that objects, in the order in which they are asked. */
    private Finding refused(Finders.Pointer pointer, Scope.Verdict verdict, Account.Robots robots) {
        if (pointer.deferred()) {
            return new Finding(
                    State.DEFERRED, "the links of its page are left until there is room");
        }
        if (pointer.nofollow()) {
            return new Finding(
                    State.REFUSED, Refusal.NOFOLLOW.word() + ": the page or the link asks so");
        }
        if (!verdict.accepted()) {
            return new Finding(
                    State.REFUSED,
                    verdict.refusal().map(Refusal::word).orElse("") + ": " + verdict.rule());
        }
        if (!robots.allowed()) {
            return new Finding(
                    State.REFUSED,
                    Refusal.ROBOTS.word() + ": line " + robots.line() + ": " + robots.text());
        }
        if (excluded.contains(url.host())) {
            return new Finding(State.REFUSED, Refusal.EXCLUDED.word() + ": its host is left alone");
        }
        var limits =
                Stream.of(Refusal.HOST_LIMIT, Refusal.DOMAIN_LIMIT, Refusal.HOSTS_LIMIT)
                        .filter(where.refused()::containsKey)
                        .map(Refusal::word)
                        .collect(Collectors.joining(" or "));
        return new Finding(
                State.REFUSED,
                limits.isEmpty()
                        ? "by a rule that no longer holds; settings or robots.txt have changed"
                        : limits + ": the crawl has as many URLs as it takes");
    }

    private Optional<Account.Queue> queue(Account.Robots robots) throws IOException {
        if (!(where.state() instanceof Explanation.Queued(var ahead, var notBefore, var tries))) {
            return Optional.empty();
        }
        var asked =
                robots.fetchedAt().isEmpty()
                        ? Duration.ZERO
                        : robotsAnswer().map(RobotsAnswer::delay).orElse(Duration.ZERO);
        var delay = asked.compareTo(politeness.hostDelay()) > 0 ? asked : politeness.hostDelay();
        return Optional.of(new Account.Queue(ahead, notBefore, delay, tries));
    }

    private static Account.Attempt attempt(PageEntry entry) {
        return new Account.Attempt(
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
