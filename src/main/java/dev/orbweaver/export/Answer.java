package dev.orbweaver.export;

import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.parse.Document;

/** What a server once answered, brought back from the WARC file. */
record Answer(ResponseHead head, Document document) {}
