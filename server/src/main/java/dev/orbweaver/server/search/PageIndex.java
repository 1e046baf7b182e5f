package dev.orbweaver.server.search;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.export.PageContents;
import dev.orbweaver.internal.archive.Tombstones;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.explain.PageLogIndex;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.sink.PageLogPosition;
import dev.orbweaver.internal.sink.PageLogReader;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlUrl;

import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.MultiTerms;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.ReaderUtil;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.queryparser.simple.SimpleQueryParser;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.SearcherManager;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopFieldCollectorManager;
import org.apache.lucene.search.TopFieldDocs;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.IOUtils;
import org.apache.lucene.util.StringHelper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * A search index of one crawl's page log: by words, by fields, and by position in the site tree.
 *
 * <p>It tails the log asynchronously: {@link #advance} indexes more lines. Each commit stores the
 * position in the log, so that lines lost in a crash are indexed again, each exactly once. Lines
 * are sorted by number, newest first, so that the most common query reads only the lines that it
 * returns.
 */
public final class PageIndex implements Closeable, PageLogIndex {

    private static final Logger LOG = LoggerFactory.getLogger(PageIndex.class);

    /** Small enough for fifty concurrent crawls. */
    private static final double BUFFER_MB = 4;

    private static final int COMMIT_EVERY = 2_000;
    private static final int WIDER = 16;

    /** Retried attempts of more URLs than this before a line that settles one are not found. */
    private static final int RETRIED_MAX = 10_000;

    private static final String OFFSET = "offset";
    private static final String SEQ = "seq";
    private static final String CHECK = "check";

    /** Which fields documents have. An index of another version is rebuilt from the page log. */
    private static final String FIELDS = "fields";

    private static final String FIELDS_VERSION = "4";
    private static final Sort NEWEST =
            new Sort(new SortField(PageDocumentBuilder.SEQ, SortField.Type.LONG, true));
    private static final Sort OLDEST =
            new Sort(new SortField(PageDocumentBuilder.SEQ, SortField.Type.LONG));
    private static final Map<String, Float> FIELD_BOOSTS =
            Map.of(
                    PageDocumentBuilder.TITLE,
                    4f,
                    PageDocumentBuilder.URL_WORDS,
                    2f,
                    PageDocumentBuilder.TEXT,
                    1f);

    private final Path crawlDirectory;
    private final Tombstones tombstones;
    private final FSDirectory directory;
    private final IndexWriter writer;
    private final SearcherManager searchers;
    private final PageLogReader log;
    private final PageDocumentBuilder pageDocumentBuilder;
    private final StandardAnalyzer analyzer = new StandardAnalyzer();

    /** Attempts that were retried, to be found with the next line that settles a URL. */
    private final Set<BytesRef> retried = new HashSet<>();

    private final Object refreshLock = new Object();
    private int uncommitted;
    private boolean failed;
    private volatile PageLogPosition indexedTo = PageLogPosition.START;
    private volatile long lastIndexed;
    private volatile boolean refreshed;

    private PageIndex(
            Path crawl,
            PageContents pages,
            Tombstones tombstones,
            LongSupplier committed,
            List<Closeable> opened)
            throws IOException {
        this.crawlDirectory = crawl;
        this.tombstones = tombstones;
        this.pageDocumentBuilder = new PageDocumentBuilder(pages);
        this.log = track(opened, PageLogReader.openWithRetried(crawl, committed));
        this.directory = track(opened, FSDirectory.open(crawl.resolve(DirectoryLayout.SEARCH)));
        this.writer =
                track(
                        opened,
                        new IndexWriter(
                                directory,
                                new IndexWriterConfig(analyzer)
                                        .setRAMBufferSizeMB(BUFFER_MB)
                                        .setIndexSort(NEWEST)
                                        .setCommitOnClose(false)));
        this.searchers = track(opened, new SearcherManager(writer, null));
        resume();
    }

    private static <T extends Closeable> T track(List<Closeable> opened, T part) {
        opened.add(part);
        return part;
    }

    /**
     * Opens the index of a crawl directory.
     *
     * @param committed the committed length of the page log
     */
    public static PageIndex open(
            Path directory, PageContents pages, Tombstones tombstones, LongSupplier committed)
            throws IOException {
        var opened = new ArrayList<Closeable>();
        try {
            return new PageIndex(directory, pages, tombstones, committed, opened);
        } catch (IOException | RuntimeException e) {
            // Releases the writer's lock; otherwise this process could not open the index again.
            IOUtils.closeWhileHandlingException(opened.reversed());
            throw e;
        }
    }

    /**
     * Continues after the last indexed line, or from the beginning if the log was replaced or the
     * documents lack fields.
     */
    private void resume() throws IOException {
        var kept = PageLogPosition.START;
        var current = true;
        var data = writer.getLiveCommitData();
        if (data != null) {
            var values = new HashMap<String, String>();
            data.forEach(entry -> values.put(entry.getKey(), entry.getValue()));
            current = values.isEmpty() || FIELDS_VERSION.equals(values.get(FIELDS));
            if (values.containsKey(OFFSET)) {
                kept =
                        new PageLogPosition(
                                Long.parseLong(values.getOrDefault(OFFSET, "0")),
                                Long.parseLong(values.getOrDefault(SEQ, "0")),
                                Integer.parseInt(values.getOrDefault(CHECK, "0")));
            }
        }
        if (!current || !log.seek(kept)) {
            LOG.info(
                    "rebuilding the search index of {}: {}",
                    crawlDirectory,
                    current ? "its page log was replaced" : "an earlier version wrote it");
            writer.deleteAll();
            var _ = log.seek(PageLogPosition.START);
        }
        indexedTo = log.position();
        lastIndexed = indexedTo.seq();
    }

    /**
     * Indexes up to {@code max} more lines.
     *
     * @return the number of lines indexed
     */
    public synchronized int advance(int max) throws IOException {
        if (failed) {
            throw new IOException("the search index has failed and was not reopened");
        }
        failed =
                true; // Until these lines are indexed: if one fails, the log is ahead of the index.
        var lines = log.next(max);
        var begin = indexedTo;
        for (var line : lines) {
            var entry = line.entry();
            if (entry.kind() == Kind.RETRIED && retried.size() < RETRIED_MAX) {
                pageDocumentBuilder.key(entry.url()).ifPresent(retried::add);
                continue;
            }
            if (entry.kind() != Kind.RETRIED) {
                // Retried attempts are in between, so the offset is that of the first of them.
                var at = begin.offset();
                add(entry, at, Math.toIntExact(line.after().offset() - at));
            }
            retried.clear();
            begin = line.after();
        }
        if (!lines.isEmpty()) {
            uncommitted += lines.size();
            refreshed = false;
            indexedTo = begin;
            lastIndexed = log.position().seq();
            if (uncommitted >= COMMIT_EVERY) {
                commit();
            }
        }
        failed = false;
        return lines.size();
    }

    private void add(PageLogEntry entry, long at, int length) throws IOException {
        try {
            writer.addDocument(pageDocumentBuilder.toDocument(entry, at, length, retried));
        } catch (IOException | RuntimeException | StackOverflowError e) {
            // The WARC file may have been moved; the line's other fields are still indexed.
            LOG.warn("could not index the text of {}: {}", entry.url(), e.toString());
            writer.addDocument(pageDocumentBuilder.metadataDocument(entry, at, length, retried));
        }
    }

    private void commit() throws IOException {
        var position = indexedTo;
        writer.setLiveCommitData(
                Map.of(
                                OFFSET,
                                Long.toString(position.offset()),
                                SEQ,
                                Long.toString(position.seq()),
                                CHECK,
                                Integer.toString(position.checksum()),
                                FIELDS,
                                FIELDS_VERSION)
                        .entrySet());
        writer.commit();
        uncommitted = 0;
    }

    /** Whether the index can be searched; false after a permanent error. */
    public boolean isOpen() {
        return writer.isOpen();
    }

    public long lastIndexed() {
        return lastIndexed;
    }

    /** Whether every committed line is indexed. */
    public synchronized boolean isCurrent() throws IOException {
        return log.position().offset() >= log.end().offset();
    }

    /** What lines are counted by. */
    public enum Facet {
        HOST(PageDocumentBuilder.HOST),
        LANGUAGE(PageDocumentBuilder.LANGUAGE),
        LINK_TARGET(PageDocumentBuilder.LINK),
        DIGEST(PageDocumentBuilder.DIGEST);

        private final String field;

        Facet(String field) {
            this.field = field;
        }
    }

    public record ValueCount(String value, long lines) {}

    /**
     * The values of a facet.
     *
     * @param distinct the number of values
     * @param repeated the number of values that several lines have
     * @param repetitions the number of lines with such a value, less one for each value
     * @param top the values with the most lines, the most frequent first
     */
    public record FacetCounts(
            long distinct, long repeated, long repetitions, List<ValueCount> top) {}

    /**
     * Counts the lines of every value of a facet; the memory needed depends only on {@code max}.
     */
    public FacetCounts count(Facet facet, int max) throws IOException {
        var searcher = searcher();
        try {
            var terms = MultiTerms.getTerms(searcher.getIndexReader(), facet.field);
            if (terms == null) {
                return new FacetCounts(0, 0, 0, List.of());
            }
            var byLines = Comparator.comparingLong(ValueCount::lines);
            var top = new PriorityQueue<ValueCount>(byLines);
            var distinct = 0L;
            var repeated = 0L;
            var repetitions = 0L;
            var each = terms.iterator();
            for (var term = each.next(); term != null; term = each.next()) {
                var lines = each.docFreq();
                distinct++;
                repeated += lines > 1 ? 1 : 0;
                repetitions += lines - 1;
                if (top.size() < max || lines > top.element().lines) {
                    var value = new ValueCount(term.utf8ToString(), lines);
                    if (facet != Facet.LINK_TARGET || !isTakenDown(value.value)) {
                        top.add(value);
                    }
                    if (top.size() > max) {
                        top.remove();
                    }
                }
            }
            return new FacetCounts(
                    distinct,
                    repeated,
                    repetitions,
                    top.stream()
                            .sorted(byLines.reversed().thenComparing(ValueCount::value))
                            .toList());
        } finally {
            searchers.release(searcher);
        }
    }

    /** Returns lines that have a value of a facet, the newest first, and their total number. */
    public SearchResult find(Facet facet, String value, int max) throws IOException {
        var searcher = searcher();
        try {
            var query = new TermQuery(new Term(facet.field, value));
            var entries = new ArrayList<PageLogEntry>();
            if (max > 0) {
                for (var doc : page(searcher, query, NEWEST, max).scoreDocs) {
                    entry(searcher, doc).ifPresent(entries::add);
                }
            }
            return new SearchResult(entries, searcher.count(query), OptionalLong.empty());
        } finally {
            searchers.release(searcher);
        }
    }

    /**
     * A page of results.
     *
     * @param total the total number of results
     * @param next the line after which there may be more; empty if there are none or the results
     *     are not ordered by number. Lines that were taken down match but are not returned, so it
     *     may not be the number of an entry
     */
    public record SearchResult(List<PageLogEntry> entries, long total, OptionalLong next) {}

    public SearchResult search(PageSearchQuery wanted) throws IOException {
        var searcher = searcher();
        try {
            var query = query(wanted);
            var sort =
                    switch (wanted.order()) {
                        case NEWEST -> NEWEST;
                        case OLDEST -> OLDEST;
                        case RELEVANCE -> Sort.RELEVANCE;
                    };
            var count = wanted.offset() + wanted.limit();
            var total = searcher.count(query);
            if (count == 0 || total == 0) {
                return new SearchResult(List.of(), total, OptionalLong.empty());
            }
            var top =
                    wanted.order() == PageSearchQuery.Order.OLDEST
                            ? oldest(searcher, query, wanted.after().orElse(0) + 1, count)
                            : page(searcher, query, sort, count);
            var entries = new ArrayList<PageLogEntry>();
            for (var i = wanted.offset(); i < top.scoreDocs.length; i++) {
                entry(searcher, top.scoreDocs[i]).ifPresent(entries::add);
            }
            var goesOn =
                    wanted.limit() > 0
                            && top.scoreDocs.length == count
                            && wanted.order() != PageSearchQuery.Order.RELEVANCE;
            return new SearchResult(
                    entries,
                    total,
                    goesOn
                            ? OptionalLong.of(seq(searcher, top.scoreDocs[count - 1]))
                            : OptionalLong.empty());
        } finally {
            searchers.release(searcher);
        }
    }

    /**
     * Finds the first lines. Their order is the reverse of that of the index, in which a search
     * would visit every match, so it is limited to the first numbers as long as there are enough.
     */
    private TopFieldDocs oldest(IndexSearcher searcher, Query query, long from, int count)
            throws IOException {
        for (var width = 2L * count; ; width *= WIDER) {
            var first =
                    new BooleanQuery.Builder()
                            .add(query, Occur.MUST)
                            .add(
                                    LongPoint.newRangeQuery(
                                            PageDocumentBuilder.SEQ, from, from + width),
                                    Occur.FILTER)
                            .build();
            var top = page(searcher, first, OLDEST, count);
            if (top.scoreDocs.length == count || from + width > lastIndexed) {
                return top;
            }
        }
    }

    /**
     * Returns a searcher that sees every indexed line. The reader is refreshed only for a query: to
     * refresh it after every few lines would cost more than to index them.
     */
    private IndexSearcher searcher() throws IOException {
        synchronized (refreshLock) { // A concurrent query waits until the lines can be seen.
            if (!refreshed) {
                refreshed = true; // First: a line that is added meanwhile makes it stale again.
                searchers.maybeRefreshBlocking();
            }
        }
        return searchers.acquire();
    }

    private Query query(PageSearchQuery wanted) {
        var query = new BooleanQuery.Builder();
        if (!wanted.text().isBlank()) {
            var parser = new SimpleQueryParser(analyzer, FIELD_BOOSTS, QUERY_OPERATORS);
            parser.setDefaultOperator(Occur.MUST);
            query.add(parser.parse(wanted.text()), Occur.MUST);
        }
        if (!wanted.kinds().isEmpty()) {
            var kinds = new BooleanQuery.Builder();
            wanted.kinds()
                    .forEach(
                            kind ->
                                    kinds.add(
                                            new TermQuery(
                                                    new Term(
                                                            PageDocumentBuilder.KIND,
                                                            PageDocumentBuilder.kindId(kind))),
                                            Occur.SHOULD));
            query.add(kinds.build(), Occur.FILTER);
        }
        wanted.host()
                .ifPresent(
                        host ->
                                query.add(
                                        new TermQuery(new Term(PageDocumentBuilder.HOST, host)),
                                        Occur.FILTER));
        wanted.path()
                .ifPresent(
                        path ->
                                query.add(
                                        new PrefixQuery(new Term(PageDocumentBuilder.PATH, path)),
                                        Occur.FILTER));
        wanted.url()
                .ifPresent(
                        url ->
                                query.add(
                                        new TermQuery(new Term(PageDocumentBuilder.URL, url)),
                                        Occur.FILTER));
        wanted.mediaType()
                .ifPresent(
                        type ->
                                query.add(
                                        new TermQuery(
                                                new Term(PageDocumentBuilder.MEDIA_TYPE, type)),
                                        Occur.FILTER));
        if (wanted.statusFrom() > 0 || wanted.statusTo() < Integer.MAX_VALUE) {
            query.add(
                    IntPoint.newRangeQuery(
                            PageDocumentBuilder.STATUS, wanted.statusFrom(), wanted.statusTo()),
                    Occur.FILTER);
        }
        if (wanted.from().isPresent() || wanted.to().isPresent()) {
            query.add(
                    LongPoint.newRangeQuery(
                            PageDocumentBuilder.TIME,
                            wanted.from().map(PageDocumentBuilder::nanos).orElse(Long.MIN_VALUE),
                            wanted.to()
                                    .map(time -> PageDocumentBuilder.nanos(time) - 1)
                                    .orElse(Long.MAX_VALUE)),
                    Occur.FILTER);
        }
        wanted.after()
                .ifPresent(
                        seq ->
                                query.add(
                                        wanted.order() == PageSearchQuery.Order.OLDEST
                                                ? LongPoint.newRangeQuery(
                                                        PageDocumentBuilder.SEQ,
                                                        seq + 1,
                                                        Long.MAX_VALUE)
                                                : LongPoint.newRangeQuery(
                                                        PageDocumentBuilder.SEQ, 0, seq - 1),
                                        Occur.FILTER));
        var built = query.build();
        return built.clauses().isEmpty() ? MatchAllDocsQuery.INSTANCE : built;
    }

    /** Supports phrases, minus and prefixes, but no operators that can be made expensive. */
    private static final int QUERY_OPERATORS =
            SimpleQueryParser.PHRASE_OPERATOR
                    | SimpleQueryParser.NOT_OPERATOR
                    | SimpleQueryParser.PREFIX_OPERATOR
                    | SimpleQueryParser.WHITESPACE_OPERATOR
                    | SimpleQueryParser.AND_OPERATOR
                    | SimpleQueryParser.OR_OPERATOR;

    @Override
    public long indexedBytes() {
        return indexedTo.offset();
    }

    @Override
    public List<PageLogEntry> attempts(CrawlUrl url, int max) throws IOException {
        var key = pageDocumentBuilder.key(url);
        var query =
                new BooleanQuery.Builder()
                        .add(new TermQuery(new Term(PageDocumentBuilder.KEY, key)), Occur.SHOULD)
                        .add(
                                new TermQuery(new Term(PageDocumentBuilder.RETRIED, key)),
                                Occur.SHOULD)
                        .build();
        var lines = new TreeMap<Long, List<PageLogEntry>>();
        var searcher = searcher();
        try {
            for (var part :
                    List.of(
                            page(searcher, query, OLDEST, 1),
                            page(searcher, query, NEWEST, max - 1))) {
                for (var hit : part.scoreDocs) {
                    lines.put(seq(searcher, hit), range(searcher, hit));
                }
            }
        } finally {
            searchers.release(searcher);
        }
        return lines.values().stream()
                .flatMap(List::stream)
                .filter(
                        entry ->
                                pageDocumentBuilder
                                        .key(entry.url())
                                        .filter(key::equals)
                                        .isPresent())
                .toList();
    }

    @Override
    public Optional<PageLogEntry> line(long seq) throws IOException {
        return lines(LongPoint.newExactQuery(PageDocumentBuilder.SEQ, seq), 1).stream().findFirst();
    }

    @Override
    public List<PageLogEntry> linesLinkingTo(CrawlUrl url, int max) throws IOException {
        var key = pageDocumentBuilder.key(url);
        return lines(new TermQuery(new Term(PageDocumentBuilder.TARGET, key)), max);
    }

    /** Returns the first lines that match, also those that were taken down. */
    private List<PageLogEntry> lines(Query query, int max) throws IOException {
        var searcher = searcher();
        try {
            var entries = new ArrayList<PageLogEntry>();
            for (var hit : page(searcher, query, OLDEST, max).scoreDocs) {
                entries.add(lastLine(text(searcher, hit)));
            }
            return entries;
        } finally {
            searchers.release(searcher);
        }
    }

    private static TopFieldDocs page(IndexSearcher searcher, Query query, Sort sort, int max)
            throws IOException {
        return searcher.search(query, new TopFieldCollectorManager(sort, max, 1));
    }

    /** Returns the line of a document, after the retried attempts that precede it. */
    private List<PageLogEntry> range(IndexSearcher searcher, ScoreDoc hit) throws IOException {
        var entries = new ArrayList<PageLogEntry>();
        for (var line : text(searcher, hit).lines().toList()) {
            entries.add(PageLog.parseLine(line));
        }
        return entries;
    }

    public Optional<PageLogEntry> findBySeq(long seq) throws IOException {
        return first(LongPoint.newExactQuery(PageDocumentBuilder.SEQ, seq));
    }

    /** Returns the last line of a URL. */
    public Optional<PageLogEntry> latest(String url) throws IOException {
        return first(new TermQuery(new Term(PageDocumentBuilder.URL, url)));
    }

    /** Whether a URL was taken down, so that links to it must not be listed either. */
    public boolean isTakenDown(String url) {
        return !tombstones.isEmpty() && tombstones.covers(url);
    }

    /** Returns pages that link to a URL. */
    public SearchResult inlinks(String url, int max) throws IOException {
        return find(Facet.LINK_TARGET, url, max);
    }

    private Optional<PageLogEntry> first(Query query) throws IOException {
        var searcher = searcher();
        try {
            var top = page(searcher, query, NEWEST, 1);
            return top.scoreDocs.length == 0 ? Optional.empty() : entry(searcher, top.scoreDocs[0]);
        } finally {
            searchers.release(searcher);
        }
    }

    private Optional<PageLogEntry> entry(IndexSearcher searcher, ScoreDoc hit) throws IOException {
        var entry = lastLine(text(searcher, hit));
        return tombstones.covers(entry.url()) ? Optional.empty() : Optional.of(entry);
    }

    private static PageLogEntry lastLine(String text) throws IOException {
        return PageLog.parseLine(text.substring(text.lastIndexOf('\n') + 1));
    }

    /** Returns the line of a document, after lines that settle no URL. */
    private String text(IndexSearcher searcher, ScoreDoc hit) throws IOException {
        var leaves = searcher.getIndexReader().leaves();
        var leaf = leaves.get(ReaderUtil.subIndex(hit.doc, leaves));
        var at = value(leaf, PageDocumentBuilder.LOG_OFFSET, hit.doc);
        var length = Math.toIntExact(value(leaf, PageDocumentBuilder.LENGTH, hit.doc));
        var bytes = ByteBuffer.allocate(length);
        try (var file = FileChannel.open(crawlDirectory.resolve(DirectoryLayout.PAGE_LOG))) {
            while (bytes.hasRemaining() && file.read(bytes, at + bytes.position()) >= 0) {}
        }
        return new String(bytes.array(), UTF_8).stripTrailing();
    }

    private static long seq(IndexSearcher searcher, ScoreDoc hit) throws IOException {
        var leaves = searcher.getIndexReader().leaves();
        return value(
                leaves.get(ReaderUtil.subIndex(hit.doc, leaves)), PageDocumentBuilder.SEQ, hit.doc);
    }

    private static long value(LeafReaderContext leaf, String field, int doc) throws IOException {
        var values = leaf.reader().getNumericDocValues(field);
        if (values == null || !values.advanceExact(doc - leaf.docBase)) {
            throw new IOException("a document of the search index has no field " + field);
        }
        return values.longValue();
    }

    /**
     * A page or directory of the site tree.
     *
     * @param path the URL of the page, or of the directory with a trailing slash
     * @param hasMore whether it is a directory with entries
     * @param status the status of the page's last response; empty for a directory or without one
     */
    public record PathNode(
            String path,
            long pages,
            long redirects,
            long errors,
            long bytes,
            boolean hasMore,
            OptionalInt status) {}

    /**
     * Returns the entries of a directory, ordered by name. A directory is identified by its URL up
     * to the slash; the hosts are the entries of the empty string.
     */
    public List<PathNode> children(String parent, int max) throws IOException {
        var searcher = searcher();
        try {
            var reader = searcher.getIndexReader();
            var terms = MultiTerms.getTerms(reader, PageDocumentBuilder.BELOW);
            var pathNodes = new ArrayList<PathNode>();
            if (terms == null) {
                return pathNodes;
            }
            var begin = new BytesRef(parent + PageDocumentBuilder.PATH_SEPARATOR);
            var each = terms.iterator();
            var found = each.seekCeil(begin) != TermsEnum.SeekStatus.END;
            while (found && pathNodes.size() < max && startsWith(each.term(), begin)) {
                var term = BytesRef.deepCopyOf(each.term());
                var url = term.utf8ToString().substring(parent.length() + 1);
                if (!url.equals(parent) && !tombstones.covers(url)) {
                    var hasMore = hasChildren(terms, url);
                    pathNodes.add(
                            new PathNode(
                                    url,
                                    reader.docFreq(new Term(PageDocumentBuilder.OK_BELOW, term)),
                                    reader.docFreq(
                                            new Term(PageDocumentBuilder.REDIRECT_BELOW, term)),
                                    reader.docFreq(new Term(PageDocumentBuilder.ERROR_BELOW, term)),
                                    bytes(searcher, each),
                                    hasMore,
                                    hasMore ? OptionalInt.empty() : status(searcher, each)));
                }
                found = each.next() != null;
            }
            return pathNodes;
        } finally {
            searchers.release(searcher);
        }
    }

    private static boolean startsWith(BytesRef term, BytesRef prefix) {
        return StringHelper.startsWith(term, prefix);
    }

    private static boolean hasChildren(Terms terms, String url) throws IOException {
        var begin = new BytesRef(url + PageDocumentBuilder.PATH_SEPARATOR);
        var each = terms.iterator();
        return each.seekCeil(begin) != TermsEnum.SeekStatus.END && startsWith(each.term(), begin);
    }

    private static long bytes(IndexSearcher searcher, TermsEnum term) throws IOException {
        var leaves = searcher.getIndexReader().leaves();
        var sum = 0L;
        NumericDocValues values = null;
        var leaf = -1;
        var docs = term.postings(null, PostingsEnum.NONE);
        for (var doc = docs.nextDoc(); doc != DocIdSetIterator.NO_MORE_DOCS; doc = docs.nextDoc()) {
            var at = ReaderUtil.subIndex(doc, leaves);
            if (at != leaf || values == null) {
                leaf = at;
                values = leaves.get(at).reader().getNumericDocValues(PageDocumentBuilder.BYTES);
            }
            if (values != null && values.advanceExact(doc - leaves.get(at).docBase)) {
                sum += values.longValue();
            }
        }
        return sum;
    }

    /** Returns the status of a page's latest line; 0 without a response. */
    private static OptionalInt status(IndexSearcher searcher, TermsEnum page) throws IOException {
        var leaves = searcher.getIndexReader().leaves();
        var newest = -1L;
        var status = 0;
        var docs = page.postings(null, PostingsEnum.NONE);
        for (var doc = docs.nextDoc(); doc != DocIdSetIterator.NO_MORE_DOCS; doc = docs.nextDoc()) {
            var leaf = leaves.get(ReaderUtil.subIndex(doc, leaves));
            var seq = value(leaf, PageDocumentBuilder.SEQ, doc);
            if (seq > newest) {
                var statuses =
                        DocValues.getNumeric(leaf.reader(), PageDocumentBuilder.STATUS_VALUE);
                newest = seq;
                status =
                        statuses.advanceExact(doc - leaf.docBase)
                                ? Math.toIntExact(statuses.longValue())
                                : 0;
            }
        }
        return status == 0 ? OptionalInt.empty() : OptionalInt.of(status);
    }

    /** Closes the index. After an error it discards uncommitted lines; they are indexed again. */
    @Override
    public synchronized void close() throws IOException {
        try (log;
                directory;
                writer;
                searchers) {
            if (uncommitted > 0 && !failed && writer.isOpen()) {
                commit();
            }
        }
    }
}
