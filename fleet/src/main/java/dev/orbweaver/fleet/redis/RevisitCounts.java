package dev.orbweaver.fleet.redis;

/**
 * The known pages of a job.
 *
 * @param scheduled pages that are due later
 * @param queued pages that are queued or claimed for another visit
 */
public record RevisitCounts(long scheduled, long queued) {}
