package dev.orbweaver.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.export.PageContents;
import dev.orbweaver.internal.explain.ExplanationJson;
import dev.orbweaver.internal.explain.UrlExplanation;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.server.search.PageIndex;
import dev.orbweaver.server.search.PageSearchQuery;
import dev.orbweaver.server.search.PageSearchQuery.Order;

import java.io.IOException;
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
    private static final int TREE_NODES_MAX = 1_000;

    /** An explanation may read a whole page log. */
    private static final int EXPLAIN_CONCURRENCY = 8;

    private static final int EXPLAIN_CONCURRENCY_PER_CALLER = 2;

    private final Jobs jobs;
    private final JobEventFeeds jobEventFeeds;
    private final JobsApi jobsApi;
    private final ConcurrencyLimiter explainLimiter =
            new ConcurrencyLimiter(
                    EXPLAIN_CONCURRENCY,
                    EXPLAIN_CONCURRENCY_PER_CALLER,
                    "As many explanations are being made as the service allows, in all or for this"
                            + " caller.");

    PagesApi(Jobs jobs, JobEventFeeds jobEventFeeds, JobsApi job) {
        this.jobs = jobs;
        this.jobEventFeeds = jobEventFeeds;
        this.jobsApi = job;
    }

    void list(ApiCall apiCall) throws Exception {
        search(apiCall, kinds(apiCall));
    }

    void errors(ApiCall apiCall) throws Exception {
        search(apiCall, EnumSet.of(Kind.ERROR, Kind.FAILED));
    }

    private void search(ApiCall apiCall, Set<Kind> kinds) throws Exception {
        var words = apiCall.searchTerms("q");
        var order = order(apiCall, words);
        var status = status(apiCall);
        var search =
                new PageSearchQuery(
                        words,
                        kinds,
                        apiCall.query("host"),
                        apiCall.query("path"),
                        status[0],
                        status[1],
                        after(apiCall),
                        order,
                        apiCall.offset(),
                        apiCall.limit());
        var searchResult = index(jobsApi.job(apiCall)).search(search);
        var json =
                Json.page(
                        searchResult.entries(),
                        searchResult.total(),
                        apiCall.offset(),
                        apiCall.limit(),
                        PageJson::line);
        json.put("next", searchResult.next().isPresent() ? searchResult.next().getAsLong() : null);
        apiCall.json(json);
    }

    private PageIndex index(JobRecord of) throws IOException, ConfigException {
        return jobEventFeeds.getOrOpen(of).pages();
    }

    private static OptionalLong after(ApiCall apiCall) {
        var text = apiCall.query("after");
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        if (!text.get().matches("\\d{1,18}")) {
            throw ProblemException.inField("after", "after takes the number of a line.");
        }
        return OptionalLong.of(Long.parseLong(text.get()));
    }

    private static Order order(ApiCall apiCall, String words) {
        var fallback = words.isBlank() ? "newest" : "relevance";
        return switch (apiCall.query("order").orElse(fallback)) {
            case "newest" -> Order.NEWEST;
            case "oldest" -> Order.OLDEST;
            case "relevance" -> Order.RELEVANCE;
            default ->
                    throw ProblemException.inField(
                            "order", "order takes newest, oldest or relevance.");
        };
    }

    private static Set<Kind> kinds(ApiCall apiCall) {
        var kinds = EnumSet.noneOf(Kind.class);
        for (var word : apiCall.query("kind").orElse("").split(",", -1)) {
            if (!word.isBlank()) {
                kinds.add(
                        Arrays.stream(Kind.values())
                                .filter(kind -> kind.name().equalsIgnoreCase(word.strip()))
                                .findFirst()
                                .orElseThrow(
                                        () ->
                                                ProblemException.inField(
                                                        "kind",
                                                        "There is no kind '%s'; there are page, redirect, error, failed, withdrawn, robots and sitemap."
                                                                .formatted(word))));
            }
        }
        return kinds;
    }

    private static int[] status(ApiCall apiCall) {
        var text = apiCall.query("status").orElse("");
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
        throw ProblemException.inField("status", "status takes a code such as 404, or 4xx.");
    }

    private PageLogEntry requireEntry(ApiCall apiCall) throws Exception {
        return index(jobsApi.job(apiCall))
                .findBySeq(apiCall.seq())
                .orElseThrow(
                        () ->
                                ProblemException.of(
                                        ProblemException.NOT_FOUND,
                                        "Job %d has no page %d."
                                                .formatted(apiCall.job().number(), apiCall.seq())));
    }

    void get(ApiCall apiCall) throws Exception {
        var entry = requireEntry(apiCall);
        var of = jobsApi.job(apiCall);
        var index = index(of);
        var pages = new PageContents(jobs.contents(of));
        var pageContent = pages.load(entry);
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
                        : index.findBySeq(entry.parent()).map(PagesApi::pageRef));
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
        json.put("headers", pageContent.map(each -> headers(each.head())).orElse(List.of()));
        var html = PageContents.isHtml(entry);
        json.put("hasMarkdown", html);
        linksOut(json, index, pages, html ? pageContent : Optional.empty());
        var in = index.inlinks(entry.url(), LINKS_IN_MAX);
        json.put("linksIn", in.entries().stream().map(PagesApi::pageRef).toList());
        json.put("linksInTotal", in.total());
        apiCall.json(json);
    }

    private static void linksOut(
            Map<String, Object> json,
            PageIndex index,
            PageContents pages,
            Optional<PageContents.PageContent> pageContent)
            throws IOException {
        var out = pageContent.isPresent() ? pages.links(pageContent.get()) : List.<Link>of();
        var texts =
                pageContent.isPresent()
                        ? pages.linkTexts(pageContent.get())
                        : Map.<String, String>of();
        var shown = new ArrayList<Map<String, Object>>();
        for (var link : out.subList(0, Math.min(out.size(), LINKS_OUT_MAX))) {
            var url = link.url().toString();
            var known = index.latest(url);
            var each = new LinkedHashMap<String, Object>();
            each.put("url", url);
            each.put("text", texts.getOrDefault(url, ""));
            each.put("kind", link.kind().name().toLowerCase(Locale.ROOT));
            Json.put(each, "seq", known.map(PageLogEntry::seq));
            Json.put(each, "status", known.map(PageLogEntry::status));
            shown.add(each);
        }
        json.put("linksOut", shown);
        json.put("linksOutTotal", out.size());
    }

    private static Map<String, Object> pageRef(PageLogEntry entry) {
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

    void markdown(ApiCall apiCall) throws Exception {
        var entry = requireEntry(apiCall);
        var pages = new PageContents(jobs.contents(jobsApi.job(apiCall)));
        var pageContent =
                PageContents.isHtml(entry)
                        ? pages.load(entry)
                        : Optional.<PageContents.PageContent>empty();
        if (pageContent.isEmpty()) {
            throw ProblemException.of(
                    ProblemException.NOT_FOUND,
                    "Page " + entry.seq() + " is no HTML page, so there is no Markdown of it.");
        }
        if (apiCall.query("download").filter("true"::equals).isPresent()) {
            apiCall.context()
                    .header(
                            "Content-Disposition",
                            "attachment; filename=\"page-" + entry.seq() + ".md\"");
        }
        apiCall.context()
                .contentType("text/markdown; charset=utf-8")
                .result(pages.markdown(entry, pageContent.get()).withFrontMatter());
    }

    void raw(ApiCall apiCall) throws Exception {
        var entry = requireEntry(apiCall);
        var pageContent =
                new PageContents(jobs.contents(jobsApi.job(apiCall)))
                        .load(entry)
                        .orElseThrow(
                                () ->
                                        ProblemException.of(
                                                ProblemException.NOT_FOUND,
                                                "Nothing was stored of page " + entry.seq() + "."));
        // Whatever a site sent must never run as if it were ours.
        apiCall.context()
                .header(
                        "Content-Disposition",
                        "attachment; filename=\"page-" + entry.seq() + ".bin\"")
                .contentType("application/octet-stream")
                .result(pageContent.body());
    }

    void tree(ApiCall apiCall) throws Exception {
        var path = apiCall.query("path").orElse("");
        var pathNodes = index(jobsApi.job(apiCall)).children(path, TREE_NODES_MAX);
        var json = new LinkedHashMap<String, Object>();
        json.put("path", path);
        json.put(
                "items", pathNodes.stream().map(pathNode -> treeNodeJson(pathNode, path)).toList());
        json.put("truncated", pathNodes.size() == TREE_NODES_MAX);
        apiCall.json(json);
    }

    private static Map<String, Object> treeNodeJson(PageIndex.PathNode pathNode, String parent) {
        var json = new LinkedHashMap<String, Object>();
        var name =
                parent.isEmpty()
                        ? pathNode.url()
                                .substring(
                                        0,
                                        pathNode.url().length()
                                                - (pathNode.url().endsWith("/") ? 1 : 0))
                        : pathNode.url().substring(parent.length());
        json.put("name", name.isEmpty() ? "/" : name);
        json.put("path", pathNode.url());
        json.put("pages", pathNode.pages());
        json.put("ok", pathNode.pages());
        json.put("redirects", pathNode.redirects());
        json.put("errors", pathNode.errors());
        json.put("bytes", pathNode.bytes());
        json.put("hasMore", pathNode.hasChildren());
        json.put("status", pathNode.status().isPresent() ? pathNode.status().getAsInt() : null);
        return json;
    }

    void why(ApiCall apiCall) throws Exception {
        var of = jobsApi.job(apiCall);
        var asked =
                apiCall.query("url")
                        .orElseThrow(
                                () ->
                                        ProblemException.inField(
                                                "url", "Say which with ?url=https://..."));
        UrlExplanation urlExplanation;
        try (var _ = explainLimiter.acquire(apiCall)) {
            urlExplanation =
                    jobs.explain(of, asked)
                            .orElseThrow(
                                    () ->
                                            ProblemException.inField(
                                                    "url",
                                                    "'%s' is no URL that a crawl could have."
                                                            .formatted(asked)));
        }
        apiCall.json(ExplanationJson.of(asked, urlExplanation));
    }
}
