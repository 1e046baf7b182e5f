package dev.orbweaver.imports;

import java.time.Instant;

/**
 * A capture of an existing archive.
 *
 * @param url the target as written
 * @param status the HTTP status code; 0 if the archive does not have it
 * @param payloadDigest the digest as written, such as {@code sha1:...}; empty if there is none
 */
public record ArchivedCapture(String url, Instant time, int status, String payloadDigest) {}
