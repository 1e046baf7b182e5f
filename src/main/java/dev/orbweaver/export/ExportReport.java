package dev.orbweaver.export;

import java.util.List;

/**
 * What came of an export.
 *
 * @param count how many pages, lines or clusters were written
 * @param what one word for what was counted, in the plural
 * @param notes what was left out and why, a sentence each
 */
public record ExportReport(long count, String what, List<String> notes) {

    /** Keeps the list unchangeable. */
    public ExportReport {
        notes = List.copyOf(notes);
    }

    static ExportReport of(long count, String what) {
        return new ExportReport(count, what, List.of());
    }
}
