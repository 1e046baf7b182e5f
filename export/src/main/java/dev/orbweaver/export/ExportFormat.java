package dev.orbweaver.export;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What a crawl can be turned into. */
public enum ExportFormat {
    /** Sitemaps as sitemaps.org describes them. */
    SITEMAP("sitemap.xml, split where it must be"),
    /** JSON lines. */
    JSONL("one line of JSON a page"),
    /** Comma-separated values. */
    CSV("one row a page, safe in spreadsheets"),
    /** Apache Parquet. */
    PARQUET("pages as columns; a folder: links too"),
    /** The link graph. */
    LINKS("the link graph, with degrees"),
    /** Broken links. */
    ERRORS("broken links and who holds them"),
    /** Duplicates. */
    DUPLICATES("same and nearly same pages"),
    /** Markdown files. */
    MARKDOWN("a file a page, and all in one"),
    /** What llmstxt.org describes. */
    LLMS_TXT("llms.txt and llms-full.txt"),
    /** Pieces for retrieval. */
    CHUNKS("pieces of pages for retrieval"),
    /** A copy of records. */
    WARC("a copy of the wanted records"),
    /** A web archive in one file. */
    WACZ("a web archive for replay tools"),
    /** An index of captures. */
    CDXJ("an index of the WARC files");

    private final String help;

    ExportFormat(String help) {
        this.help = help;
    }

    /** Its name as people write it. */
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What comes of it, in a line. */
    public String help() {
        return help;
    }

    /** The format of that name. */
    public static Optional<ExportFormat> byId(String word) {
        return Arrays.stream(values())
                .filter(exportFormat -> exportFormat.id().equals(word))
                .findFirst();
    }

    /**
     * What its one text is called in a folder; empty for formats that are more or other than that.
     */
    public String fileName() {
        return switch (this) {
            case JSONL -> "pages.jsonl";
            case CSV -> "pages.csv";
            case ERRORS -> "errors.csv";
            case DUPLICATES -> "duplicates.csv";
            case CHUNKS -> "chunks.jsonl";
            case CDXJ -> "index.cdxj";
            case SITEMAP, PARQUET, LINKS, MARKDOWN, LLMS_TXT, WARC, WACZ -> "";
        };
    }

    /** Whether it is made of pages as Markdown, so that quality and language can be asked for. */
    public boolean isMarkdownBased() {
        return this == MARKDOWN || this == LLMS_TXT || this == CHUNKS;
    }
}
