package dev.orbweaver.model;

/**
 * Which visit of its URL a capture is.
 *
 * @param number 1 for the first visit
 * @param first the page log's line of the first visit, as {@link CaptureRef#packed}; 0 for the
 *     first visit itself
 */
public record VisitNumber(int number, long first) {

    /** The first visit of a URL. */
    public static final VisitNumber FIRST = new VisitNumber(1, 0);

    /**
     * Returns the visit after this one.
     *
     * @param line the page log's line of this visit
     */
    public VisitNumber next(long line) {
        return new VisitNumber(number + 1, isFirst() ? line : first);
    }

    public boolean isFirst() {
        return number == 1;
    }
}
