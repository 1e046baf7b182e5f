package dev.orbweaver.imports;

import dev.orbweaver.internal.seeds.SeedEntry;
import dev.orbweaver.internal.seeds.SeedOutput;
import dev.orbweaver.internal.seeds.SeedSource;
import dev.orbweaver.internal.url.CrawlUrls;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.EOFException;
import java.io.IOException;
import java.util.zip.ZipException;

/**
 * URLs in the lines of a file or of standard input: one per line ({@code txt}), as a field of JSON
 * objects ({@code jsonl}), or as a list of ranked domains ({@code tranco}).
 */
record LineSource(String description, InputFile file, Format format) implements SeedSource {

    private static final int LINE_BYTES_MAX = 1 << 20;
    private static final long PROGRESS_LINES = 1_000_000;

    /** Longer texts are shortened when they are rejected. */
    private static final int REJECTED_CHARS_MAX = 200;

    /** How a line is read. */
    sealed interface Format {

        /** Passes on the URL of a line, or rejects it. */
        void read(long number, String line, SeedOutput out) throws IOException;
    }

    @Override
    public void read(SeedOutput out) throws IOException, InterruptedException {
        try (var lines = new BoundedLines(file.open(), LINE_BYTES_MAX)) {
            while (lines.next()) {
                if (lines.isTooLong()) {
                    reject(out, lines.number(), lines.text(), "the line is longer than 1 MB");
                } else {
                    format.read(lines.number(), lines.text(), out);
                }
                if (lines.number() % PROGRESS_LINES == 0) {
                    out.progress("%,d lines".formatted(lines.number()));
                    if (Thread.interrupted()) {
                        throw new InterruptedException();
                    }
                }
            }
        } catch (EOFException | ZipException e) {
            throw new SourceException(
                    "%s: the gzip data is damaged or incomplete (%s); lines before were read"
                            .formatted(file.name(), e.getMessage()));
        }
    }

    static void reject(SeedOutput out, long number, String text, String reason) throws IOException {
        out.reject(
                number,
                text.length() > REJECTED_CHARS_MAX
                        ? text.substring(0, REJECTED_CHARS_MAX) + "..."
                        : text,
                reason);
    }

    /** Passes on a URL unless it is empty or longer than a URL may be. */
    static void add(SeedOutput out, long number, String text) throws IOException {
        var url = text.strip();
        if (url.isEmpty()) {
            reject(out, number, text, "no URL");
        } else if (url.length() > CrawlUrls.LENGTH_MAX) {
            reject(
                    out,
                    number,
                    url,
                    "the URL is longer than %,d characters".formatted(CrawlUrls.LENGTH_MAX));
        } else {
            out.add(number, SeedEntry.of(url));
        }
    }

    /** One URL per line; empty lines and lines that start with # are skipped. */
    record Text() implements Format {
        @Override
        public void read(long number, String line, SeedOutput out) throws IOException {
            if (!line.isBlank() && !line.stripLeading().startsWith("#")) {
                add(out, number, line);
            }
        }
    }

    /** One JSON object per line with the URL in a field; a line may also be a string. */
    record Json(String field) implements Format {
        @Override
        public void read(long number, String line, SeedOutput out) throws IOException {
            if (line.isBlank()) {
                return;
            }
            JsonNode node;
            try {
                node = JsonMapper.shared().readTree(line);
            } catch (JacksonException e) {
                reject(out, number, line, "not JSON");
                return;
            }
            var value = node.isString() ? node : node.path(field);
            if (value.isString()) {
                add(out, number, value.stringValue());
            } else {
                reject(out, number, line, "no field '%s' with a text".formatted(field));
            }
        }
    }

    /** Rank and domain, separated by a comma, as in the Tranco list, up to a rank. */
    record Ranked(long top) implements Format {

        private static final int RANK_DIGITS_MAX = 18;

        @Override
        public void read(long number, String line, SeedOutput out) throws IOException {
            if (line.isBlank()) {
                return;
            }
            var comma = line.indexOf(',');
            var rank = comma < 1 ? "" : line.substring(0, comma).strip();
            var isRank =
                    !rank.isEmpty()
                            && rank.length() <= RANK_DIGITS_MAX
                            && rank.chars().allMatch(c -> c >= '0' && c <= '9');
            if (!isRank) {
                reject(out, number, line, "expected RANK,DOMAIN");
            } else if (Long.parseLong(rank) <= top) {
                add(out, number, line.substring(comma + 1));
            }
        }
    }
}
