package dev.orbweaver.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.export.KnownUrlFormat;
import dev.orbweaver.server.SiteMaps.Result;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.util.Locale;
import java.util.Optional;

/** The response of {@code POST /api/v1/map}, sent in chunks. */
final class MapResponse {

    private static final int CHUNK_CHARS = 64 << 10;

    /** The representation of a map; empty for one JSON object. */
    record Format(Optional<KnownUrlFormat> lines, String mediaType) {}

    private static final Format JSON = new Format(Optional.empty(), "application/json");

    private final ApiCall apiCall;
    private final Format format;
    private final ResponseStream out;
    private boolean begun;

    MapResponse(ApiCall apiCall, Format format) throws IOException {
        this.apiCall = apiCall;
        this.format = format;
        this.out = new ResponseStream(apiCall.context().res().getOutputStream());
    }

    /** Returns the format that the request names, or else the one that it accepts. */
    static Format format(ApiCall apiCall, Optional<String> id) {
        if (id.isPresent()) {
            return id.get().equals("json")
                    ? JSON
                    : KnownUrlFormat.byId(id.get())
                            .map(MapResponse::lines)
                            .orElseThrow(
                                    () ->
                                            ProblemException.inField(
                                                    "format",
                                                    "format must be json, jsonl, text or sitemap,"
                                                            + " not '%s'.".formatted(id.get())));
        }
        var accept = apiCall.header("Accept").orElse("").toLowerCase(Locale.ROOT);
        var first = accept.split(",", 2)[0].split(";", 2)[0].strip();
        return switch (first) {
            case "application/jsonl", "application/x-ndjson" -> lines(KnownUrlFormat.JSONL);
            case "text/plain" -> lines(KnownUrlFormat.TEXT);
            case "application/xml", "text/xml" -> lines(KnownUrlFormat.SITEMAP);
            default -> JSON;
        };
    }

    private static Format lines(KnownUrlFormat format) {
        return new Format(
                Optional.of(format),
                switch (format) {
                    case TEXT -> "text/plain";
                    case JSONL -> "application/jsonl";
                    case SITEMAP -> "application/xml";
                });
    }

    boolean hasBegun() {
        return begun;
    }

    private void begin() throws ClientDisconnectedException {
        if (!begun) {
            begun = true;
            apiCall.context().contentType(format.mediaType + "; charset=utf-8");
            write(format.lines.map(KnownUrlFormat::start).orElse(""));
        }
    }

    /** Sends an empty line, which has no meaning in any of the formats. */
    void sendHeartbeat() throws ClientDisconnectedException {
        begin();
        write("\n");
        out.flush();
    }

    void send(Result result) throws ClientDisconnectedException {
        begin();
        if (format.lines.isPresent()) {
            sendLines(result, format.lines.get());
        } else {
            sendObject(result);
        }
        out.flush();
    }

    private void sendLines(Result result, KnownUrlFormat lines) throws ClientDisconnectedException {
        var chunk = new StringBuilder();
        for (var url : result.urls()) {
            writeIfFull(chunk.append(lines.line(url)));
        }
        for (var warning : result.warnings()) {
            chunk.append(lines.warning(warning));
        }
        write(chunk.append(lines.end()).toString());
    }

    private void sendObject(Result result) throws ClientDisconnectedException {
        var chunk = new StringBuilder("{\"items\":[");
        var separator = "";
        for (var url : result.urls()) {
            writeIfFull(chunk.append(separator).append(KnownUrlFormat.json(url)));
            separator = ",\n";
        }
        var end = JsonMapper.shared().createObjectNode();
        end.put("total", result.urls().size()).put("complete", result.complete());
        var warnings = end.putArray("warnings");
        result.warnings().forEach(warnings::add);
        write(chunk.append("],").append(end.toString().substring(1)).append('\n').toString());
    }

    private void writeIfFull(StringBuilder chunk) throws ClientDisconnectedException {
        if (chunk.length() >= CHUNK_CHARS) {
            write(chunk.toString());
            chunk.setLength(0);
        }
    }

    private void write(String text) throws ClientDisconnectedException {
        out.write(text.getBytes(UTF_8));
    }
}
