package dev.orbweaver.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.export.markdown.MarkdownConverter;
import dev.orbweaver.export.markdown.RepeatedBlocks;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.Hashes;
import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.parse.HtmlParser;
import dev.orbweaver.internal.parse.MinHash;

import org.duckdb.DuckDBAppender;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Exports clusters of pages with equal bytes or nearly equal main text (ADR 21). The first page of
 * a cluster is the one found first; the others are marked as exact or near duplicates of it.
 *
 * <p>Extracting the main text is expensive, so it is done only for candidates: pages whose sketch
 * in the page log, which covers the whole text, is similar to another one. That sketch alone is not
 * sufficient, because short pages with the same boilerplate would be duplicates. Other media types
 * are compared by the digest in the log and not read.
 *
 * <p>Every page of a cluster is near to its first page, so clusters do not grow through chains of
 * small differences. A page that is near to another page of a cluster, but not to its first, forms
 * a further cluster with that page, which is then in two.
 *
 * <p>Memory: 13 bytes per page; the rest is in files.
 */
final class DuplicateExport {

    /**
     * The minimum overlap of candidates. Pages with 72 % in common have at least this estimate in
     * 98 of 100 cases: that of 32 bins varies by seven points (standard deviation).
     */
    private static final double CANDIDATE_MIN = 0.57;

    /** The minimum estimated overlap of main texts that are compared word by word. */
    private static final double COMPARED_MIN = 0.65;

    private static final int CRAWL_SHIFT = 40;

    private final CrawlPages pages;
    private final Path scratch;

    /** The line numbers of candidates, by crawl. */
    private final List<BitSet> candidates;

    private final MarkdownConverter converter = new MarkdownConverter(new RepeatedBlocks(), false);
    private int number;

    private DuplicateExport(CrawlPages pages, Path scratch) {
        this.pages = pages;
        this.scratch = scratch;
        this.candidates = Stream.generate(BitSet::new).limit(pages.directories().size()).toList();
    }

    static ExportReport run(CrawlPages pages, ExportSettings settings) throws IOException {
        try (var scratchDirectory = ScratchDirectory.createBeside(settings.exportTarget());
                var duckDb = DuckDb.create(scratchDirectory.directory());
                var out = settings.exportTarget().openText(ExportFormat.DUPLICATES)) {
            new DuplicateExport(pages, scratchDirectory.directory()).fill(duckDb);
            SqlCsv.write(
                    duckDb,
                    "SELECT cluster, size, how, url, title, bytes FROM report ORDER BY cluster,"
                            + " number",
                    out);
            out.finish();
            return ExportReport.of(
                    duckDb.queryLong("SELECT count(DISTINCT cluster) FROM report"), "clusters");
        }
    }

    private void fill(DuckDb duckDb) throws IOException {
        findCandidates();
        duckDb.execute(
                "CREATE TABLE texts (number INTEGER, url VARCHAR, title VARCHAR, bytes BIGINT,"
                        + " high BIGINT, low BIGINT)");
        duckDb.execute("CREATE TABLE pairs (later INTEGER, earlier INTEGER)");
        try (var texts = new MainTextStore(scratch.resolve("words"))) {
            try (var sketches =
                    new SimilarTexts(
                            MainText.SKETCH_BINS, COMPARED_MIN, scratch.resolve("texts"))) {
                append(
                        duckDb,
                        "texts",
                        rows -> pages.forEachPage(page -> add(page, rows, texts, sketches)));
                append(
                        duckDb,
                        "pairs",
                        rows ->
                                sketches.forEachPair(
                                        (earlier, later) ->
                                                addRow(rows, (int) later, (int) earlier)));
            }
            cluster(duckDb, texts);
        }
    }

    /** Marks the pages whose sketch in the page log is similar to another one. */
    private void findCandidates() throws IOException {
        try (var sketches =
                new SimilarTexts(MinHash.PAGE_BINS, CANDIDATE_MIN, scratch.resolve("pages"))) {
            pages.forEachPage(
                    page -> {
                        if (!page.isHtml()) {
                            return;
                        }
                        var sketch = sketch(page);
                        if (sketch.isPresent()) {
                            sketches.add(
                                    ((long) page.crawl() << CRAWL_SHIFT) + page.seq(),
                                    sketch.get());
                        } else {
                            mark(page.crawl(), page.seq());
                        }
                    });
            sketches.forEachPair(
                    (earlier, later) -> {
                        mark(earlier);
                        mark(later);
                    });
        }
    }

    private void mark(long packed) {
        mark((int) (packed >>> CRAWL_SHIFT), packed & ((1L << CRAWL_SHIFT) - 1));
    }

    private void mark(int crawl, long line) {
        candidates.get(crawl).set(Math.toIntExact(line));
    }

