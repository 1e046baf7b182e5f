package dev.orbweaver.internal.archive;

import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.parse.Document;
import dev.orbweaver.model.Exchange;

import java.io.IOException;

/** Decodes a stored response for parsers. */
public final class StoredDocument {

    private StoredDocument() {}

    /** The document of a response, without its content encoding and cut at a length. */
    public static Document read(Exchange exchange, int bytesMax) throws IOException {
        var content = ContentReader.read(exchange, bytesMax);
        return new Document(
                exchange.url(),
                exchange.head().field("content-type").orElse(""),
                exchange.head().fields("link"),
                content.bytes(),
                content.length());
    }
}
