package dev.orbweaver.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.export.ContentKind;
import dev.orbweaver.export.PageContents;
import dev.orbweaver.internal.explain.ExplanationJson;
import dev.orbweaver.internal.explain.PageLogIndex;
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

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Searches, returns and explains pages of a job. */
final class PagesApi {

    private static final int LINKS_OUT_MAX = 500;
    private static final int LINKS_IN_MAX = 100;
    private static final int TREE_NODES_MAX = 1_000;

    /** The first inlinks have their link text, because each one is read and parsed. */
    private static final int INLINK_TEXTS_MAX = 20;

    /** The first results have excerpts, because each one is read and converted. */
    private static final int EXCERPTS_MAX = 20;

    /** Limits explanations, because each one may parse stored pages. */
    private static final int EXPLAIN_CONCURRENCY = 8;

    private static final int EXPLAIN_CONCURRENCY_PER_CALLER = 2;

    private final Jobs jobs;
    private final JobEventFeeds jobEventFeeds;
    private final JobsApi jobsApi;
    private final ConcurrencyLimiter explainLimiter =
            new ConcurrencyLimiter(
                    EXPLAIN_CONCURRENCY,
                    EXPLAIN_CONCURRENCY_PER_CALLER,
                    "The limit of concurrent explanations, in total or for this caller, is"
                            + " reached.");

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
        var from = apiCall.time("from");
        var to = apiCall.time("to");
        if (from.isPresent() && to.isPresent() && !from.get().isBefore(to.get())) {
            throw ProblemException.inField("to", "to must be later than from.");
        }
        var search =
                new PageSearchQuery(
                        words,
                        kinds,
                        apiCall.query("host"),
                        apiCall.query("path"),
                        apiCall.query("url"),
                        apiCall.query("type").map(type -> type.toLowerCase(Locale.ROOT)),
                        status[0],
                        status[1],
                        from,
                        to,
                        after(apiCall),
                        order,
                        apiCall.offset(),
                        apiCall.limit());
        var job = jobsApi.job(apiCall);
        var feed = jobEventFeeds.getOrOpen(job);
        var indexLag = feed.indexLag();
        var searchResult = feed.pages().search(search);
        var wanted =
                apiCall.query("excerpts").filter("true"::equals).isPresent()
                        ? Excerpt.words(words)
                        : List.<String>of();
        var pages = new PageContents(jobs.contents(job));
        var hits = new ArrayList<Hit>();
        for (var entry : searchResult.entries()) {
            var excerpt =
                    wanted.isEmpty() || hits.size() >= EXCERPTS_MAX
                            ? ""
                            : excerpt(entry, pages, wanted);
            hits.add(
                    new Hit(
                            PageJson.of(entry),
                            Optional.of(excerpt).filter(text -> !text.isEmpty())));
        }
        apiCall.json(
                new Found(
                        hits,
                        searchResult.total(),
                        apiCall.offset(),
                        apiCall.limit(),
                        searchResult.next(),
                        indexLag));
    }

    /** Returns the part of a page's text with the words; empty if its text does not have them. */
    private static String excerpt(PageLogEntry entry, PageContents pages, List<String> words)
            throws IOException {
        var pageContent =
                PageContents.isHtml(entry)
                        ? pages.load(entry)
                        : Optional.<PageContents.PageContent>empty();
        return pageContent.isEmpty()
                ? ""
                : Excerpt.of(pages.content(pageContent.get(), ContentKind.TEXT), words);
    }

    private record Hit(
            @JsonUnwrapped PageJson page,
            @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<String> excerpt) {}

    /**
     * @param indexLag number of lines of the page log that were not indexed before the search
     */
    private record Found(
            List<Hit> items, long total, int offset, int limit, OptionalLong next, long indexLag) {}

    private PageIndex index(JobRecord of) throws IOException, ConfigException {
        return jobEventFeeds.getOrOpen(of).pages();
    }

    /** Without an index, for example after a disk error, the whole page log is read. */
    private Optional<PageLogIndex> lineIndex(JobRecord of) {
        return jobEventFeeds.tryGetOrOpen(of).flatMap(JobEventFeed::lineIndex);
    }

    private static OptionalLong after(ApiCall apiCall) {
        var text = apiCall.query("after");
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        if (!text.get().matches("\\d{1,18}")) {
            throw ProblemException.inField("after", "after must be the number of a line.");
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
                            "order", "order must be newest, oldest or relevance.");
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
                                                        "Unknown kind '%s'; expected page, redirect, error, failed, withdrawn, robots or sitemap."
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
        throw ProblemException.inField(
                "status", "status must be a code such as 404, or a class such as 4xx.");
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
        var html = PageContents.isHtml(entry);
        var out =
                html && pageContent.isPresent()
                        ? pages.links(pageContent.get()).stream()
                                .filter(link -> !index.isTakenDown(link.url().text()))
                                .toList()
                        : List.<Link>of();
        var texts = out.isEmpty() ? Map.<String, String>of() : pages.linkTexts(pageContent.get());
        var shown = new ArrayList<LinkOut>();
        for (var link : out.subList(0, Math.min(out.size(), LINKS_OUT_MAX))) {
            shown.add(LinkOut.of(link, texts, index));
        }
        var in = index.inlinks(entry.url(), LINKS_IN_MAX);
        apiCall.json(
                new PageDetails(
                        PageJson.of(entry),
                        entry.digest(),
                        entry.charset(),
                        entry.retries(),
                        entry.directives(),
                        fields(entry),
                        index.findBySeq(entry.parent()).map(PageRef::of),
                        entry.isStored() ? Optional.of(WarcRecord.of(entry)) : Optional.empty(),
                        pageContent.map(each -> headers(each.head())).orElse(List.of()),
                        html,
                        shown,
                        out.size(),
                        linksIn(entry.url(), in.entries(), pages),
                        in.total()));
    }

    private record PageDetails(
            @JsonUnwrapped PageJson page,
            String digest,
            String charset,
            int retries,
            String directives,
            JsonNode fields,
            Optional<PageRef> parent,
            Optional<WarcRecord> warc,
            List<List<String>> headers,
            boolean hasMarkdown,
            List<LinkOut> linksOut,
            int linksOutTotal,
            List<LinkIn> linksIn,
            long linksInTotal) {}

    /** A page that links to a page, with the text of the link if it is known. */
    private record LinkIn(@JsonUnwrapped PageRef page, String text) {}

    private static List<LinkIn> linksIn(
            String target, List<PageLogEntry> sources, PageContents pages) throws IOException {
        var links = new ArrayList<LinkIn>();
        for (var source : sources) {
            var isRead = links.size() < INLINK_TEXTS_MAX && PageContents.isHtml(source);
            var content = isRead ? pages.load(source) : Optional.<PageContents.PageContent>empty();
            var text =
                    content.isPresent()
                            ? pages.linkTexts(content.get()).getOrDefault(target, "")
                            : "";
            links.add(new LinkIn(PageRef.of(source), text));
        }
        return links;
    }

    /** Lists and events do not have them: a page may have 64 KiB of fields. */
    private static JsonNode fields(PageLogEntry entry) {
        return JsonMapper.shared().readTree(entry.fields().isEmpty() ? "{}" : entry.fields());
    }

    private record PageRef(long seq, String url, String title) {

        static PageRef of(PageLogEntry entry) {
            return new PageRef(entry.seq(), entry.url(), entry.title());
        }
    }

    private record WarcRecord(String file, long offset, long length) {

        static WarcRecord of(PageLogEntry entry) {
            return new WarcRecord(entry.warc(), entry.offset(), entry.length());
        }
    }

    /** An outlink, with the line and status of its target. */
    private record LinkOut(
            String url, String text, String kind, Optional<Long> seq, Optional<Integer> status) {

        static LinkOut of(Link link, Map<String, String> texts, PageIndex index)
                throws IOException {
            var url = link.url().toString();
            var known = index.latest(url);
            return new LinkOut(
                    url,
                    texts.getOrDefault(url, ""),
                    link.kind().name().toLowerCase(Locale.ROOT),
                    known.map(PageLogEntry::seq),
                    known.map(PageLogEntry::status));
        }
    }

    /** Returns the response headers as received; bytes beyond ASCII are decoded as Latin-1. */
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
                    "Page " + entry.seq() + " is not an HTML page and has no Markdown.");
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
                                                "No body is stored for page " + entry.seq() + "."));
        // Crawled content must never be rendered in the origin of the service.
        apiCall.context()
                .header(
                        "Content-Disposition",
                        "attachment; filename=\"page-" + entry.seq() + ".bin\"")
                .contentType("application/octet-stream")
                .result(pageContent.body());
    }

    void tree(ApiCall apiCall) throws Exception {
        var path = apiCall.query("path").orElse("");
        var feed = jobEventFeeds.getOrOpen(jobsApi.job(apiCall));
        var indexLag = feed.indexLag();
        var pathNodes = feed.pages().children(path, TREE_NODES_MAX);
        var items = pathNodes.stream().map(node -> TreeNode.of(node, path)).toList();
        apiCall.json(new Tree(path, items, items.size() == TREE_NODES_MAX, indexLag));
    }

    private record Tree(String path, List<TreeNode> items, boolean truncated, long indexLag) {}

    private record TreeNode(String name, long ok, @JsonUnwrapped PageIndex.PathNode node) {

        static TreeNode of(PageIndex.PathNode node, String parent) {
            var name =
                    parent.isEmpty()
                            ? node.path().replaceFirst("/$", "")
                            : node.path().substring(parent.length());
            return new TreeNode(name.isEmpty() ? "/" : name, node.pages(), node);
        }
    }

    void why(ApiCall apiCall) throws Exception {
        var of = jobsApi.job(apiCall);
        var url =
                apiCall.query("url")
                        .orElseThrow(
                                () ->
                                        ProblemException.inField(
                                                "url",
                                                "The parameter url is missing; expected"
                                                        + " ?url=https://..."));
        UrlExplanation urlExplanation;
        try (var _ = explainLimiter.acquire(apiCall)) {
            urlExplanation =
                    jobs.explain(of, url, lineIndex(of))
                            .orElseThrow(
                                    () ->
                                            ProblemException.inField(
                                                    "url",
                                                    "'%s' is not an http or https URL."
                                                            .formatted(url)));
        }
        apiCall.json(ExplanationJson.of(url, urlExplanation));
    }
}
