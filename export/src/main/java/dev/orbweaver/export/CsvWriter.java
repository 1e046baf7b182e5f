package dev.orbweaver.export;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import java.io.IOException;

/**
 * Rows of comma-separated values (RFC 4180) that are safe to open in a spreadsheet.
 *
 * <p>Pages choose their titles and URLs, and a cell that begins with {@code =}, {@code +}, {@code
 * -}, {@code @}, a tab or a line end is a formula to a spreadsheet. Such a text gets an apostrophe
 * in front, which spreadsheets take for "this is text". Every text is quoted, so that none ends
 * early where a program takes another character for the separator. Numbers stand bare.
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

    /** A number or a boolean. */
    @CanIgnoreReturnValue
    CsvWriter raw(String value) {
        separate().append(value);
        return this;
    }

    /** No value: an empty cell without quotes. */
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

    /** Column names, unquoted. */
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
