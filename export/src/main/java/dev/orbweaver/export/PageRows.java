package dev.orbweaver.export;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.PageVisitor;
import dev.orbweaver.internal.archive.StoredPage;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.util.RawValue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Exports page log lines as JSON lines or CSV, in log order. */
final class PageRows {

    private PageRows() {}

    private interface Writer {
        void write(StoredPage page) throws IOException;
    }

    static ExportReport json(CrawlPages pages, ExportSettings settings) throws IOException {
        try (var out = settings.exportTarget().openText(ExportFormat.JSONL)) {
            var content = ContentColumn.of(pages, settings);
            var count =
                    write(
                            pages,
                            settings,
                            page -> {
                                var line = json(page);
                                if (content.isPresent()) {
                                    addContent(line, content.get().read(page));
                                }
                                out.write(line + "\n");
                            });
            out.finish();
            return report(count, settings, content);
        }
    }

    static ExportReport csv(CrawlPages pages, ExportSettings settings) throws IOException {
        try (var out = settings.exportTarget().openText(ExportFormat.CSV)) {
            var csvWriter = new CsvWriter(out);
            var content = ContentColumn.of(pages, settings);
            csvWriter.header(header(content));
            var count =
                    write(
                            pages,
                            settings,
                            page -> {
                                row(csvWriter, page);
                                if (content.isPresent()) {
                                    addContent(csvWriter, content.get().read(page));
                                }
                                csvWriter.endRow();
                            });
            out.finish();
            return report(count, settings, content);
        }
    }

    private static String[] header(Optional<ContentColumn> content) {
        var names = new ArrayList<>(List.of(PageColumn.ids()));
        if (content.isPresent()) {
            names.add(ContentColumn.NAME);
            names.add(ContentColumn.TRUNCATED);
        }
        return names.toArray(String[]::new);
    }

    private static void addContent(CsvWriter csvWriter, Optional<ContentColumn.Cell> cell) {
        if (cell.isEmpty()) {
            csvWriter.empty().empty();
        } else {
            csvWriter.text(cell.get().text()).raw(Boolean.toString(cell.get().truncated()));
        }
    }

    private static void addContent(ObjectNode line, Optional<ContentColumn.Cell> cell) {
        line.put(ContentColumn.NAME, cell.map(ContentColumn.Cell::text).orElse(null));
        line.put(ContentColumn.TRUNCATED, cell.map(ContentColumn.Cell::truncated).orElse(null));
    }

    private static ExportReport report(
            long count, ExportSettings settings, Optional<ContentColumn> content) {
        return new ExportReport(
                count,
                settings.allLines() ? "lines" : "pages",
                content.map(ContentColumn::notes).orElse(List.of()));
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

    private static void row(CsvWriter csvWriter, StoredPage page) {
        for (var column : PageColumn.values()) {
            var value = column.of(page);
            switch (column.type()) {
                case TEXT, TIME, JSON -> csvWriter.text(value.toString());
                case INT, LONG -> csvWriter.number(((Number) value).longValue());
            }
        }
    }

    /** Returns a line with every column, so that readers find all of them in the first line. */
    static ObjectNode json(StoredPage page) {
        var line = JsonMapper.shared().createObjectNode();
        for (var column : PageColumn.values()) {
            var value = column.of(page);
            if (column.isMissing(page)) {
                line.putNull(column.id());
            } else {
                switch (column.type()) {
                    case TEXT, TIME -> line.put(column.id(), value.toString());
                    case INT, LONG -> line.put(column.id(), ((Number) value).longValue());
                    case JSON -> line.putRawValue(column.id(), new RawValue((String) value));
                }
            }
        }
        return line;
    }
}
