/** What next and when: queues, priorities, politeness, leases, the seen set. */
@NullMarked
package dev.orbweaver.internal.frontier;

import org.jspecify.annotations.NullMarked;
