package dev.orbweaver.export;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.Hashes;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;

/**
 * Pieces of pages as JSON lines.
 *
 * <p>A chunk's id says what it is and not when it was made: a hash of the page's URL and the
 * chunk's text, and of a number where a page says the same thing twice. So an index that is filled
 * again after another crawl keeps every chunk that did not change, whatever happened around it.
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
                            chunk.text());
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
            String text) {}

    static String id(String url, String text, int time) {
        return Hashes.hex(url + "\n" + text + (time == 1 ? "" : "\n" + time), ID_DIGITS);
    }
}
