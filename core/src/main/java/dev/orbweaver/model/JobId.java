package dev.orbweaver.model;

import com.fasterxml.jackson.annotation.JsonValue;

/** Names one crawl among those that share a frontier. */
public record JobId(@JsonValue int number) {

    /** The only job of a directory that holds a single crawl. */
    public static final JobId ONLY = new JobId(0);
}
