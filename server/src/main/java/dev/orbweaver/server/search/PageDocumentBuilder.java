package dev.orbweaver.server.search;

import dev.orbweaver.export.PageContents;
import dev.orbweaver.export.markdown.MarkdownPage;
import dev.orbweaver.internal.parse.WordIterator;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Link;

import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field.Store;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.util.BytesRef;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Builds the index document of a page log line.
 *
 * <p>The document stores the offset of the line in the log, not the line itself. For the site tree
 * it has, for every directory above its page, a term of the directory and the next name below it;
 * the number of pages there is the document frequency of the term, which needs no search.
 */
final class PageDocumentBuilder {

    static final String SEQ = "seq";
    static final String LOG_OFFSET = "at";
    static final String LENGTH = "length";
    static final String BYTES = "bytes";
    static final String URL = "url";
    static final String HOST = "host";
    static final String PATH = "path";
    static final String KIND = "kind";
    static final String MEDIA_TYPE = "type";
    static final String STATUS = "status";

    /** The time of the request in nanoseconds since 1970. */
    static final String TIME = "time";

    /** The status as a doc value, for lookups; older indexes do not have it. */
    static final String STATUS_VALUE = "answer";

    static final String TITLE = "title";
    static final String URL_WORDS = "words";
    static final String TEXT = "text";
    static final String LINK = "link";

    /** The key of the line's URL, which URLs with the same normal form share. */
    static final String KEY = "key";

    /** The keys of URLs with retried attempts between the line before and this one. */
    static final String RETRIED = "retried";

    /** The keys of all URLs that a crawl finds in the response. */
    static final String TARGET = "target";

    /** The digest of a page's content, for duplicates; later visits of a URL do not have it. */
    static final String DIGEST = "digest";

    /** The primary language that a page declares, such as en. */
    static final String LANGUAGE = "language";

    static final String BELOW = "below";
    static final String OK_BELOW = "okBelow";
    static final String REDIRECT_BELOW = "redirectBelow";
    static final String ERROR_BELOW = "errorBelow";

    /** Separates a directory from the name below it; does not occur in URLs. */
    static final char PATH_SEPARATOR = '\0';

    /** The maximum number of characters of a page's text that are indexed. */
    private static final int TEXT_MAX = 1 << 20;

    /** The maximum length of a term in Lucene. */
    private static final int TERM_MAX = 8_000;

    private static final long SECONDS_MAX = Long.MAX_VALUE / 1_000_000_000 - 1;
    private static final int LANGUAGE_MAX = 8;
    private static final int KEY_BYTES = Long.BYTES + Short.BYTES;
    private static final int LINKS_MAX = 2_000;
    private static final int DEPTH_MAX = 24;

    private final PageContents pages;

    PageDocumentBuilder(PageContents pages) {
        this.pages = pages;
    }

    /**
     * @param retried the keys of the retried attempts before the line
     */
    Document toDocument(PageLogEntry entry, long at, int length, Set<BytesRef> retried)
            throws IOException {
        var document = metadataDocument(entry, at, length, retried);
        var pageContent =
                PageContents.mayHaveLinks(entry)
                        ? pages.load(entry)
                        : Optional.<PageContents.PageContent>empty();
        if (pageContent.isEmpty()) {
            return document;
        }
        var links = pages.links(entry, pageContent.get());
        links.stream()
                .map(link -> key(link.url()))
                .distinct()
                .forEach(key -> document.add(new StringField(TARGET, key, Store.NO)));
        if (PageContents.isHtml(entry)) {
            addContents(document, entry, pageContent.get(), links);
        }
        return document;
    }

    /** Builds the document of a line whose response cannot be read. */
    Document metadataDocument(PageLogEntry entry, long at, int length, Set<BytesRef> retried) {
        var document = new Document();
        key(entry.url()).ifPresent(key -> document.add(new StringField(KEY, key, Store.NO)));
        retried.forEach(key -> document.add(new StringField(RETRIED, key, Store.NO)));
        pages.redirectTarget(entry)
                .ifPresent(url -> document.add(new StringField(TARGET, key(url), Store.NO)));
        document.add(new LongPoint(SEQ, entry.seq()));
        document.add(new NumericDocValuesField(SEQ, entry.seq()));
        document.add(new NumericDocValuesField(LOG_OFFSET, at));
        document.add(new NumericDocValuesField(LENGTH, length));
        document.add(new NumericDocValuesField(BYTES, entry.bytes()));
        document.add(new NumericDocValuesField(STATUS_VALUE, entry.status()));
        document.add(new IntPoint(STATUS, entry.status()));
        document.add(new LongPoint(TIME, nanos(entry.time())));
        document.add(new StringField(KIND, kindId(entry.kind()), Store.NO));
        addTerm(document, URL, entry.url());
        addTerm(document, MEDIA_TYPE, entry.mediaType());
        addTerm(document, HOST, entry.host());
        addTerm(document, PATH, pathOf(entry.url()));
        document.add(new TextField(TITLE, entry.title(), Store.NO));
        document.add(new TextField(URL_WORDS, urlWords(entry.url()), Store.NO));
        if (entry.kind() == Kind.PAGE && entry.visit().isFirst() && entry.bytes() > 0) {
            addTerm(document, DIGEST, entry.digest());
        }
        addPathNodes(document, entry);
        return document;
    }

