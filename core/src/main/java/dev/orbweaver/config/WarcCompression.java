package dev.orbweaver.config;

/** How WARC records are compressed, one by one. */
public enum WarcCompression {
    /** Read by every tool; the default. */
    GZIP,
    /** Faster and smaller; read by few tools. */
    ZSTD,
    /** Not compressed. */
    NONE
}
