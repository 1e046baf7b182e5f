package dev.orbweaver.sinks.mongo;

import java.util.Locale;

/** How bodies are compressed in documents. */
public enum BodyCompression {
    /** RFC 1950, level 6: what every language reads out of the box. */
    ZLIB,
    /** RFC 8878, level 3: smaller and several times faster. */
    ZSTD;

    /** As it stands in documents. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }
}
