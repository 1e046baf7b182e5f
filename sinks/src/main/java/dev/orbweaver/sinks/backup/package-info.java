/** Checkpoints of a crawl in a directory or a bucket: backups, rotation, restore. */
@NullMarked
package dev.orbweaver.sinks.backup;

import org.jspecify.annotations.NullMarked;
