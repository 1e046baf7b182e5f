package dev.orbweaver.imports;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.seeds.SeedOutput;
import dev.orbweaver.internal.seeds.SeedSource;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.ZipException;

/**
 * URLs in a column of a CSV file. The first record has the names of the columns, unless the column
 * is given as a number or the file is a list of URLs. Comma, semicolon and tab are accepted as
 * separators.
 *
 * @param column a name, or a number from 1; empty for {@code url} or the only column
 */
record CsvSource(String description, InputFile file, String column) implements SeedSource {

    private static final long PROGRESS_RECORDS = 1_000_000;

    @Override
    public void read(SeedOutput out) throws IOException, InterruptedException {
        try (var reader = new InputStreamReader(file.open(), UTF_8)) {
            read(new CsvReader(reader, ','), out);
        } catch (EOFException | ZipException e) {
            throw new SourceException(
                    "%s: the gzip data is damaged or incomplete (%s); lines before were read"
                            .formatted(file.name(), e.getMessage()));
        }
    }

    private void read(CsvReader csv, SeedOutput out) throws IOException, InterruptedException {
        var first = csv.next();
        if (first.isEmpty()) {
            return;
        }
        var separator = separator(first);
        csv.separator(separator);
        var header = first.size() == 1 ? split(first.getFirst(), separator) : first;
        var numbered = numberedColumn();
        var index = numbered >= 0 ? numbered : namedColumn(header);
        if (numbered >= 0 || isListOfUrls(header)) {
            add(out, csv.line(), header, index);
        }
        var count = 0L;
        for (var record = csv.next(); !record.isEmpty(); record = csv.next()) {
            add(out, csv.line(), record, index);
            if (++count % PROGRESS_RECORDS == 0) {
                out.progress("%,d records".formatted(count));
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        }
    }

    /** A file of one column may have no header. */
    private boolean isListOfUrls(List<String> first) {
        return column.isEmpty() && first.size() == 1 && first.getFirst().contains("://");
    }

    /** A first record without a comma may be separated by something else. */
    private static char separator(List<String> first) {
        if (first.size() > 1) {
            return ',';
        }
        var text = first.getFirst();
        if (text.indexOf('\t') >= 0) {
            return '\t';
        }
        // Semicolons occur in URLs, so a file of URLs only is not taken for two columns.
        return text.indexOf(';') >= 0 && !text.contains("://") ? ';' : ',';
    }

    private static List<String> split(String text, char separator) {
        return List.of(text.split(Pattern.quote(Character.toString(separator)), -1));
    }

    private static void add(SeedOutput out, long line, List<String> fields, int index)
            throws IOException {
        if (index < fields.size()) {
            LineSource.add(out, line, fields.get(index));
        } else {
            LineSource.reject(
                    out,
                    line,
                    String.join(",", fields),
                    "the line has %d fields, and the URL is in field %d"
                            .formatted(fields.size(), index + 1));
        }
    }

    /** Returns the index of a column that is given as a number; -1 for a name. */
    private int numberedColumn() {
        var text = column;
        var number =
                !text.isEmpty() && text.length() < 5 && text.chars().allMatch(Character::isDigit);
        return number ? Integer.parseInt(text) - 1 : -1;
    }

    private int namedColumn(List<String> header) throws IOException {
        var names = header.stream().map(name -> name.strip().replace("\uFEFF", "")).toList();
        return Columns.index(names, column, file.name());
    }
}
