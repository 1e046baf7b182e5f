package dev.orbweaver.internal.archive;

import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.spi.Document;

/** A stored response, read from its WARC record. */
public record StoredResponse(ResponseHead head, Document document) {}
