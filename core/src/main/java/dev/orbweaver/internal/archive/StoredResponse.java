package dev.orbweaver.internal.archive;

import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.spi.Document;

/**
 * A stored response, read from its WARC record.
 *
 * @param truncated whether the document lacks its end: the crawl cut the body, or the document is
 *     larger than what is read of one
 */
public record StoredResponse(ResponseHead head, Document document, boolean truncated) {}
