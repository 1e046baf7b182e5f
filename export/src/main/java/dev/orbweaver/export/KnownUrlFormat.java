package dev.orbweaver.export;

import dev.orbweaver.model.PrintableText;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The formats of a list of {@link KnownUrl}s, each written as start, URLs and end. */
public enum KnownUrlFormat {
    TEXT,
    JSONL,
    SITEMAP;

    private static final String SITEMAP_START =
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
            """;

    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<KnownUrlFormat> byId(String id) {
        return Stream.of(values()).filter(format -> format.id().equals(id)).findFirst();
    }

    public String start() {
        return this == SITEMAP ? SITEMAP_START : "";
    }

    /** Returns the line of a URL. */
    public String line(KnownUrl url) {
        return switch (this) {
            case TEXT -> url.url() + "\n";
            case JSONL -> json(url) + "\n";
            case SITEMAP -> xml(url);
        };
    }

    /** Returns a line that a reader of URLs ignores, or in JSON lines one without {@code url}. */
    public String warning(String sentence) {
        var line = PrintableText.line(sentence);
        return switch (this) {
            case TEXT -> "# warning: " + line + "\n";
            case JSONL ->
                    JsonMapper.shared().createObjectNode().put("warning", line).toString() + "\n";
            // A comment must not contain two hyphens (XML 1.0, section 2.5).
            case SITEMAP -> "<!-- warning: " + apartHyphens(line) + " -->\n";
        };
    }

    /** The second pass parts the pairs that the first one leaves in a run of three or more. */
    private static String apartHyphens(String line) {
        return line.replace("--", "- -").replace("--", "- -");
    }

    public String end() {
        return this == SITEMAP ? "</urlset>\n" : "";
    }

    public static ObjectNode json(KnownUrl url) {
        var json = JsonMapper.shared().createObjectNode().put("url", url.url());
        var sources = json.putArray("sources");
        url.sources().forEach(sources::add);
        url.lastModified().ifPresent(date -> json.put("lastmod", text(date)));
        return json;
    }

    private static String xml(KnownUrl url) {
        var date = url.lastModified().map(at -> "<lastmod>" + text(at) + "</lastmod>").orElse("");
        return "<url><loc>" + SitemapSet.escape(url.url()) + "</loc>" + date + "</url>\n";
    }

    private static String text(Instant date) {
        return date.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
