package dev.orbweaver.export;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.Hashes;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.RawValue;

import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/**
 * Exports chunks of pages as JSON lines.
 *
 * <p>The id of a chunk depends on its content only: it is a hash of the page's URL and the chunk's
 * text, and of a counter if a page repeats a text. So an index that is updated after another crawl
 * keeps every unchanged chunk, even if other parts of the page changed.
 */
final class ChunkExport {

    private static final int ID_DIGITS = 32;

    private final AtomicTextFile out;
    private final int tokensMax;
    private long count;

    private ChunkExport(AtomicTextFile out, int tokensMax) {
        this.out = out;
        this.tokensMax = tokensMax;
    }

    static ExportReport run(CrawlPages pages, ExportSettings settings) throws IOException {
        try (var scratchDirectory = ScratchDirectory.createBeside(settings.exportTarget());
                var store = new TextStore(scratchDirectory.directory());
                var out = settings.exportTarget().openText(ExportFormat.CHUNKS)) {
            var texts = new TextPages(pages, settings.text(), scratchDirectory.directory());
            texts.fill(store);
            var export = new ChunkExport(out, settings.text().chunkTokens());
            store.forEach((_, page) -> export.write(page));
            out.finish();
            return new ExportReport(export.count, "chunks", texts.notes());
        }
    }

    private void write(TextPage text) throws IOException {
        var page = text.page();
        var fields =
                page.fields().isEmpty()
                        ? Optional.<RawValue>empty()
                        : Optional.of(new RawValue(page.fields()));
        var times = new HashMap<String, Integer>();
        var number = 0;
        for (var chunk : Chunker.chunks(page.body(), tokensMax)) {
            var time = times.merge(chunk.text(), 1, Integer::sum);
            var line =
                    new Line(
                            id(page.url(), chunk.text(), time),
                            page.url(),
                            page.title(),
                            chunk.headings(),
                            number++,
                            chunk.tokens(),
                            page.language(),
                            page.fetchedAt(),
                            chunk.text(),
                            fields);
            out.write(JsonMapper.shared().writeValueAsString(line) + "\n");
            count++;
        }
    }

    private record Line(
            String id,
            String url,
            String title,
            List<String> headings,
            int number,
            int tokens,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) String language,
            @JsonProperty("fetched-at") Instant fetchedAt,
            String text,
            @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<RawValue> fields) {}

    static String id(String url, String text, int time) {
        return Hashes.hex(url + "\n" + text + (time == 1 ? "" : "\n" + time), ID_DIGITS);
    }
}
