package dev.orbweaver.imports;

import java.util.List;

/** Selects the column of a table that has the URLs. */
final class Columns {

    private static final String DEFAULT = "url";
    private static final int NAMED_MAX = 20;

    private Columns() {}

    /**
     * Returns the index of a column.
     *
     * @param wanted its name; if it is empty, {@code url} or the only column
     */
    static int index(List<String> names, String wanted, String file) throws SourceException {
        var name = wanted.isEmpty() ? DEFAULT : wanted;
        for (var i = 0; i < names.size(); i++) {
            if (names.get(i).equalsIgnoreCase(name)) {
                return i;
            }
        }
        if (wanted.isEmpty() && names.size() == 1) {
            return 0;
        }
        throw new SourceException(
                "%s has no column '%s'; choose one with #column=NAME: %s"
                        .formatted(
                                file,
                                name,
                                String.join(
                                        ", ",
                                        names.subList(0, Math.min(names.size(), NAMED_MAX)))));
    }
}
