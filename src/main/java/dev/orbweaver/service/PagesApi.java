package dev.orbweaver.service;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.JobRecord;
import dev.orbweaver.Jobs;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.crawl.Account;
import dev.orbweaver.export.PageContents;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.search.PageIndex;
import dev.orbweaver.search.PageSearch;
import dev.orbweaver.search.PageSearch.Order;
import dev.orbweaver.sink.PageEntry;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Pages of a job: searched, shown, explained. */
final class PagesApi {

    private static final int LINKS_OUT_MAX = 500;
    private static final int LINKS_IN_MAX = 100;
    private static final int PLACES_MAX = 1_000;

    /** An explanation may read a whole page log. */
    private static final int WHY_AT_ONCE = 8;

    private static final int WHY_AT_ONCE_PER_CALLER = 2;

    private final Jobs jobs;
    private final Feeds feeds;
    private final JobsApi job;
    private final Seats explaining =
            new Seats(
                    WHY_AT_ONCE,
                    WHY_AT_ONCE_PER_CALLER,
                    "As many explanations are being made as the service allows, in all or for this"
                            + " caller.");

    PagesApi(Jobs jobs, Feeds feeds, JobsApi job) {
        this.jobs = jobs;
        this.feeds = feeds;
        this.job = job;
    }

    void list(Call call) throws Exception {
        show(call, kinds(call));
    }

    void errors(Call call) throws Exception {
        show(call, EnumSet.of(Kind.ERROR, Kind.FAILED));
    }

    private void show(Call call, Set<Kind> kinds) throws Exception {
        var words = call.words("q");
        var order = order(call, words);
        var status = status(call);
        var search =
                new PageSearch(
                        words,
                        kinds,
                        call.query("host"),
                        call.query("path"),
                        status[0],
                        status[1],
                        after(call),
                        order,
                        call.offset(),
                        call.limit());
        var found = index(job.job(call)).find(search);
        var json =
                Json.page(
                        found.entries(),
                        found.total(),
                        call.offset(),
                        call.limit(),
                        PageJson::line);
        json.put("next", found.next().isPresent() ? found.next().getAsLong() : null);
        call.json(json);
    }

    private PageIndex index(JobRecord of) throws IOException, ConfigException {
        return feeds.of(of).pages();
    }

    private static OptionalLong after(Call call) {
        var text = call.query("after");
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        if (!text.get().matches("\\d{1,18}")) {
            throw ProblemException.in("after", "after takes the number of a line.");
        }
        return OptionalLong.of(Long.parseLong(text.get()));
    }

    private static Order order(Call call, String words) {
        var fallback = words.isBlank() ? "newest" : "relevance";
        return switch (call.query("order").orElse(fallback)) {
            case "newest" -> Order.NEWEST;
            case "oldest" -> Order.OLDEST;
            case "relevance" -> Order.RELEVANCE;
            default ->
                    throw ProblemException.in("order", "order takes newest, oldest or relevance.");
        };
    }

    private static Set<Kind> kinds(Call call) {
        var kinds = EnumSet.noneOf(Kind.class);
        for (var word : call.query("kind").orElse("").split(",", -1)) {
            if (!word.isBlank()) {
                kinds.add(
                        Arrays.stream(Kind.values())
                                .filter(kind -> kind.name().equalsIgnoreCase(word.strip()))
                                .findFirst()
                                .orElseThrow(
                                        () ->
                                                ProblemException.in(
                                                        "kind",
                                                        "There is no kind '%s'; there are page, redirect, error, failed, withdrawn, robots and sitemap."
                                                                .formatted(word))));
            }
        }
        return kinds;
    }

    private static int[] status(Call call) {
        var text = call.query("status").orElse("");
        if (text.isEmpty()) {
            return new int[] {0, Integer.MAX_VALUE};
        }
        if (text.matches("[1-5]xx")) {
            var hundred = (text.charAt(0) - '0') * 100;
            return new int[] {hundred, hundred + 99};
        }
        if (text.matches("\\d{3}")) {
            return new int[] {Integer.parseInt(text), Integer.parseInt(text)};
        }
        throw ProblemException.in("status", "status takes a code such as 404, or 4xx.");
    }

    private PageEntry line(Call call) throws Exception {
        return index(job.job(call))
                .line(call.seq())
                .orElseThrow(
                        () ->
                                ProblemException.of(
                                        ProblemException.NOT_FOUND,
                                        "Job %d has no page %d."
                                                .formatted(call.job().number(), call.seq())));
    }

