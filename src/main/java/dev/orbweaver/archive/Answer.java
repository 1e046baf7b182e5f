package dev.orbweaver.archive;

import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.parse.Document;

/** What a server once answered, brought back from the WARC file. */
public record Answer(ResponseHead head, Document document) {}
