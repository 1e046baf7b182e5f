package dev.orbweaver.internal.revisit;

import java.time.Instant;

/**
 * A page to visit now.
 *
 * @param page its number in the schedule
 * @param first page-log line of its first visit
 * @param last page-log line of its last visit
 * @param value what the visit is expected to buy: fresh days times importance
 */
public record Due(int page, long first, long last, double value, Instant due) {}