    void get(Call call) throws Exception {
        var entry = line(call);
        var of = job.job(call);
        var index = index(of);
        var pages = new PageContents(jobs.contents(of));
        var contents = pages.of(entry);
        var json = new LinkedHashMap<>(PageJson.line(entry));
        json.put("digest", entry.digest());
        json.put("charset", entry.charset());
        json.put("retries", entry.retries());
        json.put("directives", entry.directives());
        Json.put(
                json,
                "parent",
                entry.parent() == 0
                        ? Optional.empty()
                        : index.line(entry.parent()).map(PagesApi::named));
        json.put(
                "warc",
                entry.isStored()
                        ? Map.of(
                                "file",
                                entry.warc(),
                                "offset",
                                entry.offset(),
                                "length",
                                entry.length())
                        : null);
        json.put("headers", contents.map(each -> headers(each.head())).orElse(List.of()));
        var html = PageContents.isHtml(entry);
        json.put("hasMarkdown", html);
        linksOut(json, index, pages, html ? contents : Optional.empty());
        var in = index.linkingTo(entry.url(), LINKS_IN_MAX);
        json.put("linksIn", in.entries().stream().map(PagesApi::named).toList());
        json.put("linksInTotal", in.total());
        call.json(json);
    }

    private static void linksOut(
            Map<String, Object> json,
            PageIndex index,
            PageContents pages,
            Optional<PageContents.Contents> contents)
            throws IOException {
        var out = contents.isPresent() ? pages.links(contents.get()) : List.<Link>of();
        var texts =
                contents.isPresent() ? pages.linkTexts(contents.get()) : Map.<String, String>of();
        var shown = new ArrayList<Map<String, Object>>();
        for (var link : out.subList(0, Math.min(out.size(), LINKS_OUT_MAX))) {
            var url = link.url().toString();
            var known = index.latest(url);
            var each = new LinkedHashMap<String, Object>();
            each.put("url", url);
            each.put("text", texts.getOrDefault(url, ""));
            each.put("kind", link.kind().name().toLowerCase(Locale.ROOT));
            Json.put(each, "seq", known.map(PageEntry::seq));
            Json.put(each, "status", known.map(PageEntry::status));
            shown.add(each);
        }
        json.put("linksOut", shown);
        json.put("linksOutTotal", out.size());
    }

    private static Map<String, Object> named(PageEntry entry) {
        return Map.of("seq", entry.seq(), "url", entry.url(), "title", entry.title());
    }

    /** The fields of a head as they came; bytes beyond ASCII are taken for Latin-1. */
    private static List<List<String>> headers(ResponseHead head) {
        return new String(head.raw(), ISO_8859_1)
                .lines()
                .skip(1)
                .filter(line -> line.indexOf(':') > 0)
                .map(
                        line ->
                                List.of(
                                        line.substring(0, line.indexOf(':')).strip(),
                                        line.substring(line.indexOf(':') + 1).strip()))
                .toList();
    }

    void markdown(Call call) throws Exception {
        var entry = line(call);
        var pages = new PageContents(jobs.contents(job.job(call)));
        var contents =
                PageContents.isHtml(entry)
                        ? pages.of(entry)
                        : Optional.<PageContents.Contents>empty();
        if (contents.isEmpty()) {
            throw ProblemException.of(
                    ProblemException.NOT_FOUND,
                    "Page " + entry.seq() + " is no HTML page, so there is no Markdown of it.");
        }
        if (call.query("download").filter("true"::equals).isPresent()) {
            call.context()
                    .header(
                            "Content-Disposition",
                            "attachment; filename=\"page-" + entry.seq() + ".md\"");
        }
        call.context()
                .contentType("text/markdown; charset=utf-8")
                .result(pages.markdown(entry, contents.get()).withFrontMatter());
    }

    void raw(Call call) throws Exception {
        var entry = line(call);
        var contents =
                new PageContents(jobs.contents(job.job(call)))
                        .of(entry)
                        .orElseThrow(
                                () ->
                                        ProblemException.of(
                                                ProblemException.NOT_FOUND,
                                                "Nothing was stored of page " + entry.seq() + "."));
        // Whatever a site sent must never run as if it were ours.
        call.context()
                .header(
                        "Content-Disposition",
                        "attachment; filename=\"page-" + entry.seq() + ".bin\"")
                .contentType("application/octet-stream")
                .result(contents.body());
    }

    void tree(Call call) throws Exception {
        var path = call.query("path").orElse("");
        var places = index(job.job(call)).below(path, PLACES_MAX);
        var json = new LinkedHashMap<String, Object>();
        json.put("path", path);
        json.put("items", places.stream().map(place -> place(place, path)).toList());
        json.put("truncated", places.size() == PLACES_MAX);
        call.json(json);
    }

    private static Map<String, Object> place(PageIndex.Place place, String parent) {
        var json = new LinkedHashMap<String, Object>();
        var name =
                parent.isEmpty()
                        ? place.url()
                                .substring(
                                        0,
                                        place.url().length() - (place.url().endsWith("/") ? 1 : 0))
                        : place.url().substring(parent.length());
        json.put("name", name.isEmpty() ? "/" : name);
        json.put("path", place.url());
        json.put("pages", place.pages());
        json.put("ok", place.pages());
        json.put("redirects", place.redirects());
        json.put("errors", place.errors());
        json.put("bytes", place.bytes());
        json.put("hasMore", place.hasMore());
        json.put("status", place.status().isPresent() ? place.status().getAsInt() : null);
        return json;
    }

