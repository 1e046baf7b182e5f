package dev.orbweaver.export;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import java.io.IOException;

/**
 * Writes comma-separated values (RFC 4180) that are safe to open in a spreadsheet.
 *
 * <p>Titles and URLs are untrusted, and spreadsheets evaluate a cell that begins with {@code =},
 * {@code +}, {@code -}, {@code @}, a tab or a line end as a formula. Such a text gets an apostrophe
 * as prefix, which marks it as text. Every text is quoted, so that programs with another separator
 * read it completely. Numbers are not quoted.
 */
final class CsvWriter {

    private static final String FORMULA = "=+-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20";

    private final AtomicTextFile out;
    private final StringBuilder row = new StringBuilder();
    private boolean first = true;

    CsvWriter(AtomicTextFile out) {
        this.out = out;
    }

    @CanIgnoreReturnValue
    CsvWriter text(String value) {
        separate().append('"');
        if (!value.isEmpty() && FORMULA.indexOf(value.charAt(0)) >= 0) {
            row.append('\'');
        }
        row.append(value.replace("\"", "\"\"").replace("\u0000", "")).append('"');
        return this;
    }

    @CanIgnoreReturnValue
    CsvWriter number(long value) {
        separate().append(value);
        return this;
    }

    /** Writes a number or a boolean. */
    @CanIgnoreReturnValue
    CsvWriter raw(String value) {
        separate().append(value);
        return this;
    }

    /** Writes a missing value: an empty cell without quotes. */
    @CanIgnoreReturnValue
    CsvWriter empty() {
        separate();
        return this;
    }

    @CanIgnoreReturnValue
    private StringBuilder separate() {
        return first ? begin() : row.append(',');
    }

    private StringBuilder begin() {
        first = false;
        return row;
    }

    void endRow() throws IOException {
        out.write(row.append("\r\n").toString());
        row.setLength(0);
        first = true;
    }

    /** Writes the column names, unquoted. */
    void header(String... names) throws IOException {
        for (var name : names) {
            if (name.matches("[a-z_]+")) {
                raw(name);
            } else {
                text(name);
            }
        }
        endRow();
    }
}
