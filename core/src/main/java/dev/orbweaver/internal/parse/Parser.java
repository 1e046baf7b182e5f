package dev.orbweaver.internal.parse;

import dev.orbweaver.model.Page;

/** Reads documents of some media types. Safe for any thread. */
public interface Parser {

    /** Whether documents of this type (lower case, no parameters, empty if unknown) are read. */
    boolean accepts(String mediaType);

    /** Parses any bytes without an exception. */
    Page parse(Document document);
}
