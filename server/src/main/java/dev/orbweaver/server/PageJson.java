package dev.orbweaver.server;

import dev.orbweaver.internal.sink.PageLogEntry;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Lines of the page log as they are told. */
final class PageJson {

    private PageJson() {}

    static Map<String, Object> line(PageLogEntry entry) {
        var json = new LinkedHashMap<String, Object>();
        json.put("seq", entry.seq());
        json.put("url", entry.url());
        json.put("host", entry.host());
        json.put("kind", entry.kind().name().toLowerCase(Locale.ROOT));
        json.put("status", entry.status());
        json.put("time", entry.time().toString());
        json.put("ms", entry.milliseconds());
        json.put("depth", entry.depth());
        json.put("bytes", entry.bytes());
        json.put("type", entry.mediaType());
        json.put("title", entry.title());
        json.put("links", entry.links());
        json.put("cause", entry.cause());
        json.put("detail", entry.detail());
        json.put("location", entry.location());
        return json;
    }
}
