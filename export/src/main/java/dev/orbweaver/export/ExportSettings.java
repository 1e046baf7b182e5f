package dev.orbweaver.export;

import dev.orbweaver.internal.archive.PageFilter;

import java.util.List;
import java.util.Optional;

/**
 * The settings of an export.
 *
 * @param allLines whether to export every settled URL instead of pages only; for {@code jsonl},
 *     {@code csv} and {@code parquet}
 * @param content the content of pages that is added to their rows, for the same formats
 */
public record ExportSettings(
        ExportFormat exportFormat,
        ExportTarget exportTarget,
        PageFilter filter,
        boolean allLines,
        Sitemap sitemap,
        Text text,
        Optional<Content> content) {

    public static ExportSettings of(ExportFormat exportFormat, ExportTarget exportTarget) {
        return new ExportSettings(
                exportFormat,
                exportTarget,
                PageFilter.ALL,
                false,
                Sitemap.DEFAULT,
                Text.DEFAULT,
                Optional.empty());
    }

    ExportSettings to(ExportTarget target) {
        return new ExportSettings(exportFormat, target, filter, allLines, sitemap, text, content);
    }

    public ExportSettings with(PageFilter wanted) {
        return new ExportSettings(
                exportFormat, exportTarget, wanted, allLines, sitemap, text, content);
    }

    public ExportSettings with(Text wanted) {
        return new ExportSettings(
                exportFormat, exportTarget, filter, allLines, sitemap, wanted, content);
    }

    public ExportSettings with(Sitemap wanted) {
        return new ExportSettings(
                exportFormat, exportTarget, filter, allLines, wanted, text, content);
    }

    public ExportSettings with(Content wanted) {
        return new ExportSettings(
                exportFormat, exportTarget, filter, allLines, sitemap, text, Optional.of(wanted));
    }

    public ExportSettings withAllLines() {
        return new ExportSettings(exportFormat, exportTarget, filter, true, sitemap, text, content);
    }

    /**
     * The content of pages as a column.
     *
     * @param bytesMax maximum size of a page's content in UTF-8; the rest is cut
     */
    public record Content(ContentKind kind, int bytesMax) {

        /** The largest page of a thousand has less text; a row must fit into memory. */
        public static final int BYTES_MAX_DEFAULT = 1 << 20;

        /** The size up to which documents are read; no content is larger. */
        public static final int BYTES_MAX_LIMIT = 16 << 20;

        public Content {
            if (bytesMax < 1 || bytesMax > BYTES_MAX_LIMIT) {
                throw new IllegalArgumentException("bytesMax " + bytesMax);
            }
        }
    }

    /** The source of {@code lastmod}. */
    public enum LastModified {
        /** The Last-Modified header, if the response had one. */
        HEADER,
        /** When the page was fetched. */
        FETCHED,
        NONE
    }

    /**
     * The settings of sitemaps.
     *
     * @param indexable only pages without noindex whose canonical URL is their own
     * @param baseUrl the URL of the directory where the files will be served, for the index; empty
     *     for the root of the host
     * @param urlsMax maximum URLs per file; 50,000 in the protocol
     * @param bytesMax maximum size of a file before compression; 50 MB in the protocol
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
     * The settings of text exports.
     *
     * @param languages only pages that declare one of these languages; empty for any
     * @param qualityMin minimum quality of pages, from 0 to 100
     * @param keepNearDuplicates whether near-duplicates of earlier pages are kept
     * @param images whether images are kept, as links
     * @param chunkTokens maximum number of estimated tokens per chunk
     * @param title title of the document; empty for the title of its first page
     */
    public record Text(
            List<String> languages,
            int qualityMin,
            boolean keepNearDuplicates,
            boolean images,
            int chunkTokens,
            String title) {

        /** Every page with text, without near-duplicates. */
        public static final Text DEFAULT = new Text(List.of(), 1, false, false, 512, "");

        public Text {
            languages = List.copyOf(languages);
            if (qualityMin < 0 || qualityMin > 100 || chunkTokens < 16) {
                throw new IllegalArgumentException(qualityMin + ", " + chunkTokens);
            }
        }
    }
}
