/**
 * Decides which URL is requested next, and when: queues, priorities, politeness, leases, seen sets.
 */
@NullMarked
package dev.orbweaver.internal.frontier;

import org.jspecify.annotations.NullMarked;
