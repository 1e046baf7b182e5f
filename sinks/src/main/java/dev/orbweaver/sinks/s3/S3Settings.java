package dev.orbweaver.sinks.s3;

import java.time.Duration;

/**
 * Where and how often a crawl is copied to a bucket.
 *
 * @param interval between two checkpoints while the crawl is running; there is always one at its
 *     end
 * @param removeLocal whether local WARC files are removed once they are safely stored in the bucket
 */
public record S3Settings(S3Location location, Duration interval, boolean removeLocal) {}
