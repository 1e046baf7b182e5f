package dev.orbweaver.internal.parse;

import dev.orbweaver.model.Page;

/** Reads documents of some media types. Safe for any thread. */
public interface Parser {

    /** Whether documents of this type (lower case, no parameters, empty if unknown) are read. */
    boolean accepts(String mediaType);

    /** What the document says; whatever its bytes are, there is an answer. */
    Page parse(Document document);
}
