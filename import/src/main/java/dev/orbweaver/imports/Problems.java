package dev.orbweaver.imports;

/** Counts the problems of a source that did not end it, and reports them in one sentence. */
final class Problems {

    private String first = "";
    private long count;

    void add(String sentence) {
        if (count++ == 0) {
            first = sentence;
        }
    }

    boolean isEmpty() {
        return count == 0;
    }

    /**
     * Fails if there were problems.
     *
     * @param read what was read nevertheless
     */
    void throwIfAny(String read) throws SourceException {
        if (count > 0) {
            throw new SourceException(
                    first
                            + (count > 1 ? " (and %,d more problems)".formatted(count - 1) : "")
                            + "; "
                            + read);
        }
    }
}
