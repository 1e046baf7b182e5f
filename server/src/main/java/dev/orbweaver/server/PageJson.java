package dev.orbweaver.server;

import dev.orbweaver.internal.sink.PageLogEntry;

import java.time.Instant;
import java.util.Locale;

record PageJson(
        long seq,
        String url,
        String host,
        String kind,
        int status,
        Instant time,
        long ms,
        int depth,
        long bytes,
        String type,
        String title,
        int links,
        String cause,
        String detail,
        String location) {

    static PageJson of(PageLogEntry entry) {
        return new PageJson(
                entry.seq(),
                entry.url(),
                entry.host(),
                entry.kind().name().toLowerCase(Locale.ROOT),
                entry.status(),
                entry.time(),
                entry.milliseconds(),
                entry.depth(),
                entry.bytes(),
                entry.mediaType(),
                entry.title(),
                entry.links(),
                entry.cause(),
                entry.detail(),
                entry.location());
    }
}
