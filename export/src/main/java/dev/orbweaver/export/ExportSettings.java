package dev.orbweaver.export;

import dev.orbweaver.internal.archive.PageFilter;

import java.util.List;

/**
 * What is wanted of an export.
 *
 * @param allLines every settled URL instead of pages alone; of {@code jsonl}, {@code csv} and
 *     {@code parquet}
 */
public record ExportSettings(
        ExportFormat exportFormat,
        ExportTarget exportTarget,
        PageFilter filter,
        boolean allLines,
        Sitemap sitemap,
        Text text) {

    public static ExportSettings of(ExportFormat exportFormat, ExportTarget exportTarget) {
        return new ExportSettings(
                exportFormat, exportTarget, PageFilter.ALL, false, Sitemap.DEFAULT, Text.DEFAULT);
    }

    public ExportSettings with(PageFilter wanted) {
        return new ExportSettings(exportFormat, exportTarget, wanted, allLines, sitemap, text);
    }

    public ExportSettings with(Text wanted) {
        return new ExportSettings(exportFormat, exportTarget, filter, allLines, sitemap, wanted);
    }

    public ExportSettings with(Sitemap wanted) {
        return new ExportSettings(exportFormat, exportTarget, filter, allLines, wanted, text);
    }

    public ExportSettings withAllLines() {
        return new ExportSettings(exportFormat, exportTarget, filter, true, sitemap, text);
    }

    /** What {@code lastmod} is taken from. */
    public enum LastModified {
        /** What the server said, where it did. */
        HEADER,
        /** When the page was fetched. */
        FETCHED,
        NONE
    }

    /**
     * How sitemaps are made.
     *
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

        public static final Sitemap DEFAULT =
                new Sitemap(false, LastModified.HEADER, false, "", 50_000, 52_428_800);
    }

    /**
     * How pages become text.
     *
     * @param languages only pages that say they are in one of these; any when empty
     * @param qualityMin only pages worth at least this, from 0 to 100
     * @param keepNearDuplicates whether pages that nearly repeat an earlier one are kept
     * @param images whether images are kept, as links
     * @param chunkTokens how many tokens a chunk has at most, about
     * @param title of the whole; empty: the title of its first page
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

        public Text {
            languages = List.copyOf(languages);
            if (qualityMin < 0 || qualityMin > 100 || chunkTokens < 16) {
                throw new IllegalArgumentException(qualityMin + ", " + chunkTokens);
            }
        }
    }
}
