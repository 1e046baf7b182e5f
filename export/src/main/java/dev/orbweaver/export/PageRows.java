package dev.orbweaver.export;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.PageVisitor;
import dev.orbweaver.internal.archive.StoredPage;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.util.RawValue;

import java.io.IOException;
import java.util.Locale;

/** Exports page log lines as JSON lines or CSV, in log order. */
final class PageRows {

    private PageRows() {}

    private interface Writer {
        void write(StoredPage page) throws IOException;
    }

    static ExportReport json(CrawlPages pages, ExportSettings settings) throws IOException {
        try (var out = settings.exportTarget().openText(ExportFormat.JSONL)) {
            var count = write(pages, settings, page -> out.write(json(page) + "\n"));
            out.finish();
            return report(count, settings);
        }
    }

    static ExportReport csv(CrawlPages pages, ExportSettings settings) throws IOException {
        try (var out = settings.exportTarget().openText(ExportFormat.CSV)) {
            var csvWriter = new CsvWriter(out);
            csvWriter.header(
                    "url",
                    "host",
                    "kind",
                    "status",
                    "time",
                    "ms",
                    "depth",
                    "type",
                    "charset",
                    "title",
                    "links",
                    "bytes",
                    "digest",
                    "location",
                    "cause",
                    "detail",
                    "fields");
            var count = write(pages, settings, page -> row(csvWriter, page));
            out.finish();
            return report(count, settings);
        }
    }

    private static ExportReport report(long count, ExportSettings settings) {
        return ExportReport.of(count, settings.allLines() ? "lines" : "pages");
    }

    private static long write(CrawlPages pages, ExportSettings settings, Writer writer)
            throws IOException {
        var count = new long[1];
        PageVisitor visitor =
                page -> {
                    writer.write(page);
                    count[0]++;
                };
        if (settings.allLines()) {
            pages.forEachLine(visitor);
        } else {
            pages.forEachPage(visitor);
        }
        return count[0];
    }

    private static void row(CsvWriter csvWriter, StoredPage page) throws IOException {
        csvWriter
                .text(page.url())
                .text(page.host())
                .text(kind(page))
                .number(page.status())
                .text(page.time().toString())
                .number(page.milliseconds())
                .number(page.depth())
                .text(page.mediaType())
                .text(page.charset())
                .text(page.title())
                .number(page.links())
                .number(page.bytes())
                .text(page.digest())
                .text(page.location())
                .text(page.cause())
                .text(page.detail())
                .text(page.fields())
                .endRow();
    }

    static String kind(StoredPage page) {
        return page.kind().name().toLowerCase(Locale.ROOT);
    }

    private static String json(StoredPage page) {
        var line = JsonMapper.shared().createObjectNode();
        line.put("url", page.url());
        line.put("host", page.host());
        line.put("kind", kind(page));
        put(line, "status", page.status());
        line.put("time", page.time().toString());
        line.put("ms", page.milliseconds());
        line.put("depth", page.depth());
        put(line, "type", page.mediaType());
        put(line, "charset", page.charset());
        put(line, "title", page.title());
        line.put("links", page.links());
        line.put("bytes", page.bytes());
        put(line, "digest", page.digest());
        put(line, "location", page.location());
        put(line, "cause", page.cause());
        put(line, "detail", page.detail());
        put(line, "warc", page.warc());
        if (page.isStored()) {
            line.put("offset", page.offset());
            line.put("length", page.length());
        }
        if (!page.fields().isEmpty()) {
            line.putRawValue("fields", new RawValue(page.fields()));
        }
        return line.toString();
    }

    private static void put(ObjectNode line, String name, String value) {
        if (!value.isEmpty()) {
            line.put(name, value);
        }
    }

    private static void put(ObjectNode line, String name, long value) {
        if (value != 0) {
            line.put(name, value);
        }
    }
}
