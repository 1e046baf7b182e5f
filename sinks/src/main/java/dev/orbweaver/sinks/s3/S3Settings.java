package dev.orbweaver.sinks.s3;

import java.time.Duration;

/**
 * Where a crawl is copied to.
 *
 * @param interval between two checkpoints while the crawl runs; there is always one at its end
 * @param removeLocal whether WARC files are removed here once they are safe there
 */
public record S3Settings(S3Location location, Duration interval, boolean removeLocal) {}
