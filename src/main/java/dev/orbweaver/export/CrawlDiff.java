package dev.orbweaver.export;

import dev.orbweaver.archive.CrawlPages;
import dev.orbweaver.archive.Digests;
import dev.orbweaver.archive.PageFilter;
import dev.orbweaver.archive.StoredPage;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.PrintableText;
import dev.orbweaver.model.TextScan;
import dev.orbweaver.parse.Document;
import dev.orbweaver.parse.markdown.MarkdownConverter;
import dev.orbweaver.parse.markdown.SiteMemory;
import dev.orbweaver.sink.PageEntry;
import dev.orbweaver.sink.WarcPlace;

import org.duckdb.DuckDBAppender;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * What is new, gone and changed between two crawls.
 *
 * <p>Pages are matched by their URLs' keys in DuckDB, in the order of their URLs, so crawls may be
 * of any size. Where the stored bytes differ, the main texts are compared: a page whose words are
 * the same has not changed, whatever its theme or its nonce says.
 */
public final class CrawlDiff {

    /** What was found. */
    public record Counts(long added, long gone, long changed, long same) {

        /** Whether the crawls hold the same. */
        public boolean isEmpty() {
            return added + gone + changed == 0;
        }
    }

    private final CrawlPages before;
    private final CrawlPages after;
    private final SiteMemories beforeMemories;
    private final SiteMemories afterMemories;
    private final TextFile out;
    private long added;
    private long gone;
    private long changed;
    private long same;

    private CrawlDiff(CrawlPages before, CrawlPages after, Scratch scratch, TextFile out)
            throws IOException {
        this.before = before;
        this.after = after;
        this.beforeMemories =
                new SiteMemories(
                        java.nio.file.Files.createDirectory(scratch.folder().resolve("before")));
        this.afterMemories =
                new SiteMemories(
                        java.nio.file.Files.createDirectory(scratch.folder().resolve("after")));
        this.out = out;
    }

    /** Compares two crawls, as far as a filter wants, and writes what it finds. */
    public static Counts run(CrawlPages old, CrawlPages young, PageFilter filter, Target target)
            throws IOException {
        try (var scratch = Scratch.anywhere();
                var tables = Tables.in(scratch.folder());
                var out = target.text("diff.txt")) {
            var diff = new CrawlDiff(old.only(filter), young.only(filter), scratch, out);
            diff.compare(tables);
            out.finish();
            return new Counts(diff.added, diff.gone, diff.changed, diff.same);
        }
    }

    private void compare(Tables tables) throws IOException {
        fill(before, "old", tables);
        fill(after, "young", tables);
        learn(before, beforeMemories);
        learn(after, afterMemories);
        tables.query(
                """
                SELECT young.url FROM young ANTI JOIN old USING (key) ORDER BY 1
                """,
                row -> {
                    added++;
                    out.write("new      " + row.getString(1) + "\n");
                });
        tables.query(
                """
                SELECT old.url FROM old ANTI JOIN young USING (key) ORDER BY 1
                """,
                row -> {
                    gone++;
                    out.write("gone     " + row.getString(1) + "\n");
                });
        same =
                tables.number(
                        "SELECT count(*) FROM old JOIN young USING (key) WHERE old.digest ="
                                + " young.digest");
        tables.query(
                """
                SELECT old.*, young.* FROM old JOIN young USING (key)
                WHERE old.digest <> young.digest ORDER BY young.url
                """,
                row -> compare(page(row, 1), page(row, COLUMNS + 1)));
    }

    private static final int COLUMNS = 13;

    private static void fill(CrawlPages pages, String table, Tables tables) throws IOException {
        tables.execute(
                "CREATE TABLE "
                        + table
                        + " (key BIGINT, crawl INTEGER, seq BIGINT, url VARCHAR, status INTEGER,"
                        + " type VARCHAR, digest VARCHAR, warc VARCHAR, \"offset\" BIGINT,"
                        + " length BIGINT, original VARCHAR, original_offset BIGINT,"
                        + " original_length BIGINT)");
        var _ =
                Tables.with(
                        () -> {
                            try (var rows = tables.appender(table)) {
                                pages.eachPage(page -> add(pages, page, rows));
                                return true;
                            }
                        });
    }