    void why(Call call) throws Exception {
        var of = job.job(call);
        var asked =
                call.query("url")
                        .orElseThrow(
                                () ->
                                        ProblemException.in(
                                                "url", "Say which with ?url=https://..."));
        Account account;
        try (var _ = explaining.take(call)) {
            account =
                    jobs.why(of, asked)
                            .orElseThrow(
                                    () ->
                                            ProblemException.in(
                                                    "url",
                                                    "'%s' is no URL that a crawl could have."
                                                            .formatted(asked)));
        }
        call.json(new WhyAnswer(asked, account).json());
    }

    /** Why a URL is where it is, and the same as a path to draw. */
    private record WhyAnswer(String asked, Account account) {

        Map<String, Object> json() {
            var json = new LinkedHashMap<String, Object>();
            json.put("asked", asked);
            json.put("url", account.url());
            json.put("normalForm", account.normalForm());
            json.put("steps", account.steps());
            json.put("state", account.state().word());
            json.put("because", account.because());
            json.put("depth", account.depth());
            Json.put(json, "parent", account.parent());
            json.put("scope", account.scope());
            json.put("inScope", account.inScope());
            json.put("robots", robots(account.robots()));
            Json.put(json, "queue", account.queue().map(WhyAnswer::queue));
            json.put("attempts", account.attempts().stream().map(WhyAnswer::attempt).toList());
            json.put("path", path());
            return json;
        }

        private List<Map<String, Object>> path() {
            var path = new ArrayList<Map<String, Object>>();
            var found = account.state() != Account.State.NEVER_FOUND;
            account.parent()
                    .ifPresentOrElse(
                            parent ->
                                    path.add(
                                            step(
                                                    "Found",
                                                    "as %s on %s"
                                                            .formatted(parent.how(), parent.url()),
                                                    true)),
                            () ->
                                    path.add(
                                            step(
                                                    "Found",
                                                    found
                                                            ? "it is a seed, or came from one"
                                                            : "no seed, page, redirect or sitemap"
                                                                    + " of this crawl points at it",
                                                    found)));
            path.add(step("Scope", account.scope(), account.inScope()));
            path.add(
                    step(
                            "robots.txt",
                            account.robots().said()
                                    + (account.robots().line() > 0
                                            ? ", line %d: %s"
                                                    .formatted(
                                                            account.robots().line(),
                                                            account.robots().text())
                                            : ""),
                            account.robots().allowed()));
            account.queue()
                    .ifPresent(
                            queue ->
                                    path.add(
                                            step(
                                                    "Queue",
                                                    "%d before it, its turn is at %s"
                                                            .formatted(queue.ahead(), queue.turn()),
                                                    true)));
            account.attempts()
                    .forEach(
                            attempt ->
                                    path.add(
                                            step(
                                                    "Asked",
                                                    "%s%s%s"
                                                            .formatted(
                                                                    attempt.outcome(),
                                                                    attempt.status() > 0
                                                                            ? ", "
                                                                                    + attempt
                                                                                            .status()
                                                                            : "",
                                                                    attempt.detail().isEmpty()
                                                                            ? ""
                                                                            : ": "
                                                                                    + attempt
                                                                                            .detail()),
                                                    attempt.status() >= 200
                                                            && attempt.status() < 400)));
            path.add(
                    step(
                            account.state().word(),
                            account.because(),
                            switch (account.state()) {
                                case DONE, QUEUED, LEASED, DEFERRED -> true;
                                case NEVER_FOUND, REFUSED, WITHDRAWN, DEAD -> false;
                            }));
            return path;
        }

        private static Map<String, Object> step(String title, String text, boolean ok) {
            return Map.of("title", title, "text", text, "ok", ok);
        }

        private static Map<String, Object> robots(Account.Robots robots) {
            var json = new LinkedHashMap<String, Object>();
            json.put("file", robots.file());
            json.put("said", robots.said());
            json.put("allowed", robots.allowed());
            json.put("line", robots.line());
            json.put("text", robots.text());
            Json.put(json, "fetchedAt", robots.fetchedAt().map(Instant::toString));
            return json;
        }

        private static Map<String, Object> queue(Account.Queue queue) {
            return Map.of(
                    "ahead",
                    queue.ahead(),
                    "notBefore",
                    queue.notBefore().toString(),
                    "delayMs",
                    queue.delay().toMillis(),
                    "turn",
                    queue.turn().toString(),
                    "tries",
                    queue.tries());
        }

        private static Map<String, Object> attempt(Account.Attempt attempt) {
            var json = new LinkedHashMap<String, Object>();
            json.put("seq", attempt.seq());
            json.put("time", attempt.time().toString());
            json.put("outcome", attempt.outcome());
            json.put("status", attempt.status());
            json.put("cause", attempt.cause());
            json.put("detail", attempt.detail());
            json.put("directives", attempt.directives());
            json.put("warc", attempt.warc());
            json.put("offset", attempt.offset());
            return json;
        }
    }
}
