package dev.orbweaver.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.export.markdown.MarkdownConverter;
import dev.orbweaver.export.markdown.RepeatedBlocks;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.Hashes;
import dev.orbweaver.internal.archive.StoredPage;

import org.duckdb.DuckDBAppender;

import java.io.IOException;
import java.util.Arrays;

/**
 * Exports clusters of pages with equal bytes or nearly equal main text. The first page of a cluster
 * is the one found first; the others are marked as exact or near duplicates.
 *
 * <p>Extracting the main text is expensive, so it is done only for candidates: pages whose SimHash
 * in the page log, which covers the whole text, is near another one. That SimHash alone is not
 * sufficient, because short pages with the same boilerplate would be duplicates. Other media types
 * are compared by the digest in the log and not read.
 */
final class DuplicateExport {

    private final CrawlPages pages;
    private final NearDuplicateIndex textHashes = new NearDuplicateIndex();

    /** Clusters by the SimHash in the log, and the number of pages of each. */
    private final NearDuplicateIndex pageHashes = new NearDuplicateIndex();

    private int[] clusterSizes = new int[1024];
    private final MarkdownConverter converter = new MarkdownConverter(new RepeatedBlocks(), false);
    private long number;

    private DuplicateExport(CrawlPages pages) {
        this.pages = pages;
    }

    static ExportReport run(CrawlPages pages, ExportSettings settings) throws IOException {
        try (var scratchDirectory = ScratchDirectory.createBeside(settings.exportTarget());
                var duckDb = DuckDb.create(scratchDirectory.directory());
                var out = settings.exportTarget().openText(ExportFormat.DUPLICATES)) {
            duckDb.execute(
                    "CREATE TABLE texts (number BIGINT, url VARCHAR, title VARCHAR, bytes BIGINT,"
                            + " high BIGINT, low BIGINT, near INTEGER)");
            new DuplicateExport(pages).fill(duckDb);
            cluster(duckDb);
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
        pages.forEachPage(this::count);
        var _ =
                DuckDb.wrapSqlErrors(
                        () -> {
                            try (var rows = duckDb.appender("texts")) {
                                pages.forEachPage(page -> add(page, rows));
                                return true;
                            }
                        });
    }

    private void count(StoredPage page) {
        if (hasSimHash(page)) {
            var leader = pageHashes.leader(page.simHash());
            if (leader >= clusterSizes.length) {
                clusterSizes = Arrays.copyOf(clusterSizes, clusterSizes.length * 2);
            }
            clusterSizes[leader]++;
        }
    }

    private static boolean hasSimHash(StoredPage page) {
        return page.isHtml() && page.simHash() != 0;
    }

    /** Whether the page cannot have a duplicate. */
    private boolean isUnique(StoredPage page) {
        return !page.isHtml()
                || (hasSimHash(page) && clusterSizes[pageHashes.leader(page.simHash())] == 1);
    }

    private void add(StoredPage page, DuckDBAppender rows) throws IOException {
        if (!page.isStored() || page.bytes() == 0) {
            return;
        }
        if (isUnique(page)) {
            add(page, rows, Hashes.sha256(page.digest().getBytes(UTF_8)), 0);
            return;
        }
        var document = pages.response(page).document();
        // The digest in the log covers the bytes as sent, which depend on their compression.
        var hash = Hashes.sha256(Arrays.copyOf(document.bytes(), document.length()));
        var print =
                pages.process(
                        page,
                        storedResponse -> {
                            var text = converter.convert(storedResponse.document(), page.time());
                            return TextFingerprint.of(text.body());
                        });
        add(page, rows, hash, print.orElse(0L));
    }

    private void add(StoredPage page, DuckDBAppender rows, byte[] hash, long print)
            throws IOException {
        // A page without text has no near-duplicates.
        var near = print == 0 ? -1 : textHashes.leader(print);
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
                                        .append(near)
                                        .endRow());
    }

    /** Merges exact clusters into near ones: pages with equal bytes have equal text. */
    private static void cluster(DuckDb duckDb) throws IOException {
        duckDb.execute(
                """
                CREATE TABLE report AS
                WITH grouped AS (
                  SELECT *,
                    CASE WHEN near >= 0 THEN 'n' || near ELSE 'x' || high || '.' || low END AS grp,
                    min(number) OVER (PARTITION BY high, low) AS twin
                  FROM texts),
                counted AS (
                  SELECT *, count(*) OVER (PARTITION BY grp) AS size,
                    min(number) OVER (PARTITION BY grp) AS leader
                  FROM grouped)
                SELECT dense_rank() OVER (ORDER BY leader) AS cluster, size,
                  CASE WHEN number = leader THEN 'first' WHEN twin = leader THEN 'same' ELSE 'near'
                    END AS how,
                  url, title, bytes, number
                FROM counted WHERE size > 1
                """);
    }
}
