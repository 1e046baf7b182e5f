package dev.orbweaver.imports;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.zip.ZipException;

/**
 * The URLs of an index of captures: CDXJ ({@code KEY TIME {JSON}}), or CDX whose first line names
 * the columns.
 */
record CdxjSource(String description, InputFile file) implements CaptureSource {

    private static final int LINE_BYTES_MAX = 1 << 20;
    private static final long PROGRESS_LINES = 1_000_000;
    private static final String NO_CAPTURE = "not a line of a CDXJ index: expected KEY TIME {JSON}";
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMddHHmmss");

    @Override
    public void readCaptures(CaptureOutput out) throws IOException, InterruptedException {
        try (var in = file.open()) {
            readCaptures(in, file.name(), out);
        } catch (EOFException | ZipException e) {
            throw new SourceException(
                    "%s: the gzip data is damaged or incomplete (%s); lines before were read"
                            .formatted(file.name(), e.getMessage()));
        }
    }

    static void readCaptures(InputStream in, String file, CaptureOutput out)
            throws IOException, InterruptedException {
        var lines = new BoundedLines(in, LINE_BYTES_MAX);
        var legend = List.<String>of();
        while (lines.next()) {
            var line = lines.text();
            if (lines.isTooLong()) {
                reject(line, lines.number(), "the line is longer than 1 MB", out);
            } else if (line.startsWith(" CDX ") && lines.number() == 1) {
                legend = List.of(line.substring(" CDX ".length()).split(" ", -1));
            } else if (!line.isBlank() && !line.startsWith("!")) {
                add(line, legend, lines.number(), out);
            }
            if (lines.number() % PROGRESS_LINES == 0) {
                out.progress("%s: %,d lines".formatted(file, lines.number()));
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        }
    }

    private static void add(String line, List<String> legend, long number, CaptureOutput out)
            throws IOException {
        try {
            out.add(number, legend.isEmpty() ? json(line) : columns(line, legend));
        } catch (JacksonException | IllegalArgumentException | DateTimeException e) {
            reject(line, number, legend.isEmpty() ? NO_CAPTURE : "not a line of a CDX index", out);
        }
    }

    private static void reject(String line, long number, String reason, CaptureOutput out)
            throws IOException {
        out.reject(number, line.length() > 200 ? line.substring(0, 200) + "..." : line, reason);
    }

    private static ArchivedCapture json(String line) {
        var key = line.indexOf(' ');
        var time = line.indexOf(' ', key + 1);
        if (key < 1 || time < 0) {
            throw new IllegalArgumentException(NO_CAPTURE);
        }
        var fields = JsonMapper.shared().readTree(line.substring(time + 1));
        var url = fields.path("url");
        if (!url.isString()) {
            throw new IllegalArgumentException(NO_CAPTURE);
        }
        return new ArchivedCapture(
                url.stringValue(),
                time(line.substring(key + 1, time)),
                status(fields.path("status").asString("")),
                fields.path("digest").asString(""));
    }

    /** Letters of the columns: a is the URL, b the time, s the status, k the digest. */
    private static ArchivedCapture columns(String line, List<String> legend) {
        var values = line.split(" ", -1);
        return new ArchivedCapture(
                value(values, legend, "a"),
                time(value(values, legend, "b")),
                status(value(values, legend, "s")),
                value(values, legend, "k"));
    }

    private static String value(String[] values, List<String> legend, String letter) {
        var column = legend.indexOf(letter);
        if (column < 0 || column >= values.length) {
            throw new IllegalArgumentException("no column " + letter);
        }
        return values[column];
    }

    private static Instant time(String stamp) {
        // Some tools add milliseconds.
        var seconds = stamp.length() > 14 ? stamp.substring(0, 14) : stamp;
        return LocalDateTime.parse(seconds, STAMP).toInstant(ZoneOffset.UTC);
    }

    private static int status(String text) {
        var number =
                !text.isEmpty() && text.length() <= 3 && text.chars().allMatch(Character::isDigit);
        return number ? Integer.parseInt(text) : 0;
    }
}
