package dev.orbweaver.internal.revisit;

/**
 * A page to visit now.
 *
 * @param page its number in the schedule
 * @param first page-log line of its first visit
 * @param last page-log line of its last visit
 * @param value what the visit is expected to buy: fresh days times importance; {@link #REQUESTED}
 *     if it was requested
 */
public record Due(int page, long first, long last, double value) {

    static final double REQUESTED = Double.POSITIVE_INFINITY;

    boolean isRequested() {
        return value == REQUESTED;
    }
}
