package dev.orbweaver.export;

import dev.orbweaver.export.markdown.TokenEstimator;
import dev.orbweaver.model.TextScan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Splits Markdown into chunks for retrieval. No chunk has more than the maximum of estimated
 * tokens.
 *
 * <p>A chunk does not cross a heading, except that a heading without content stays with the next
 * section. Within a section, whole blocks (paragraphs, lists, code, tables) are combined up to the
 * maximum size. Only a block that is too long by itself is split: code and tables at lines, with
 * fence and table head repeated, text at spaces, and a word that is too long between characters.
 * All text is in exactly one chunk, except for repeated fences and heads.
 */
public final class Chunker {

    private final int tokensMax;
    private final List<Chunk> chunks = new ArrayList<>();
    private final List<String> headings = new ArrayList<>();
    private final List<Integer> levels = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();
    private int tokens;
    private boolean onlyHeadings = true;

    private Chunker(int tokensMax) {
        this.tokensMax = tokensMax;
    }

    /**
     * A part of a page.
     *
     * @param headings the headings above the chunk, the page's own first
     */
    public record Chunk(List<String> headings, String text, int tokens) {

        public Chunk {
            headings = List.copyOf(headings);
        }
    }

    /** Splits the Markdown of a page into chunks of at most {@code tokensMax} tokens. */
    public static List<Chunk> chunks(String markdown, int tokensMax) {
        var chunker = new Chunker(tokensMax);
        blocks(markdown).forEach(chunker::add);
        chunker.endChunk();
        return chunker.chunks;
    }

    private void add(String block) {
        var heading = heading(block);
        if (heading.isPresent()) {
            if (!onlyHeadings) {
                endChunk();
            }
            enterSection(heading.get());
        }
        var size = TokenEstimator.estimate(block);
        var fits = tokens + size <= tokensMax;
        // A heading stays with the beginning of a block, unless it leaves little room.
        if (!fits && !(onlyHeadings && tokens * 2 <= tokensMax)) {
            endChunk();
            fits = size <= tokensMax;
        }
        if (fits) {
            append(block);
        } else {
            appendParts(block);
        }
        onlyHeadings &= heading.isPresent();
    }

    private void enterSection(String heading) {
        var level = heading.indexOf(' ');
        while (!levels.isEmpty() && levels.getLast() >= level) {
            levels.removeLast();
            headings.removeLast();
        }
        levels.add(level);
        headings.add(heading.substring(level).strip());
    }

    private static Optional<String> heading(String block) {
        return MarkdownLines.headingLevel(block) > 0 && block.indexOf('\n') < 0
                ? Optional.of(block)
                : Optional.empty();
    }

    private void append(String block) {
        text.append(text.isEmpty() ? "" : "\n\n").append(block);
        tokens += TokenEstimator.estimate(block);
    }

    private void endChunk() {
        if (!text.isEmpty()) {
            chunks.add(new Chunk(headings, text.toString(), tokens));
        }
        text.setLength(0);
        tokens = 0;
        onlyHeadings = true;
    }

    /** Splits text at blank lines, except inside fences and lists. */
    static List<String> blocks(String markdown) {
        var blocks = new ArrayList<String>();
        var block = new StringBuilder();
        var fence = "";
        for (var line : markdown.split("\n", -1)) {
            if (line.isBlank() && fence.isEmpty()) {
                flush(block, blocks);
                continue;
            }
            fence = MarkdownLines.openFenceAfter(fence, line);
            block.append(block.isEmpty() ? "" : "\n").append(line);
        }
        flush(block, blocks);
        return blocks;
    }

    private static void flush(StringBuilder block, List<String> blocks) {
        if (!block.isEmpty()) {
            blocks.add(block.toString());
            block.setLength(0);
        }
    }

    /** Appends a block that is too long, in several chunks. */
    private void appendParts(String block) {
        var lines = List.of(block.split("\n", -1));
        var fence = MarkdownLines.openFenceAfter("", lines.getFirst());
        if (!fence.isEmpty() && lines.size() > 2 && isRepeatable(lines.getFirst())) {
            var indent = lines.getFirst().substring(0, lines.getFirst().indexOf(fence));
            appendLines(
                    lines.subList(1, lines.size() - 1),
                    lines.getFirst() + "\n",
                    "\n" + blankMarkers(indent) + fence);
        } else if (lines.size() > 2
                && isTableRule(lines.get(1).strip())
                && isRepeatable(lines.get(0) + "\n" + lines.get(1))) {
            appendLines(
                    lines.subList(2, lines.size()), lines.get(0) + "\n" + lines.get(1) + "\n", "");
        } else {
            appendLines(lines, "", "");
        }
    }

    /** Whether a fence or a table's head leaves enough room to be in each part. */
    private boolean isRepeatable(String head) {
        return TokenEstimator.estimate(head) * 3 <= tokensMax;
    }

    /** Appends lines, each chunk with as many as it has room for. */
    private void appendLines(List<String> lines, String before, String after) {
        var overhead = TokenEstimator.estimate(before) + TokenEstimator.estimate(after);
        var part = new StringBuilder();
        var size = 0;
        for (var line : lines) {
            for (var piece : pieces(line, tokensMax - overhead)) {
                var more = TokenEstimator.estimate(piece);
                if (tokens + overhead + size + more > tokensMax) {
                    appendPart(before, part, after);
                    endChunk();
                    size = 0;
                }
                part.append(part.isEmpty() ? "" : "\n").append(piece);
                size += more;
            }
        }
        appendPart(before, part, after);
    }

    private void appendPart(String before, StringBuilder part, String after) {
        if (!part.isEmpty()) {
            append(before + part + after);
            part.setLength(0);
        }
    }

    /** Whether a line is the delimiter row of a table: dashes, bars and colons. */
    private static boolean isTableRule(String line) {
        var at = line.startsWith("|") ? 1 : line.length() + 1;
        while (at < line.length()) {
            at += line.startsWith(" ", at) ? 1 : 0;
            at += line.startsWith(":", at) ? 1 : 0;
            var end = TextScan.endOf(line, at, c -> c == '-');
            if (end - at < 3) {
                return false;
            }
            at = end;
            at += line.startsWith(":", at) ? 1 : 0;
            at += line.startsWith(" ", at) ? 1 : 0;
            if (!line.startsWith("|", at)) {
                return false;
            }
            at++;
        }
        return at == line.length() && at > 1;
    }

    /** Splits a line that is too long at spaces, or within a word that is too long. */
    private static List<String> pieces(String line, int room) {
        var pieces = new ArrayList<String>();
        var at = 0;
        for (var end = TokenEstimator.endWithin(line, at, room);
                end < line.length();
                end = TokenEstimator.endWithin(line, at, room)) {
            var space = line.lastIndexOf(' ', end);
            var blank = TextScan.endOf(line, at, TextScan::isSpace);
            end = space > blank ? space : end;
            pieces.add(line.substring(at, end));
            at = line.startsWith(" ", end) ? end + 1 : end;
        }
        pieces.add(line.substring(at));
        return pieces;
    }

    /** Replaces the markers of list items with spaces; those of quotations stay. */
    private static String blankMarkers(String indent) {
        var blank = new StringBuilder(indent.length());
        indent.chars().forEach(c -> blank.append(c == '>' ? '>' : ' '));
        return blank.toString();
    }
}
