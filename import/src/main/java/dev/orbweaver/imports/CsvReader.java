package dev.orbweaver.imports;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads CSV (RFC 4180) in bounded memory. Fields beyond the limits are truncated; a quote that is
 * never closed ends its record at the limit instead of swallowing the rest of the file.
 */
final class CsvReader {

    private static final int FIELD_CHARS_MAX = 64 << 10;
    private static final int FIELDS_MAX = 4_096;

    private final Reader in;
    private final char[] buffer = new char[64 << 10];
    private int next;
    private int filled;
    private long line = 1;
    private long recordLine;
    private char separator;

    CsvReader(Reader in, char separator) {
        this.in = in;
        this.separator = separator;
    }

    void separator(char other) {
        separator = other;
    }

    /** Returns the line at which the last record starts, from 1. */
    long line() {
        return recordLine;
    }

    /** Returns the next record that is not an empty line; an empty list at the end. */
    List<String> next() throws IOException {
        while (peek() >= 0) {
            recordLine = line;
            var fields = record();
            if (fields.size() > 1 || !fields.getFirst().isEmpty()) {
                return fields;
            }
        }
        return List.of();
    }

    private List<String> record() throws IOException {
        var fields = new ArrayList<String>();
        while (true) {
            var field = peek() == '"' ? quoted() : plain(new StringBuilder());
            if (fields.size() < FIELDS_MAX) {
                fields.add(field);
            }
            var end = take();
            if (end == '\r' && peek() == '\n') {
                end = take();
            }
            if (end != separator) {
                return fields;
            }
        }
    }

    private String quoted() throws IOException {
        var text = new StringBuilder();
        take();
        while (text.length() < FIELD_CHARS_MAX) {
            var c = take();
            if (c < 0) {
                return text.toString();
            }
            if (c == '"') {
                if (peek() != '"') {
                    // What follows a closing quote belongs to the field, as spreadsheets read it.
                    return plain(text);
                }
                take();
            }
            text.append((char) c);
        }
        return plain(text);
    }

    private String plain(StringBuilder text) throws IOException {
        for (var c = peek(); c >= 0 && c != separator && c != '\n' && c != '\r'; c = peek()) {
            if (text.length() < FIELD_CHARS_MAX) {
                text.append((char) c);
            }
            take();
        }
        return text.toString();
    }

    private int peek() throws IOException {
        if (next == filled) {
            filled = Math.max(0, in.read(buffer, 0, buffer.length));
            next = 0;
        }
        return filled == 0 ? -1 : buffer[next];
    }

    @CanIgnoreReturnValue
    private int take() throws IOException {
        var c = peek();
        if (c >= 0) {
            next++;
            if (c == '\n') {
                line++;
            }
        }
        return c;
    }
}
