package dev.orbweaver.export;

import dev.orbweaver.export.markdown.TokenEstimator;
import dev.orbweaver.model.TextScan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Splits Markdown into chunks for retrieval.
 *
 * <p>A chunk does not cross a heading, except that a heading without content stays with the next
 * section. Within a section, whole blocks (paragraphs, lists, code, tables) are combined up to the
 * maximum size. Only a block that is too long by itself is split: code and tables at lines, with
 * fence and table head repeated, text at spaces. All text is in exactly one chunk, except for
 * repeated fences and heads.
 */
final class Chunker {

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
     * @param headings the headings above the chunk, the page's own first
     */
    record Chunk(List<String> headings, String text, int tokens) {

        Chunk {
            headings = List.copyOf(headings);
        }
    }

    static List<Chunk> chunks(String markdown, int tokensMax) {
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
            var level = heading.get().indexOf(' ');
            while (!levels.isEmpty() && levels.getLast() >= level) {
                levels.removeLast();
                headings.removeLast();
            }
            levels.add(level);
            headings.add(heading.get().substring(level).strip());
            append(block);
            return;
        }
        onlyHeadings = false;
        var size = TokenEstimator.estimate(block);
        if (tokens + size > tokensMax && !text.isEmpty() && !isHeadingsOnly()) {
            endChunk();
            onlyHeadings = false;
        }
        if (size <= tokensMax) {
            append(block);
        } else {
            for (var part : split(block)) {
                if (tokens + TokenEstimator.estimate(part) > tokensMax && !text.isEmpty()) {
                    endChunk();
                    onlyHeadings = false;
                }
                append(part);
            }
        }
    }

    private boolean isHeadingsOnly() {
        return text.toString()
                .lines()
                .allMatch(line -> line.isEmpty() || heading(line).isPresent());
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

    /** Splits a block that is too long. */
    private List<String> split(String block) {
        var lines = List.of(block.split("\n", -1));
        var fence = MarkdownLines.openFenceAfter("", lines.getFirst());
        if (!fence.isEmpty() && lines.size() > 2) {
            var indent = lines.getFirst().substring(0, lines.getFirst().indexOf(fence.charAt(0)));
            return packLines(
                    lines.subList(1, lines.size() - 1),
                    lines.getFirst() + "\n",
                    "\n" + indent + fence);
        }
        if (lines.size() > 2 && isTableRule(lines.get(1).strip())) {
            return packLines(
                    lines.subList(2, lines.size()), lines.get(0) + "\n" + lines.get(1) + "\n", "");
        }
        return packLines(lines, "", "");
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

    private List<String> packLines(List<String> lines, String before, String after) {
        var room =
                Math.max(
                        8,
                        tokensMax
                                - TokenEstimator.estimate(before)
                                - TokenEstimator.estimate(after));
        var parts = new ArrayList<String>();
        var part = new StringBuilder();
        var size = 0;
        for (var line : lines) {
            for (var piece : before.isEmpty() ? splitAtSpaces(line, room) : List.of(line)) {
                var more = TokenEstimator.estimate(piece);
                if (!part.isEmpty() && size + more > room) {
                    parts.add(before + part + after);
                    part.setLength(0);
                    size = 0;
                }
                part.append(part.isEmpty() ? "" : "\n").append(piece);
                size += more;
            }
        }
        if (!part.isEmpty()) {
            parts.add(before + part + after);
        }
        return parts;
    }

    private static List<String> splitAtSpaces(String line, int room) {
        if (TokenEstimator.estimate(line) <= room) {
            return List.of(line);
        }
        var pieces = new ArrayList<String>();
        var piece = new StringBuilder();
        var size = 0;
        for (var at = 0; at < line.length(); ) {
            var space = line.indexOf(' ', at);
            var end = space < 0 ? line.length() : space + 1;
            var word = line.substring(at, end);
            at = end;
            var more = TokenEstimator.estimate(word);
            if (!piece.isEmpty() && size + more > room) {
                pieces.add(piece.toString().stripTrailing());
                piece.setLength(0);
                size = 0;
            }
            piece.append(word);
            size += more;
        }
        if (!piece.isEmpty()) {
            pieces.add(piece.toString());
        }
        return pieces;
    }
}
