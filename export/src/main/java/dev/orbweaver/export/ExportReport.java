package dev.orbweaver.export;

import java.util.List;
import java.util.stream.Stream;

/**
 * The outcome of an export.
 *
 * @param count how many pages, lines or clusters were written
 * @param unit one word for what was counted, in the plural
 * @param notes what was left out and why, a sentence each
 */
public record ExportReport(long count, String unit, List<String> notes) {

    public ExportReport {
        notes = List.copyOf(notes);
    }

    ExportReport with(List<String> further) {
        return new ExportReport(
                count, unit, Stream.concat(notes.stream(), further.stream()).toList());
    }

    static ExportReport of(long count, String what) {
        return new ExportReport(count, what, List.of());
    }
}
