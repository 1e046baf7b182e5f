package dev.orbweaver.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.cli.KnownUrls.KnownUrl;

import tools.jackson.databind.json.JsonMapper;

import java.io.PrintStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Locale;
import java.util.stream.Stream;

/** The formats of {@code orbweaver map}. */
enum MapFormat {
    TEXT,
    JSONL,
    SITEMAP;

    private static final String SITEMAP_START =
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
            """;

    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    static MapFormat of(String id) {
        return Stream.of(values())
                .filter(format -> format.id().equals(id))
                .findFirst()
                .orElseThrow(
                        () ->
                                new UsageException(
                                        "--format: expected text, jsonl or sitemap, not '%s'"
                                                .formatted(id)));
    }

    /** Writes URLs in UTF-8, also where the terminal's character set is another one. */
    void write(Collection<KnownUrl> urls, PrintStream out) {
        if (this == SITEMAP) {
            print(out, SITEMAP_START);
        }
        for (var url : urls) {
            print(
                    out,
                    switch (this) {
                        case TEXT -> url.url() + "\n";
                        case JSONL -> json(url);
                        case SITEMAP -> xml(url);
                    });
        }
        if (this == SITEMAP) {
            print(out, "</urlset>\n");
        }
        out.flush();
    }

    private static void print(PrintStream out, String text) {
        out.writeBytes(text.getBytes(UTF_8));
    }

    private static String json(KnownUrl url) {
        var json = JsonMapper.shared().createObjectNode().put("url", url.url());
        var sources = json.putArray("sources");
        url.sources().forEach(sources::add);
        url.lastModified().ifPresent(date -> json.put("lastmod", text(date)));
        return json + "\n";
    }

    private static String xml(KnownUrl url) {
        var date = url.lastModified().map(at -> "<lastmod>" + text(at) + "</lastmod>").orElse("");
        return "<url><loc>" + escape(url.url()) + "</loc>" + date + "</url>\n";
    }

    private static String text(Instant date) {
        return date.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static String escape(String url) {
        return url.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&apos;");
    }
}
