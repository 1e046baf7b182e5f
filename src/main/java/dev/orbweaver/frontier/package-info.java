/** What next and when: queues, priorities, politeness, leases, the seen set. */
@NullMarked
package dev.orbweaver.frontier;

import org.jspecify.annotations.NullMarked;
