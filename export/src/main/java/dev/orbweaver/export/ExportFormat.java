package dev.orbweaver.export;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What a crawl can be turned into. */
public enum ExportFormat {
    /** Sitemaps as sitemaps.org describes them. */
    SITEMAP("sitemap.xml, split where it must be"),
    JSONL("one line of JSON a page"),
    CSV("one row a page, safe in spreadsheets"),
    PARQUET("pages as columns; a folder: links too"),
    LINKS("the link graph, with degrees"),
    ERRORS("broken links and who holds them"),
    DUPLICATES("same and nearly same pages"),
    MARKDOWN("a file a page, and all in one"),
    /** What llmstxt.org describes. */
    LLMS_TXT("llms.txt and llms-full.txt"),
    CHUNKS("pieces of pages for retrieval"),
    /** A copy of records. */
    WARC("a copy of the wanted records"),
    /** A web archive in one file. */
    WACZ("a web archive for replay tools"),
    CDXJ("an index of the WARC files");

    private final String help;

    ExportFormat(String help) {
        this.help = help;
    }

    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public String help() {
        return help;
    }

    public static Optional<ExportFormat> byId(String word) {
        return Arrays.stream(values())
                .filter(exportFormat -> exportFormat.id().equals(word))
                .findFirst();
    }

    /** The name of its one text file in a directory; empty for formats that make something else. */
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
}