    /** Returns nanoseconds since 1970; times before 1678 and after 2262 are cut to these years. */
    static long nanos(Instant time) {
        var seconds = Math.clamp(time.getEpochSecond(), -SECONDS_MAX, SECONDS_MAX);
        return seconds * 1_000_000_000 + time.getNano();
    }

    private static String urlWords(String url) {
        var runs = new WordIterator(url);
        var words = new StringBuilder(url.length());
        while (runs.next(1)) {
            words.append(runs.current()).append(' ');
        }
        return words.toString();
    }

    Optional<BytesRef> key(String url) {
        return pages.urls().parse(url).map(this::key);
    }

    BytesRef key(CrawlUrl url) {
        var key = pages.urls().rekeyed(url).key();
        return new BytesRef(
                ByteBuffer.allocate(KEY_BYTES).putLong(key.high()).putShort(key.low()).array());
    }

    private void addContents(
            Document document,
            PageLogEntry entry,
            PageContents.PageContent pageContent,
            List<Link> links)
            throws IOException {
        var page = pages.markdown(entry, pageContent);
        document.add(new TextField(TEXT, text(page), Store.NO));
        addTerm(document, LANGUAGE, primaryLanguage(page.language()));
        links.stream()
                .limit(LINKS_MAX)
                .map(link -> link.url().toString())
                .distinct()
                .forEach(url -> addTerm(document, LINK, url));
    }

    /** Returns the first subtag of a language tag (RFC 5646); empty if it is not one. */
    private static String primaryLanguage(String tag) {
        var end = 0;
        while (end < tag.length() && Character.isLetter(tag.charAt(end))) {
            end++;
        }
        return end >= 2 && end <= LANGUAGE_MAX
                ? tag.substring(0, end).toLowerCase(Locale.ROOT)
                : "";
    }

    private static String text(MarkdownPage page) {
        var text = page.title() + "\n" + page.description() + "\n" + page.body();
        return text.length() > TEXT_MAX ? text.substring(0, TEXT_MAX) : text;
    }

    static String kindId(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    private static void addTerm(Document document, String field, String text) {
        if (!text.isEmpty() && text.length() < TERM_MAX / 3) {
            document.add(new StringField(field, new BytesRef(text), Store.NO));
        }
    }

    /**
     * Adds the page's position in the site tree; robots.txt, sitemaps and withdrawn URLs have none.
     */
    private static void addPathNodes(Document document, PageLogEntry entry) {
        if (entry.kind() == Kind.ROBOTS
                || entry.kind() == Kind.SITEMAP
                || entry.kind() == Kind.WITHDRAWN) {
            return;
        }
        var state =
                switch (entry.kind()) {
                    case PAGE -> OK_BELOW;
                    case REDIRECT -> REDIRECT_BELOW;
                    case ERROR, FAILED, RETRIED, ROBOTS, SITEMAP, WITHDRAWN -> ERROR_BELOW;
                };
        var directory = "";
        for (var step : pathPrefixes(entry.url())) {
            addTerm(document, BELOW, directory + PATH_SEPARATOR + step);
            addTerm(document, state, directory + PATH_SEPARATOR + step);
            directory = step;
        }
    }

    /** Returns the host and every directory down to the page, each as a URL prefix. */
    static List<String> pathPrefixes(String url) {
        var steps = new ArrayList<String>();
        var path = url.indexOf('/', url.indexOf("//") + 2);
        if (path < 0) {
            return List.of(url + "/");
        }
        steps.add(url.substring(0, path + 1));
        var query = url.indexOf('?', path);
        var end = query < 0 ? url.length() : query;
        for (var at = url.indexOf('/', path + 1);
                at >= 0 && at < end && steps.size() < DEPTH_MAX;
                at = url.indexOf('/', at + 1)) {
            steps.add(url.substring(0, at + 1));
        }
        if (!steps.getLast().equals(url)) {
            steps.add(url);
        }
        return steps;
    }

    static String pathOf(String url) {
        var path = url.indexOf('/', url.indexOf("//") + 2);
        return path < 0 ? "/" : url.substring(path);
    }
}
