package dev.orbweaver.export;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The export formats. */
public enum ExportFormat {
    /** Sitemaps as sitemaps.org describes them. */
    SITEMAP("sitemap.xml, split if it is too large"),
    JSONL("JSON Lines, one object per page"),
    CSV("CSV, one row per page, formulas escaped"),
    PARQUET("Parquet; in a directory, links too"),
    LINKS("link graph with in- and out-degrees"),
    ERRORS("broken links and the pages linking them"),
    DUPLICATES("identical and nearly identical pages"),
    MARKDOWN("one file per page, and one with all"),
    /** What llmstxt.org describes. */
    LLMS_TXT("llms.txt and llms-full.txt"),
    CHUNKS("text chunks for retrieval, JSON Lines"),
    FILES("bodies as files, such as PDFs and images"),
    /** A copy of records. */
    WARC("copy of the selected WARC records"),
    /** A web archive in one file. */
    WACZ("web archive for replay tools"),
    CDXJ("index of the WARC files");

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

    /** The name of the text file in a directory; empty for formats that are not one text file. */
    public String fileName() {
        return switch (this) {
            case JSONL -> "pages.jsonl";
            case CSV -> "pages.csv";
            case ERRORS -> "errors.csv";
            case DUPLICATES -> "duplicates.csv";
            case CHUNKS -> "chunks.jsonl";
            case CDXJ -> "index.cdxj";
            case SITEMAP, PARQUET, LINKS, MARKDOWN, LLMS_TXT, FILES, WARC, WACZ -> "";
        };
    }
}