    /**
     * Returns the sketch of a page's whole text; empty for a page without text. Page logs of
     * earlier versions have none, so those pages are read.
     */
    private Optional<TextSketch> sketch(StoredPage page) throws IOException {
        var text = page.minHash();
        if (text.isEmpty()) {
            var parser = new HtmlParser(pages.directoryOf(page).urls(), true);
            text =
                    pages.process(page, stored -> parser.parse(stored.document()).minHash())
                            .orElse("");
        }
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            // The log has no number of pairs, so all texts count as equally long.
            return Optional.of(new TextSketch(MinHash.ofPage(text), 1));
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "the page log has an invalid minhash for " + page.url() + ": " + text, e);
        }
    }

    private void add(
            StoredPage page, DuckDBAppender rows, MainTextStore texts, SimilarTexts sketches)
            throws IOException {
        if (!page.isStored() || page.bytes() == 0) {
            return;
        }
        var isCandidate =
                page.isHtml() && candidates.get(page.crawl()).get(Math.toIntExact(page.seq()));
        if (!isCandidate) {
            addRow(page, rows, Hashes.sha256(page.digest().getBytes(UTF_8)));
            return;
        }
        var document = pages.response(page).document();
        var text =
                pages.process(
                        page,
                        stored ->
                                MainText.of(
                                        converter.convert(stored.document(), page.time()).body()));
        if (text.isPresent() && text.get().isComparable()) {
            texts.add(number, text.get());
            sketches.add(number, text.get().sketch());
        }
        // The digest in the log covers the bytes as sent, which depend on their compression.
        addRow(page, rows, Hashes.sha256(Arrays.copyOf(document.bytes(), document.length())));
    }

    private void addRow(StoredPage page, DuckDBAppender rows, byte[] hash) throws IOException {
        var _ =
                DuckDb.wrapSqlErrors(
                        () ->
                                rows.beginRow()
                                        .append(number++)
                                        .append(page.url())
                                        .append(page.title().replace("\u0000", ""))
                                        .append(page.bytes())
                                        .append(Hashes.number(hash, 0))
                                        .append(Hashes.number(hash, Long.BYTES))
                                        .endRow());
    }

    private static void addRow(DuckDBAppender rows, int number, int other) throws IOException {
        var _ = DuckDb.wrapSqlErrors(() -> rows.beginRow().append(number).append(other).endRow());
    }

    private interface RowSource {
        void fill(DuckDBAppender rows) throws IOException;
    }

    private static void append(DuckDb duckDb, String table, RowSource source) throws IOException {
        var _ =
                DuckDb.wrapSqlErrors(
                        () -> {
                            try (var rows = duckDb.appender(table)) {
                                source.fill(rows);
                                return true;
                            }
                        });
    }

    /** Assigns pages to clusters, and writes the report. */
    private void cluster(DuckDb duckDb, MainTextStore texts) throws IOException {
        var firsts = firsts(duckDb, texts);
        duckDb.execute("CREATE TABLE members (number INTEGER, first INTEGER)");
        append(
                duckDb,
                "members",
                rows -> {
                    for (var page = 0; page < number; page++) {
                        if (firsts[page] >= 0) {
                            addRow(rows, page, firsts[page]);
                        }
                    }
                });
        duckDb.execute(
                """
                CREATE TABLE report AS
                WITH listed AS (
                  SELECT DISTINCT first AS number, first FROM members
                  UNION ALL SELECT number, first FROM members)
                SELECT dense_rank() OVER (ORDER BY first) AS cluster,
                  count(*) OVER (PARTITION BY first) AS size,
                  CASE WHEN page.number = first THEN 'first'
                    WHEN page.high = leader.high AND page.low = leader.low THEN 'same'
                    ELSE 'near' END AS how,
                  page.url, page.title, page.bytes, page.number
                FROM listed JOIN texts page ON page.number = listed.number
                  JOIN texts leader ON leader.number = listed.first
                """);
    }

    /** Returns the first page of each page's cluster; -1 if it has no earlier near page. */
    private int[] firsts(DuckDb duckDb, MainTextStore texts) throws IOException {
        texts.flush();
        var firsts = new int[number];
        Arrays.fill(firsts, -1);
        var nearest = new NearestPage(texts, firsts);
        duckDb.query(
                """
                WITH twins AS (
                  SELECT number, min(number) OVER (PARTITION BY high, low) AS twin FROM texts)
                SELECT later, earlier, bool_or(same) FROM (
                  SELECT later, earlier, false AS same FROM pairs
                  UNION ALL SELECT number, twin, true FROM twins WHERE number <> twin)
                GROUP BY later, earlier ORDER BY later, earlier
                """,
                row -> nearest.add(row.getInt(1), row.getInt(2), row.getBoolean(3)));
        nearest.assign();
        return firsts;
    }

    /**
     * Assigns each page to the cluster of the earlier page that is nearest to it; or, if it is not
     * near to the first page of that cluster, to a cluster of which the nearest page is the first.
     */
    private static final class NearestPage {

        private final MainTextStore texts;
        private final int[] firsts;
        private int page = -1;
        private int nearest = -1;
        private double most;

        NearestPage(MainTextStore texts, int[] firsts) {
            this.texts = texts;
            this.firsts = firsts;
        }

        /** Adds a pair of similar pages, in ascending order. */
        void add(int later, int earlier, boolean same) throws IOException {
            if (later != page) {
                assign();
                page = later;
                nearest = -1;
                most = 0;
            }
            var nearness = same ? 1 : texts.read(earlier).nearness(texts.read(later));
            if (nearness > most) {
                most = nearness;
                nearest = earlier;
            }
        }

        void assign() throws IOException {
            if (nearest < 0) {
                return;
            }
            var first = firsts[nearest];
            var isNearFirst = first >= 0 && texts.read(first).nearness(texts.read(page)) > 0;
            firsts[page] = isNearFirst ? first : nearest;
        }
    }
}
