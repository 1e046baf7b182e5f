package dev.orbweaver.internal.archive;

import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.spi.Document;

import java.io.IOException;

/** Decodes a stored response for parsers. */
public final class StoredDocument {

    private StoredDocument() {}

    /**
     * Reads the document of a response: removes its content encoding and truncates it to a length.
     */
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
