package dev.orbweaver.internal.sink;

/** A line of the page log, and the position after it, from which reading can continue. */
public record PageLogLine(PageLogEntry entry, PageLogPosition after) {}