    private static void add(CrawlPages pages, StoredPage page, DuckDBAppender rows)
            throws IOException {
        var key = pages.folderOf(page).urls().parse(page.url()).map(it -> it.key().high());
        var _ =
                Tables.with(
                        () ->
                                rows.beginRow()
                                        .append(key.orElse(Digests.number(page.url())))
                                        .append(page.crawl())
                                        .append(page.seq())
                                        .append(page.url())
                                        .append(page.status())
                                        .append(page.mediaType())
                                        .append(page.digest())
                                        .append(page.warc())
                                        .append(page.offset())
                                        .append(page.length())
                                        .append(page.original().warc())
                                        .append(page.original().offset())
                                        .append(page.original().length())
                                        .endRow());
    }

    private static StoredPage page(ResultSet row, int column) throws SQLException {
        return new StoredPage(
                row.getInt(column + 1),
                new PageEntry(
                        row.getLong(column + 2),
                        row.getString(column + 3),
                        Kind.PAGE,
                        row.getInt(column + 4),
                        Instant.EPOCH,
                        0,
                        0,
                        0,
                        0,
                        row.getString(column + 5),
                        "",
                        "",
                        0,
                        0,
                        0,
                        row.getString(column + 6),
                        "",
                        "",
                        "",
                        row.getString(column + 7),
                        row.getLong(column + 8),
                        row.getLong(column + 9),
                        false,
                        "",
                        new WarcPlace(
                                row.getString(column + 10),
                                row.getLong(column + 11),
                                row.getLong(column + 12))));
    }

    private static void learn(CrawlPages pages, SiteMemories memories) throws IOException {
        pages.eachPage(
                page -> {
                    if (page.isHtml()) {
                        var _ =
                                pages.work(
                                        page,
                                        answer -> {
                                            memories.learn(page.authority(), answer.document());
                                            return true;
                                        });
                    }
                });
    }

    private void compare(StoredPage old, StoredPage young) throws IOException {
        var lines =
                LineDiff.of(text(before, beforeMemories, old), text(after, afterMemories, young));
        var words = old.isHtml() && young.isHtml();
        var unread = before.unread().contains(old) || after.unread().contains(young);
        if (lines.isEmpty() && words && !unread) {
            same++;
            return;
        }
        changed++;
        out.write("changed  " + young.url() + "\n");
        if (lines.isEmpty()) {
            out.write(
                    unread
                            ? "  its bytes; its text could not be processed, as the log says\n"
                            : "  its bytes, and no text of it\n");
        }
        for (var line : lines) {
            out.write("  " + line + "\n");
        }
    }

    private static List<String> text(CrawlPages pages, SiteMemories memories, StoredPage page)
            throws IOException {
        if (!page.isStored()) {
            return List.of();
        }
        var memory = memories.of(page.authority());
        return pages.work(page, answer -> text(answer.document(), memory, page)).orElse(List.of());
    }

    private static List<String> text(Document document, SiteMemory memory, StoredPage page) {
        if (page.isHtml()) {
            var converter = new MarkdownConverter(memory, false);
            return sentences(converter.convert(document, page.time()).body());
        }
        return page.mediaType().startsWith("text/")
                ? sentences(
                        new String(document.bytes(), 0, document.length(), StandardCharsets.UTF_8))
                : List.of();
    }

    /** A line cut at the single spaces behind marks that end a sentence. */
    private static List<String> sentencesOf(String line) {
        var sentences = new ArrayList<String>();
        var start = 0;
        for (var at = 1; at + 1 < line.length(); at++) {
            if (line.charAt(at) == ' '
                    && ".!?;:".indexOf(line.charAt(at - 1)) >= 0
                    && !TextScan.isSpace(line.charAt(at + 1))) {
                sentences.add(line.substring(start, at));
                start = at + 1;
            }
        }
        sentences.add(line.substring(start));
        return sentences;
    }

    /** Lines, and the sentences of long ones: a word changed in a paragraph is no new paragraph. */
    private static List<String> sentences(String text) {
        var lines = new ArrayList<String>();
        var fence = "";
        for (var line : text.lines().toList()) {
            fence = MarkdownLines.fenceAfter(fence, line);
            if (line.isBlank()) {
                continue;
            }
            for (var part : fence.isEmpty() ? sentencesOf(line) : List.of(line)) {
                lines.add(PrintableText.line(part));
            }
        }
        return lines;
    }
}
