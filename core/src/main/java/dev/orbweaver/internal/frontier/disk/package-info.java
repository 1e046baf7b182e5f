/** The embedded frontier: a journal, snapshots, segments, and queues in memory. */
@NullMarked
package dev.orbweaver.internal.frontier.disk;

import org.jspecify.annotations.NullMarked;
