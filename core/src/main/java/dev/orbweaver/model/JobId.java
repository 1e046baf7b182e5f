package dev.orbweaver.model;

import com.fasterxml.jackson.annotation.JsonValue;

/** Names one crawl among those that share a frontier. */
public record JobId(@JsonValue int number) {}
