package dev.orbweaver.internal.sink;

/** A line of the page log that was read, and where to go on behind it. */
public record PageLogLine(PageLogEntry entry, PageLogPosition after) {}
