package dev.orbweaver.internal.archive;

import dev.orbweaver.internal.parse.Document;
import dev.orbweaver.model.ResponseHead;

/** What a server once answered, brought back from the WARC file. */
public record StoredResponse(ResponseHead head, Document document) {}
