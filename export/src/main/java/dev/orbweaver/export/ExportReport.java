package dev.orbweaver.export;

import java.util.List;
import java.util.stream.Stream;

/**
 * The result of an export.
 *
 * @param count the number of pages, lines or clusters written
 * @param unit the unit of the count, in the plural
 * @param notes messages about omitted pages, with the reason
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
