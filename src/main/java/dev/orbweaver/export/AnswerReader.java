package dev.orbweaver.export;

import dev.orbweaver.model.Exchange;
import dev.orbweaver.parse.Document;

import java.io.IOException;

/**
 * Undoes the content coding of a stored answer. The room that fetches knows the codings; it is
 * handed in, because rooms of that row do not import each other.
 */
@FunctionalInterface
public interface AnswerReader {

    /** The document in an answer, cut at so many bytes. */
    Document read(Exchange exchange, int bytesMax) throws IOException;
}
