package dev.orbweaver.model;

/** Names one crawl among those that share a frontier. */
public record JobId(int number) {

    /** The only job of a folder that holds a single crawl. */
    public static final JobId ONLY = new JobId(0);
}
