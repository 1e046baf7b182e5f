package dev.orbweaver.model;

import com.fasterxml.jackson.annotation.JsonValue;

/** Identifies one crawl among those that share a frontier. */
public record JobId(@JsonValue int number) {}
