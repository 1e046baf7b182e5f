package dev.orbweaver.export;

import dev.orbweaver.internal.archive.PageFilter;

import java.util.List;

/**
 * What is wanted of an export.
 *
 * @param filter which URLs
 * @param allLines every settled URL instead of pages alone; of {@code jsonl}, {@code csv} and
 *     {@code parquet}
 * @param sitemap how sitemaps are made
 * @param text how pages become text
 */
public record ExportSettings(
        ExportFormat exportFormat,
        ExportTarget exportTarget,
        PageFilter filter,
        boolean allLines,
        Sitemap sitemap,
        Text text) {

    /** A format into a place, all else by default. */
    public static ExportSettings of(ExportFormat exportFormat, ExportTarget exportTarget) {
        return new ExportSettings(
                exportFormat, exportTarget, PageFilter.ALL, false, Sitemap.DEFAULT, Text.DEFAULT);
    }

    /** Which pages. */
    public ExportSettings with(PageFilter wanted) {
        return new ExportSettings(exportFormat, exportTarget, wanted, allLines, sitemap, text);
    }

    /** How pages become text. */
    public ExportSettings with(Text wanted) {
        return new ExportSettings(exportFormat, exportTarget, filter, allLines, sitemap, wanted);
    }

    /** How sitemaps are made. */
    public ExportSettings with(Sitemap wanted) {
        return new ExportSettings(exportFormat, exportTarget, filter, allLines, wanted, text);
    }

    /** Every settled URL. */
    public ExportSettings withAllLines() {
        return new ExportSettings(exportFormat, exportTarget, filter, true, sitemap, text);
    }

    /** What {@code lastmod} is taken from. */
    public enum LastModified {
        /** What the server said, where it did. */
        HEADER,
        /** When the page was fetched. */
        FETCHED,
        /** There is none. */
        NONE
    }

    /**
     * How sitemaps are made.
     *
     * @param gzip whether files are compressed
     * @param indexable only pages that do not ask to be left out and that are their own canonical
     * @param baseUrl where the files will be served from, for the index; empty: the root of the
     *     host
     * @param urlsMax of one file, 50,000 in the protocol
     * @param bytesMax of one file before compression, 50 MB in the protocol
     */
    public record Sitemap(
            boolean gzip,
            LastModified lastModified,
            boolean indexable,
            String baseUrl,
            int urlsMax,
            long bytesMax) {

        /** As the protocol has it. */
        public static final Sitemap DEFAULT =
                new Sitemap(false, LastModified.HEADER, false, "", 50_000, 52_428_800);
    }

    /**
     * How pages become text.
     *
     * @param languages only pages that say they are in one of these; any when empty
     * @param qualityMin only pages worth at least this, from 0 to 100
     * @param keepNearDuplicates whether pages that say nearly what an earlier one said are kept
     * @param images whether images are kept, as links
     * @param chunkTokens how many tokens a chunk has at most, about
     * @param title what the whole is called; empty: the title of its first page
     */
    public record Text(
            List<String> languages,
            int qualityMin,
            boolean keepNearDuplicates,
            boolean images,
            int chunkTokens,
            String title) {

        /** Every page that says something, each once. */
        public static final Text DEFAULT = new Text(List.of(), 1, false, false, 512, "");

        /** Keeps the list unchangeable. */
        public Text {
            languages = List.copyOf(languages);
            if (qualityMin < 0 || qualityMin > 100 || chunkTokens < 16) {
                throw new IllegalArgumentException(qualityMin + ", " + chunkTokens);
            }
        }
    }
}
