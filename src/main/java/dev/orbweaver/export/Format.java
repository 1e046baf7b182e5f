package dev.orbweaver.export;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What a crawl can be turned into. */
public enum Format {
    /** Sitemaps as sitemaps.org describes them. */
    SITEMAP("sitemap.xml, split and with an index where there are many URLs"),
    /** JSON lines. */
    JSONL("one line of JSON a page"),
    /** Comma-separated values. */
    CSV("one row a page, safe to open in a spreadsheet"),
    /** Apache Parquet. */
    PARQUET("the pages as columns; into a folder: pages, links and hosts"),
    /** The link graph. */
    LINKS("the link graph: links, pages and hosts with their degrees, host graph"),
    /** Broken links. */
    ERRORS("broken links, with the pages that hold them"),
    /** Duplicates. */
    DUPLICATES("pages with the same content and with nearly the same, in clusters"),
    /** Markdown files. */
    MARKDOWN("a Markdown file a page in the site's own tree, and all in one"),
    /** What llmstxt.org describes. */
    LLMS_TXT("llms.txt and llms-full.txt"),
    /** Pieces for retrieval. */
    CHUNKS("pieces of pages for retrieval, one line of JSON each"),
    /** A copy of records. */
    WARC("the records themselves, only those that are wanted"),
    /** A web archive in one file. */
    WACZ("a web archive in one file that replay tools open");

    private final String help;

    Format(String help) {
        this.help = help;
    }

    /** Its name as people write it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What comes of it, in a line. */
    public String help() {
        return help;
    }

    /** The format of that name. */
    public static Optional<Format> of(String word) {
        return Arrays.stream(values()).filter(format -> format.word().equals(word)).findFirst();
    }

    /** Whether it is made of pages as Markdown, so that quality and language can be asked for. */
    public boolean ofMarkdown() {
        return this == MARKDOWN || this == LLMS_TXT || this == CHUNKS;
    }
}
