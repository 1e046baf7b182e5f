package dev.orbweaver.imports;

import java.util.Arrays;
import java.util.Optional;

/** The types of sources. */
public enum SourceType {
    SITEMAP("sitemap", "URL", ""),
    FEED("feed", "URL", ""),
    CT("ct", "DOMAIN", "max"),
    COMMON_CRAWL("common-crawl", "DOMAIN|PATTERN", "crawls"),
    WAYBACK("wayback", "DOMAIN|PATTERN", ""),
    WARC("warc", "FILE", ""),
    WACZ("wacz", "FILE", ""),
    CDXJ("cdxj", "FILE", ""),
    CSV("csv", "FILE", "column"),
    JSONL("jsonl", "FILE", "column"),
    TXT("txt", "FILE", ""),
    PARQUET("parquet", "FILE", "column"),
    TRANCO("tranco", "FILE", "top");

    private final String id;
    private final String argument;
    private final String option;

    SourceType(String id, String argument, String option) {
        this.id = id;
        this.argument = argument;
        this.option = option;
    }

    /** Returns the name that a user writes before the colon. */
    public String id() {
        return id;
    }

    /** Returns what follows the colon, as in help texts. */
    public String argument() {
        return argument;
    }

    /** Returns the name of the option that may follow {@code #}; empty if there is none. */
    String option() {
        return option;
    }

    /** Returns whether a source of this type contacts a server of a third party. */
    public boolean isIndexServer() {
        return switch (this) {
            case CT, COMMON_CRAWL, WAYBACK -> true;
            case SITEMAP, FEED, WARC, WACZ, CDXJ, CSV, JSONL, TXT, PARQUET, TRANCO -> false;
        };
    }

    static Optional<SourceType> find(String id) {
        return Arrays.stream(values()).filter(type -> type.id.equalsIgnoreCase(id)).findFirst();
    }
}
