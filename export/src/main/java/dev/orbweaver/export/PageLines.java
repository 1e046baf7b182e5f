package dev.orbweaver.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.export.markdown.MarkdownConverter;
import dev.orbweaver.export.markdown.RepeatedBlocks;
import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.model.PrintableText;
import dev.orbweaver.model.TextScan;
import dev.orbweaver.spi.Document;

import java.util.ArrayList;
import java.util.List;

/** The text of a page as short lines, which two versions of the page are compared by. */
final class PageLines {

    private PageLines() {}

    /** Returns the lines of the main text; of a document without text, none. */
    static List<String> of(Document document, RepeatedBlocks memory, StoredPage page) {
        if (page.isHtml()) {
            var converter = new MarkdownConverter(memory, false);
            return sentences(converter.convert(document, page.time()).body());
        }
        return page.mediaType().startsWith("text/")
                ? sentences(new String(document.bytes(), 0, document.length(), UTF_8))
                : List.of();
    }

    /** Splits a text into lines, and long lines into sentences, so that diffs are small. */
    private static List<String> sentences(String text) {
        var lines = new ArrayList<String>();
        var fence = "";
        for (var line : text.lines().toList()) {
            fence = MarkdownLines.openFenceAfter(fence, line);
            if (line.isBlank()) {
                continue;
            }
            for (var part : fence.isEmpty() ? splitSentences(line) : List.of(line)) {
                lines.add(PrintableText.line(part));
            }
        }
        return lines;
    }

    /** Splits a line after the ends of sentences. */
    private static List<String> splitSentences(String line) {
        var sentences = new ArrayList<String>();
        var start = 0;
        for (var at = 1; at + 1 < line.length(); at++) {
            if (line.charAt(at) == ' '
                    && ".!?;:".indexOf(line.charAt(at - 1)) >= 0
                    && !TextScan.isSpace(line.charAt(at + 1))) {
                sentences.add(line.substring(start, at));
                start = at + 1;
            }
        }
        sentences.add(line.substring(start));
        return sentences;
    }
}
