package dev.orbweaver.sinks.mongo;

import java.util.Locale;

public enum BodyCompression {
    /** RFC 1950, level 6: supported by the standard library of most languages. */
    ZLIB,
    /** RFC 8878, level 3: smaller and several times faster. */
    ZSTD;

    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }
}
